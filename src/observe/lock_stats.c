/* lock_stats.c - counts of the lock under which MPI is called. */
#include "observe/lock_stats.h"

#include "base/counters.h"
#include "base/sized.h"

static const char *const names[] = {
    [SCREE_LOCK_MUTEX] = "mutex", [SCREE_LOCK_TICKET] = "ticket", [SCREE_LOCK_PRIORITY] = "priority"};

static bool is_entered(const scree_world *world) {
  return world->worker[0]->transport->lock != NULL;
}

#define COUNTER(FIELD, TEXT) SCREE__COUNTER_AS("lock_" #FIELD, scree_lock_stats, FIELD, SUM, TEXT)
const scree__counter scree__lock_counters[] = {
    COUNTER(entries, "entries"),
    COUNTER(waits, "waits"),
    COUNTER(wait_ns, "ns waited"),
    COUNTER(wasted, "polls that found nothing"),
    COUNTER(again, "entries of the same worker while others waited"),
    COUNTER(fair, "millionths of a fair choice"),
    COUNTER(socket_again, "entries of the same socket while others waited"),
    COUNTER(socket_fair, "millionths of a fair choice of sockets"),
    COUNTER(samples, "samples"),
    COUNTER(sampled_sends, "sends in them"),
    COUNTER(dangling_sends, "complete, but not noticed"),
    COUNTER(sampled_receives, "receives in them"),
    COUNTER(dangling_receives, "complete, but not noticed"),
    {0},
};
#undef COUNTER

static scree_lock_stats of_worker(const scree__worker *me) {
  const scree__lock_user *user = me->transport->lock;
  if (!user) return (scree_lock_stats){0};
  return (scree_lock_stats){.entries = user->entries,
                            .waits = user->waits,
                            .wait_ns = user->wait_ns,
                            .wasted = user->wasted,
                            .again = user->again,
                            .fair = user->fair,
                            .socket_again = user->socket_again,
                            .socket_fair = user->socket_fair,
                            .samples = user->samples,
                            .sampled_sends = user->sampled_sends,
                            .dangling_sends = user->dangling_sends,
                            .sampled_receives = user->sampled_receives,
                            .dangling_receives = user->dangling_receives};
}

static scree_lock_stats sum(const scree_world *world, scree__workers of) {
  scree_lock_stats s = {.size = sizeof s};
  for (uint32_t w = of.first; w < of.end; w++) {
    const scree_lock_stats one = of_worker(world->worker[w]);
    scree__counters_add(scree__lock_counters, &s, &one);
  }
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

static void print_table(const scree_world *world, const scree_lock_stats *s, FILE *to) {
  fprintf(to, "  lock (%s): ", names[world->options.lock]);
  scree__counters_print(scree__lock_counters, s, to, false);
  if (s->fair)
    fprintf(to, ", bias %.2f\n", scree_lock_bias(s));
  else
    fputs(", bias unknown: no worker has waited\n", to);
  if (!world->options.lock_sample) return;
  fputs("    bias by socket ", to);
  print_socket_bias(world, s, to);
}

void scree__lock_print(const scree_world *world, scree__workers of, FILE *to, bool json) {
  const scree_lock_stats s = sum(world, of);
  if (json && world->options.lock_sample)
    scree__counters_print(scree__lock_counters, &s, to, true);
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
