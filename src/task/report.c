/* report.c - reports on tasks: why an epoch ends although some wait, in the hang report, in the statistics. */
#include <string.h>

#include "base/counters.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "task/object.h"
#include "task/steal.h"

enum { ROWS = 16 }; /* of the hang report, at most */

static const scree_task *oldest(const scree__tasks *t) {
  const scree_task *found = NULL;
  for (uint32_t i = 0; i < t->table_room; i++)
    if (t->table[i] && scree__is_asleep(t->table[i]) && (!found || t->table[i]->since < found->since))
      found = t->table[i];
  return found;
}

static uint32_t not_begun(const scree__tasks *t) {
  return scree__closures_count(&t->private) + scree__closures_count(&t->public);
}

static void say_parked(const scree__tasks *t, char *text, size_t size) {
  const char *type = "";
  const uint32_t count = scree__count_parked(t, &type);
  snprintf(text, size,
           "all messages of the epoch have been handled, and %u tasks of name_then on this worker wait for a future "
           "that cannot be set any more: the oldest, of type '%s'",
           count, type);
}

/* All messages have been handled and no task is ready: no task that sleeps now will be woken, and no future set. */
bool scree__tasks_verdict(const scree__worker *me, const scree__holder *holder, char *text, size_t size) {
  const scree__tasks *t = (const scree__tasks *)holder;
  if (!t->asleep && !t->latest_parked) return false;
  const scree_task *task = size ? oldest(t) : NULL;
  if (size && !task) say_parked(t, text, size);
  if (!task) return true;
  snprintf(text, size,
           "all messages of the epoch have been handled, and %u tasks of this worker wait for an event that cannot "
           "occur any more: the oldest, of type '%s', waits for %s since %llu us%s",
           t->asleep, task->closure.type->name, task->why, (unsigned long long)(scree__now(me) - task->since) / 1000,
           t->no_stack ? "; tasks that have not begun found no memory for a stack" : "");
  return true;
}

/* ---- statistics ---- */

#define COUNTER(FIELD, OF, TEXT) SCREE__COUNTER(scree_tasks_stats, FIELD, OF, TEXT)
const scree__counter scree__tasks_counters[] = {
    COUNTER(spawned, SUM, "spawned"),
    COUNTER(run, SUM, "run"),
    COUNTER(switches, SUM, "switches"),
    COUNTER(suspended, SUM, "suspended"),
    COUNTER(sends, SUM, "sends by the worker's stack"),
    COUNTER(live_peak, RANKS, "begun at one time"),
    COUNTER(stack_peak, MAX, "bytes of the deepest stack"),
    COUNTER(acknowledged, SUM, "messages of scopes"),
    COUNTER(iterations, SUM, "iterations"),
    COUNTER(exposed, SUM, "closures exposed"),
    COUNTER(tries_here, SUM, "tries to steal in this rank"),
    COUNTER(steals_here, SUM, "steals in this rank"),
    COUNTER(tries_elsewhere, SUM, "tries to steal from other ranks"),
    COUNTER(steals_elsewhere, SUM, "steals from other ranks"),
    COUNTER(lifelines, SUM, "lifelines"),
    COUNTER(lifelines_won, SUM, "lifelines that brought work"),
    COUNTER(moved, SUM, "closures moved"),
    COUNTER(idle_ns, SUM, "ns without a task"),
    COUNTER(epoch_ns, SUM, "ns of epochs"),
    COUNTER(slices, SUM, "slices"),
    COUNTER(live_sum, SUM, "tasks begun in their sum"),
    COUNTER(ready_sum, SUM, "ready in their sum"),
    {0},
};
#undef COUNTER

/* The present epoch counts too, up to now. */
static scree_tasks_stats until_now(const scree__tasks *t) {
  scree_tasks_stats s = t->stats;
  const uint64_t now = t->me->in_epoch ? scree__now(t->me) : 0;
  if (now) s.epoch_ns += now - t->began;
  if (now && t->idle_since > SCREE__IDLE_ONCE) s.idle_ns += now - t->idle_since;
  return s;
}

