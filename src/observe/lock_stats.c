/* lock_stats.c - counts of the lock under which MPI is called. */
#include "observe/lock_stats.h"

#include "base/sized.h"

static const char *const names[] = {
    [SCREE_LOCK_MUTEX] = "mutex", [SCREE_LOCK_TICKET] = "ticket", [SCREE_LOCK_PRIORITY] = "priority"};

static bool is_entered(const scree_world *world) {
  return world->worker[0]->transport->lock != NULL;
}

static void add(const scree__worker *me, scree_lock_stats *to) {
  const scree__lock_user *user = me->transport->lock;
  if (!user) return;
  to->entries += user->entries;
  to->waits += user->waits;
  to->wait_ns += user->wait_ns;
  to->wasted += user->wasted;
  to->again += user->again;
  to->fair += user->fair;
  to->socket_again += user->socket_again;
  to->socket_fair += user->socket_fair;
  to->samples += user->samples;
  to->sampled_sends += user->sampled_sends;
  to->dangling_sends += user->dangling_sends;
  to->sampled_receives += user->sampled_receives;
  to->dangling_receives += user->dangling_receives;
}

static scree_lock_stats sum(const scree_world *world, scree__workers of) {
  scree_lock_stats s = {.size = sizeof s};
  for (uint32_t w = of.first; w < of.end; w++) add(world->worker[w], &s);
  return s;
}

scree_status scree_stats_lock(const scree_world *world, scree_lock_stats *stats) {
  const scree__workers these = scree__stats_readable(world);
  if (these.end == 0) return world ? SCREE_ESTATE : SCREE_EINVAL;
  const scree_lock_stats all = sum(world, these);
  return scree__sized_fill(stats, &all, sizeof all) ? SCREE_OK : SCREE_EINVAL;
}

static void print_socket_bias(const scree_world *world, const scree_lock_stats *s, FILE *to) {
  const uint32_t sockets = world->worker[0]->transport->lock->sockets;
  if (sockets == 0)
    fputs("unknown: the sockets of this machine are\n", to);
  else if (sockets == 1)
    fputs("none: the rank runs on one socket\n", to);
  else if (s->socket_fair == 0)
    fputs("unknown: no worker has waited\n", to);
  else
    fprintf(to, "%.2f\n", scree_lock_socket_bias(s));
}

static void print_samples(const scree_world *world, const scree_lock_stats *s, FILE *to) {
  fprintf(to,
          "    samples %llu: requests complete, but not noticed: sends %llu of %llu, receives %llu of %llu; bias by "
          "socket ",
          (unsigned long long)s->samples, (unsigned long long)s->dangling_sends, (unsigned long long)s->sampled_sends,
          (unsigned long long)s->dangling_receives, (unsigned long long)s->sampled_receives);
  print_socket_bias(world, s, to);
}

static void print_table(const scree_world *world, const scree_lock_stats *s, FILE *to) {
  fprintf(to, "  lock (%s): entries %llu, waits %llu (%.3f ms), polls that found nothing %llu, bias ",
          names[world->options.lock], (unsigned long long)s->entries, (unsigned long long)s->waits,
          1e-6 * (double)s->wait_ns, (unsigned long long)s->wasted);
  if (s->fair)
    fprintf(to, "%.2f\n", scree_lock_bias(s));
  else
    fputs("unknown: no worker has waited\n", to);
  if (world->options.lock_sample) print_samples(world, s, to);
}

static void print_json(const scree_lock_stats *s, FILE *to) {
  fprintf(to,
          ",\"lock_entries\":%llu,\"lock_waits\":%llu,\"lock_wait_ns\":%llu,\"lock_wasted\":%llu,\"lock_again\":%llu,"
          "\"lock_fair\":%llu,\"lock_socket_again\":%llu,\"lock_socket_fair\":%llu,\"lock_samples\":%llu,"
          "\"sampled_sends\":%llu,\"dangling_sends\":%llu,\"sampled_receives\":%llu,\"dangling_receives\":%llu",
          (unsigned long long)s->entries, (unsigned long long)s->waits, (unsigned long long)s->wait_ns,
          (unsigned long long)s->wasted, (unsigned long long)s->again, (unsigned long long)s->fair,
          (unsigned long long)s->socket_again, (unsigned long long)s->socket_fair, (unsigned long long)s->samples,
          (unsigned long long)s->sampled_sends, (unsigned long long)s->dangling_sends,
          (unsigned long long)s->sampled_receives, (unsigned long long)s->dangling_receives);
}

void scree__lock_print(const scree_world *world, scree__workers of, FILE *to, bool json) {
  const scree_lock_stats s = sum(world, of);
  if (json && world->options.lock_sample)
    print_json(&s, to);
  else if (!json && is_entered(world))
    print_table(world, &s, to);
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
