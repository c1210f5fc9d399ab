/* lock_stats.c - counts of the lock under which MPI is called. */
#include "stats/lock_stats.h"

static const char *const names[] = {
    [SCREE_LOCK_MUTEX] = "mutex", [SCREE_LOCK_TICKET] = "ticket", [SCREE_LOCK_PRIORITY] = "priority"};

static bool is_entered(const scree_world *world) {
  return world->worker[0]->transport->lock != NULL;
}

void scree__lock_add(const scree__worker *me, scree_stats *to) {
  const scree__lock_user *user = me->transport->lock;
  if (!user) return;
  to->lock_entries += user->entries;
  to->lock_waits += user->waits;
  to->lock_wait_ns += user->wait_ns;
  to->lock_wasted += user->wasted;
  to->lock_again += user->again;
  to->lock_fair += user->fair;
  to->lock_socket_again += user->socket_again;
  to->lock_socket_fair += user->socket_fair;
  to->lock_samples += user->samples;
  to->sampled_sends += user->sampled_sends;
  to->dangling_sends += user->dangling_sends;
  to->sampled_receives += user->sampled_receives;
  to->dangling_receives += user->dangling_receives;
}

static void print_socket_bias(const scree_world *world, const scree_stats *s, FILE *to) {
  const uint32_t sockets = world->worker[0]->transport->lock->sockets;
  if (sockets == 0)
    fputs("unknown: the sockets of this machine are\n", to);
  else if (sockets == 1)
    fputs("none: the rank runs on one socket\n", to);
  else if (s->lock_socket_fair == 0)
    fputs("unknown: no worker has waited\n", to);
  else
    fprintf(to, "%.2f\n", scree_lock_socket_bias(s));
}

static void print_samples(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to,
          "    samples %llu: requests complete, but not noticed: sends %llu of %llu, receives %llu of %llu; bias by "
          "socket ",
          (unsigned long long)s->lock_samples, (unsigned long long)s->dangling_sends,
          (unsigned long long)s->sampled_sends, (unsigned long long)s->dangling_receives,
          (unsigned long long)s->sampled_receives);
  print_socket_bias(world, s, to);
}

void scree__lock_print(const scree_world *world, const scree_stats *s, FILE *to) {
  if (!is_entered(world)) return;
  fprintf(to, "  lock (%s): entries %llu, waits %llu (%.3f ms), polls that found nothing %llu, bias ",
          names[world->options.lock], (unsigned long long)s->lock_entries, (unsigned long long)s->lock_waits,
          1e-6 * (double)s->lock_wait_ns, (unsigned long long)s->lock_wasted);
  if (s->lock_fair)
    fprintf(to, "%.2f\n", scree_lock_bias(s));
  else
    fputs("unknown: no worker has waited\n", to);
  if (world->options.lock_sample) print_samples(world, s, to);
}

void scree__lock_print_json(const scree_stats *s, FILE *to) {
  fprintf(to,
          ",\"lock_entries\":%llu,\"lock_waits\":%llu,\"lock_wait_ns\":%llu,\"lock_wasted\":%llu,\"lock_again\":%llu,"
          "\"lock_fair\":%llu,\"lock_socket_again\":%llu,\"lock_socket_fair\":%llu,\"lock_samples\":%llu,"
          "\"sampled_sends\":%llu,\"dangling_sends\":%llu,\"sampled_receives\":%llu,\"dangling_receives\":%llu",
          (unsigned long long)s->lock_entries, (unsigned long long)s->lock_waits, (unsigned long long)s->lock_wait_ns,
          (unsigned long long)s->lock_wasted, (unsigned long long)s->lock_again, (unsigned long long)s->lock_fair,
          (unsigned long long)s->lock_socket_again, (unsigned long long)s->lock_socket_fair,
          (unsigned long long)s->lock_samples, (unsigned long long)s->sampled_sends,
          (unsigned long long)s->dangling_sends, (unsigned long long)s->sampled_receives,
          (unsigned long long)s->dangling_receives);
}

void scree__lock_note(const scree_world *world, char *text, size_t size) {
  *text = 0;
  if (world->options.lock == SCREE_LOCK_MUTEX || is_entered(world)) return;
  const char *why = "no block travels by MPI";
  if (world->options.progress == SCREE_PROGRESS_COMM)
    why = "with progress=comm one thread of each rank calls MPI";
  else if (world->endpoints == 1)
    why = "each rank has one worker, which calls MPI without a lock";
  else if (world->options.thread_level == SCREE_THREAD_LEVEL_FUNNELED)
    why = "with thread_level=funneled one worker of each rank calls MPI";
  else if (world->options.thread_level == SCREE_THREAD_LEVEL_MULTIPLE)
    why = "with thread_level=multiple the workers call MPI at once";
  snprintf(text, size, "the option lock=%s has no effect: %s", names[world->options.lock], why);
}