void scree__tasks_print_stats(const scree__worker *me, const scree__holder *holder, FILE *to, bool json) {
  const scree__tasks *t = (const scree__tasks *)holder;
  scree_tasks_stats s = until_now(t);
  (void)me;
  s.stack_peak = scree__stacks_deepest(&t->stacks, NULL);
  fprintf(to, json ? ",\"tasks\":{\"live\":%u" : "  tasks: live %u, ", t->live);
  scree__counters_print(scree__tasks_counters, &s, to, json);
  fputs(json ? "}" : "\n", to);
}

scree_status scree_tasks_stats_read(const scree_world *world, scree_tasks_stats *stats) {
  const scree__worker *caller = scree__caller(world);
  if (!caller) return world ? SCREE_ESTATE : SCREE_EINVAL;
  if (!stats || stats->size < sizeof stats->size || !scree__tasks_of(world->worker[0])) return SCREE_EINVAL;
  const size_t size = stats->size;
  scree_tasks_stats sum = {.size = size};
  for (uint32_t w = 0; w < world->threads; w++) {
    const scree__tasks *t = scree__tasks_of(world->worker[w]);
    if (world->running && world->worker[w] != caller) continue;
    scree_tasks_stats one = t->stats; /* of epochs that have ended */
    one.stack_peak = scree__stacks_deepest(&t->stacks, NULL);
    scree__counters_add(scree__tasks_counters, &sum, &one);
  }
  memcpy(stats, &sum, size < sizeof sum ? size : sizeof sum);
  return SCREE_OK;
}

/* ---- the hang report: tasks by type and what they wait for ---- */

typedef struct {
  const char *type, *why;
  uint32_t count;
  uint64_t since;
} row;

static void count_task(row *rows, uint32_t *n, const scree_task *task) {
  const char *why = scree__is_asleep(task) ? task->why : "its turn";
  uint32_t i = 0;
  while (i < *n && (rows[i].type != task->closure.type->name || strcmp(rows[i].why, why) != 0)) i++;
  if (i == ROWS) return;
  if (i == *n) rows[(*n)++] = (row){task->closure.type->name, why, 0, UINT64_MAX};
  rows[i].count++;
  if (task->since < rows[i].since) rows[i].since = task->since;
}

void scree__tasks_report(const scree__worker *me, const scree__holder *holder, FILE *to) {
  const scree__tasks *t = (const scree__tasks *)holder;
  row rows[ROWS];
  const char *type;
  uint32_t n = 0;
  fprintf(to, "  tasks: %u begun (%u ready, %u asleep), %u not begun, %u wait for a time, %u for a future%s\n", t->live,
          scree__ready_count(&t->ready), t->asleep, not_begun(t), scree__closures_count(&t->timed),
          scree__count_parked(t, &type), t->no_stack ? ", no memory for one more stack" : "");
  if (t->offers || t->asks)
    fprintf(to, "  steals: %u exposed to this rank%s%s, %u ranks wait for work of this one\n",
            t->offers ? scree__deque_count(t->deque) : 0, t->thief.asking ? ", a request is not answered" : "",
            t->thief.quiet ? ", has sent lifelines to its neighbours" : "",
            (uint32_t)__builtin_popcount(t->thief.wanted));
  const scree_tasks_stats stats = until_now(t);
  fputs("  tasks until now: ", to);
  scree__counters_print(scree__tasks_counters, &stats, to, false);
  fputc('\n', to);
  for (uint32_t i = 0; i < t->table_room; i++)
    if (t->table[i]) count_task(rows, &n, t->table[i]);
  for (uint32_t i = 0; i < n; i++)
    fprintf(to, "  tasks of type '%s': %u wait for %s, the oldest since %llu us\n", rows[i].type, rows[i].count,
            rows[i].why, (unsigned long long)(scree__now(me) - rows[i].since) / 1000);
}

/* ---- a trace ---- */

void scree__task_trace(const scree_task *self) {
  scree__tasks *t = scree__home(self);
  const uint64_t now = scree__now(t->me);
  scree__tracer_resume(&t->me->tracer, now, t->me->watch.idle_turns); /* a failure has ended its wait for a block */
  scree__ring_add(t->me->tracer.ring, (scree__event){.begin = t->slice_began,
                                                     .end = now,
                                                     .number = self->serial,
                                                     .type = self->closure.type->id,
                                                     .kind = SCREE__EVENT_TASK});
  t->slice_began = now;
}
