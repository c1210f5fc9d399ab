/* report.c - statistics of global memory, and the lines of the hang report on outstanding operations. */
#include <string.h>

#include "base/counters.h"
#include "core/epoch.h"
#include "global/operation.h"

#define COUNTER(FIELD, TEXT) SCREE__COUNTER(scree_global_stats, FIELD, SUM, TEXT)
const scree__counter scree__global_counters[] = {
    COUNTER(gets, "gets"),
    COUNTER(puts, "puts"),
    COUNTER(atomics, "atomics"),
    COUNTER(calls, "calls of delegates"),
    COUNTER(bytes, "bytes"),
    COUNTER(local, "by this rank's part"),
    COUNTER(direct, "by the node's"),
    COUNTER(requests, "requests"),
    COUNTER(words, "words without a request"),
    COUNTER(waits, "waits for fewer outstanding"),
    COUNTER(answered, "answered"),
    COUNTER(wait_ns, "ns until then in sum"),
    {0},
};
#undef COUNTER

/* Shared memory is counted by the rank that has reserved it, so once in a node. */
void scree__global_print_stats(const scree__worker *me, const scree__holder *holder, FILE *to, bool json) {
  const scree__globals *own = (const scree__globals *)holder;
  const scree__global_world *of = own->of;
  const scree_global_stats stats = scree__global_stats_of(own);
  const scree__node_reserved *mine = of->memory.reserved[me->head.rank];
  const unsigned long long taken = AO_load(&mine->low) + AO_load(&mine->high), heap = of->map.heap;
  fprintf(to, json ? ",\"global\":{\"heap\":%llu,\"reserved\":%llu" : "  global memory: heap %llu, reserved %llu, ",
          heap, me->head.index ? 0 : taken);
  scree__counters_print(scree__global_counters, &stats, to, json);
  fputs(json ? "}" : "\n", to);
}

scree_status scree_global_stats_read(const scree_world *world, scree_global_stats *stats) {
  const scree__worker *caller = scree__caller(world);
  if (!caller) return world ? SCREE_ESTATE : SCREE_EINVAL;
  if (!stats || stats->size < sizeof stats->size || !scree__globals_of(world->worker[0])) return SCREE_EINVAL;
  const size_t size = stats->size;
  scree_global_stats sum = {.size = size};
  for (uint32_t w = 0; w < world->threads; w++) {
    if (world->running && world->worker[w] != caller) continue;
    const scree_global_stats one = scree__global_stats_of(scree__globals_of(world->worker[w]));
    scree__counters_add(scree__global_counters, &sum, &one);
  }
  memcpy(stats, &sum, size < sizeof sum ? size : sizeof sum);
  return SCREE_OK;
}

/* Of those that task numbers identify. */
static void find_oldest_asked(const scree__globals *own, scree__slot_of *oldest, uint64_t *count) {
  for (uint32_t i = 0; i < own->asked_room; i++) {
    const scree_task *task = own->tasks->table[i];
    if (own->asked[i].generation % 2 == 0 || !task) continue;
    ++*count;
    if (!oldest->call || task->since < oldest->since)
      *oldest = (scree__slot_of){.call = task->why, .since = task->since, .owner = own->asked[i].owner};
  }
}

/* Counted when credits are granted: unused ones are subtracted. */
static uint64_t implicit_ones(const scree__globals *own) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < own->record_room; i++)
    if (own->record[i]) count += own->record[i]->left;
  return count - own->front.credit;
}

/* The request that waits longest, and how many do. */
void scree__global_report(const scree__worker *me, const scree__holder *holder, FILE *to) {
  const scree__globals *own = (const scree__globals *)holder;
  scree__slot_of oldest = {0};
  uint64_t count = 0;
  find_oldest_asked(own, &oldest, &count);
  for (uint32_t i = 0; i < own->slot_room; i++) {
    const scree__slot_of *slot = &own->slots[i];
    if (!slot->waiter) continue;
    count++;
    if (!oldest.call || slot->since < oldest.since) oldest = *slot;
  }
  if (count)
    fprintf(to, "  global memory: %llu requests are not answered, the oldest, %s of rank %u, since %llu us\n",
            (unsigned long long)count, oldest.call, oldest.owner,
            (unsigned long long)(scree__now(me) - oldest.since) / 1000);
  if (implicit_ones(own))
    fprintf(to, "  global memory: %llu implicit operations are not complete\n", (unsigned long long)implicit_ones(own));
  if (own->outstanding)
    fprintf(to, "  global memory: %llu asynchronous operations are outstanding%s\n",
            (unsigned long long)own->outstanding, own->first ? ", and tasks wait until there are fewer" : "");
}
