/* report.c - reports on tasks: why an epoch ends although some wait, in the hang report, in the statistics. */
#include <string.h>

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

/* Those that are summed over workers. */
#define STATS(X)                                                                                                       \
  X(spawned)                                                                                                           \
  X(run)                                                                                                               \
  X(switches)                                                                                                          \
  X(suspended)                                                                                                         \
  X(sends)                                                                                                             \
  X(live_peak)                                                                                                         \
  X(acknowledged)                                                                                                      \
  X(iterations)                                                                                                        \
  X(exposed)                                                                                                           \
  X(tries_here)                                                                                                        \
  X(steals_here)                                                                                                       \
  X(tries_elsewhere)                                                                                                   \
  X(steals_elsewhere)                                                                                                  \
  X(lifelines)                                                                                                         \
  X(lifelines_won)                                                                                                     \
  X(moved)                                                                                                             \
  X(idle_ns)                                                                                                           \
  X(epoch_ns)                                                                                                          \
  X(slices)                                                                                                            \
  X(live_sum)                                                                                                          \
  X(ready_sum)

static void add(const scree__tasks *t, scree_tasks_stats *to) {
  const uint64_t deepest = scree__stacks_deepest(&t->stacks, NULL);
#define ADD(field) to->field += t->stats.field;
  STATS(ADD)
#undef ADD
  if (deepest > to->stack_peak) to->stack_peak = deepest;
}

static void print_json(const scree_tasks_stats *s, FILE *to) {
  fputs(",\"tasks\":{", to);
#define PRINT(field) fprintf(to, "\"" #field "\":%llu,", (unsigned long long)s->field);
  STATS(PRINT)
#undef PRINT
  fprintf(to, "\"stack_peak\":%llu}", (unsigned long long)s->stack_peak);
}

static bool has_steals(const scree_tasks_stats *s) {
  return s->iterations || s->tries_here || s->tries_elsewhere || s->moved;
}

/* The present epoch counts too, up to now. */
static void print_steals(const scree__tasks *t, const scree_tasks_stats *s, FILE *to) {
  const uint64_t now = t->me->in_epoch ? scree__now(t->me) : 0;
  const uint64_t in_epochs = s->epoch_ns + (now ? now - t->began : 0);
  const uint64_t idle = s->idle_ns + (now && t->idle_since > SCREE__IDLE_ONCE ? now - t->idle_since : 0);
  fprintf(to,
          "  loops: iterations %llu; steals of this rank %llu of %llu tries, of others %llu of %llu, lifelines %llu of "
          "%llu, closures moved %llu; idle %.0f %%\n",
          (unsigned long long)s->iterations, (unsigned long long)s->steals_here, (unsigned long long)s->tries_here,
          (unsigned long long)s->steals_elsewhere, (unsigned long long)s->tries_elsewhere,
          (unsigned long long)s->lifelines_won, (unsigned long long)s->lifelines, (unsigned long long)s->moved,
          in_epochs ? 100.0 * (double)idle / (double)in_epochs : 0);
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
  if (has_steals(&t->stats)) print_steals(t, &t->stats, to);
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

/* ---- statistics, printed ---- */

void scree__tasks_print_stats(const scree__worker *me, const scree__holder *holder, FILE *to, bool json) {
  scree_tasks_stats s = {0};
  (void)me;
  add((const scree__tasks *)holder, &s);
  if (json) {
    print_json(&s, to);
    return;
  }
  fprintf(to,
          "  tasks: spawned %llu, run %llu, switches %llu, suspended %llu, sends by the worker's stack %llu, begun at "
          "once %llu, deepest stack %llu bytes, messages of scopes %llu\n",
          (unsigned long long)s.spawned, (unsigned long long)s.run, (unsigned long long)s.switches,
          (unsigned long long)s.suspended, (unsigned long long)s.sends, (unsigned long long)s.live_peak,
          (unsigned long long)s.stack_peak, (unsigned long long)s.acknowledged);
  if (has_steals(&s)) print_steals((const scree__tasks *)holder, &s, to);
}

scree_status scree_tasks_stats_read(const scree_world *world, scree_tasks_stats *stats) {
  const scree__worker *caller = scree__caller(world);
  if (!caller) return world ? SCREE_ESTATE : SCREE_EINVAL;
  if (!stats || stats->size < sizeof stats->size || !scree__tasks_of(world->worker[0])) return SCREE_EINVAL;
  scree_tasks_stats sum = {0};
  for (uint32_t w = 0; w < world->threads; w++)
    if (!world->running || world->worker[w] == caller) add(scree__tasks_of(world->worker[w]), &sum);
  const size_t size = stats->size, known = size < sizeof sum ? size : sizeof sum;
  sum.size = size;
  memcpy(stats, &sum, known);
  return SCREE_OK;
}
