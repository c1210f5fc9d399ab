/* loop.c - loops: which ranks and workers get which iterations, and how a range is halved as it runs. A range is a
 * closure of the loop's type; its halves are closures of the same worker, where the last one runs first and thieves
 * take the first, which is the largest. */
#include "task/loop.h"

#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"

enum {
  GRAIN_NS = 2000,     /* that a range by time takes */
  UNTIMED_RANGES = 15, /* after one that took about as long */
  GUESS_MAX = 1 << 30
};

/* ---- copies ---- */

static void link_loop(scree__loop *loop, scree__loop **list) {
  loop->next = *list;
  loop->at = list;
  if (loop->next) loop->next->at = &loop->next;
  *list = loop;
}

static void unlink_loop(scree__loop *loop) {
  SCREE__INVARIANT(*loop->at == loop && (!loop->next || loop->next->at == &loop->next));
  *loop->at = loop->next;
  if (loop->next) loop->next->at = loop->at;
}

static scree__loop *make_loop(scree__tasks *t, const scree__task_type *type, const scree__loop_item *item,
                              const void *args) {
  if (t->lent) scree__loops_sweep(t);
  scree__loop *loop = malloc(sizeof *loop + type->loop_bytes);
  if (!loop) {
    scree__fail(t->me, SCREE_ENOMEM, "loop",
                "no memory for a loop of type '%s' with %u bytes of arguments: free memory", type->name,
                type->loop_bytes);
    return NULL;
  }
  const uint64_t first = scree__first_count(&t->me->world->options, SCREE__COUNTS_RANGES);
  *loop = (scree__loop){.type = type, .ranges = first, .stolen = first, .guess = 1, .of = *item};
  memcpy(loop->args, args, type->loop_bytes);
  link_loop(loop, &t->loops);
  return loop;
}

static void free_loop(scree__loop *loop) {
  unlink_loop(loop);
  free(loop);
}

/* Acquire: the thieves have copied what they need. */
static bool is_done(const scree__loop *loop) {
  return loop->ranges == AO_load_acquire(&loop->stolen);
}

void scree__loops_sweep(scree__tasks *t) {
  for (scree__loop *loop = t->lent, *next; loop; loop = next) {
    next = loop->next;
    if (is_done(loop)) free_loop(loop);
  }
}

void scree__loops_free(scree__tasks *t) {
  while (t->loops) free_loop(t->loops);
  while (t->lent) free_loop(t->lent);
}

void scree__loop_lend(scree__tasks *t, scree__loop *loop) {
  if (loop->lent) return;
  loop->lent = true;
  unlink_loop(loop);
  link_loop(loop, &t->lent);
}

/* One range less. Of a loop that was lent, it is checked later whether a thief has the last one. */
static void leave_loop(scree__loop *loop) {
  SCREE__INVARIANT(loop->ranges != AO_load(&loop->stolen));
  loop->ranges--;
  if (is_done(loop)) free_loop(loop);
}

/* ---- ranges ---- */

/* Those of a mapped loop are not stolen: they are the first among the closures that were sent here. */
static void add_range(scree__tasks *t, scree_scope *scope, scree__loop *loop, uint64_t from, uint64_t to) {
  const scree__range range = {loop, from, to};
  const bool added = loop->of.policy == SCREE_LOOP_BY_MAP ? scree__spawn_first(t, loop->type, scope, &range)
                                                          : scree__spawn_here(t, loop->type, scope, &range);
  if (added) loop->ranges++;
}

/* One call, of iterations. */
static void call_body(scree_task *self, const scree__loop *loop, uint64_t begin, uint64_t end) {
  uint64_t value[SCREE__OBJECT_WORDS] = {0};
  loop->type->body(self, begin, end, loop->args, value);
  if (loop->type->value_bytes && !scree__home(self)->me->failed)
    scree__scope_combine(self->closure.scope, loop->type, value);
}

static void run_mapped(scree_task *self, const scree__range *range) {
  const scree__loop *loop = range->loop;
  const uint32_t rank = scree__home(self)->me->head.rank;
  for (uint64_t i = range->from; i < range->to; i++) {
    const uint64_t global = scree_distribution_global(&loop->of.map, rank, i);
    if (global >= loop->of.begin && global < loop->of.end) call_body(self, loop, global, global + 1);
  }
}

static void run_body(scree_task *self, const scree__range *range) {
  const scree__loop *loop = range->loop;
  uint64_t first = 0;
  if (loop->of.policy == SCREE_LOOP_BY_MAP) {
    if (loop->of.map.kind != SCREE_DISTRIBUTION_BLOCK) {
      run_mapped(self, range);
      return;
    }
    first = scree_distribution_global(&loop->of.map, scree__home(self)->me->head.rank, 0);
  }
  call_body(self, loop, first + range->from, first + range->to);
}

/* A body that has waited is not timed: others ran meanwhile. The grain stays small, so that many wait at once. */
static void adapt(scree__loop *loop, uint64_t iterations, uint64_t ns) {
  const uint64_t guess = loop->guess, max = 2 * guess < GUESS_MAX ? 2 * guess : GUESS_MAX;
  const uint64_t fits = iterations * GRAIN_NS / (ns + 1);
  loop->guess = fits > max ? max : fits < guess / 2 ? guess / 2 : fits;
  if (!loop->guess) loop->guess = 1;
  loop->untimed = ns > GRAIN_NS / 4 && ns < 2 * GRAIN_NS ? UNTIMED_RANGES : 0;
}

static void run_timed(scree_task *self, const scree__range *range) {
  scree__tasks *t = scree__home(self);
  scree__loop *loop = range->loop;
  const uint64_t switches = t->stats.switches, began = scree__now(t->me);
  run_body(self, range);
  if (t->stats.switches == switches) adapt(loop, range->to - range->from, scree__now(t->me) - began);
}

static void run_whole(scree_task *self, const scree__range *range) {
  scree__loop *loop = range->loop;
  scree__home(self)->stats.iterations += range->to - range->from;
  if (loop->of.grain || loop->untimed) {
    loop->untimed -= !loop->of.grain;
    run_body(self, range);
  } else {
    run_timed(self, range);
  }
}

/* The function of a loop's type of tasks. */
void scree__run_range(scree_task *self, const void *args) {
  scree__tasks *t = scree__home(self);
  scree__range range = *(const scree__range *)args;
  scree__loop *loop = range.loop;
  const uint64_t grain = loop->of.grain ? loop->of.grain : loop->guess;
  while (range.to - range.from > grain && !t->me->failed) {
    const uint64_t half = range.from + (range.to - range.from) / 2;
    add_range(t, self->closure.scope, loop, half, range.to);
    range.to = half;
  }
  if (t->me->failed) return;
  run_whole(self, &range);
  leave_loop(loop);
}

/* ---- a range arrives at a worker ---- */

static uint32_t taking(const scree__tasks *t) {
  return t->me->end.taking;
}

/* The scope's count comes first: the send may run the handler of its acknowledgement. */
static void send_item(scree__tasks *t, const scree__task_type *type, scree_scope *scope, uint32_t dest,
                      scree__loop_item item, const void *args) {
  item.scope = scope ? scope->id : 0;
  if (scope) scope->outstanding++;
  scree__send_two(t->me, type->id, dest, &item, sizeof item, args, type->loop_bytes);
}

/* Each worker of the rank that takes part gets an equal part. */
static void arrive(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const scree__loop_item *item,
                   const void *args) {
  const uint32_t workers = item->spread ? taking(t) : 1, own = item->spread ? t->me->head.index : 0;
  scree__loop_item part = *item;
  part.spread = false;
  for (uint32_t w = 0; w < workers && !t->me->failed; w++) {
    uint64_t from, to;
    scree_distribution_block_range(item->to - item->from, w, workers, &from, &to);
    if (from == to) continue;
    part.from = item->from + from;
    part.to = item->from + to;
    scree__loop *loop = w == own ? make_loop(t, type, &part, args) : NULL;
    if (loop)
      add_range(t, scope, loop, part.from, part.to);
    else if (w != own)
      send_item(t, type, scope, scree_worker_number(&t->me->head, t->me->head.rank, w), part, args);
  }
}

static void on_arrived(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const char *from,
                       bool stolen) {
  scree__loop_item item;
  (void)stolen; /* it is not spread */
  memcpy(&item, from, sizeof item);
  if (scope) scree__scope_enter(scope);
  arrive(t, type, scope, &item, from + sizeof item);
  if (scope) scree__scope_leave(scope);
}

void scree__on_loop(scree_worker *worker, const scree_batch *batch, const void *items, void *type_arg) {
  const scree__task_type *type = type_arg;
  scree__closures_arrive(worker, batch, items, sizeof(scree__loop_item) + type->loop_bytes, type, on_arrived);
}

/* ---- stolen ---- */

bool scree__loop_adopt(scree__tasks *t, scree__closure *closure) {
  scree__range range;
  memcpy(&range, closure->args, sizeof range);
  scree__loop *loop = make_loop(t, closure->type, &range.loop->of, range.loop->args);
  AO_fetch_and_add1_release(&range.loop->stolen);
  if (!loop) return false;
  loop->ranges++;
  range.loop = loop;
  memcpy(closure->args, &range, sizeof range);
  return true;
}

void scree__loop_send(scree__tasks *t, uint32_t dest, uint64_t scope, const scree__closure *closure) {
  scree__range range;
  memcpy(&range, closure->args, sizeof range);
  scree__loop_item item = range.loop->of;
  item.scope = scope;
  item.from = range.from;
  item.to = range.to;
  item.spread = false;
  scree__send_two(t->me, closure->type->id, dest, &item, sizeof item, range.loop->args, closure->type->loop_bytes);
  leave_loop(range.loop);
}

/* ---- starting ---- */

/* What a rank has of a mapped loop, by local index; with other distributions than blocks possibly some that the loop
 * does not have. */
static void mapped_part(const scree__loop_call *call, uint32_t rank, uint64_t *from, uint64_t *to) {
  const scree_distribution *map = call->map;
  const uint64_t count = scree_distribution_count(map, rank);
  *from = 0;
  *to = count;
  if (map->kind == SCREE_DISTRIBUTION_HASH) return;
  const bool block = map->kind == SCREE_DISTRIBUTION_BLOCK;
  const uint64_t first = scree_distribution_global(map, rank, 0), step = block ? 1 : map->ranks;
  *from = call->begin > first ? (call->begin - first + step - 1) / step : 0;
  *to = call->end > first ? (call->end - first + step - 1) / step : 0;
  if (*to > count) *to = count;
  if (*from > *to) *from = *to;
}

/* What a rank has of the loop. */
static void part_of(const scree__loop_call *call, const scree__tasks *t, uint32_t rank, uint64_t *from, uint64_t *to) {
  const uint32_t ranks = t->me->head.ranks, own = t->me->head.rank;
  const bool elsewhere = call->policy == SCREE_LOOP_REMOTE;
  *from = call->begin;
  *to = rank == own ? call->end : call->begin;
  if (call->policy == SCREE_LOOP_LOCAL || call->begin == call->end) return;
  if (call->policy == SCREE_LOOP_BY_MAP) {
    mapped_part(call, rank, from, to);
    return;
  }
  *to = call->begin;
  if (elsewhere && rank == own) return;
  scree_distribution_block_range(call->end - call->begin, rank - (elsewhere && rank > own), ranks - elsewhere, from,
                                 to);
  *from += call->begin;
  *to += call->begin;
}

/* A loop of this rank alone is not divided where idle workers steal: a nested one may be short. */
static bool spreads(const scree__tasks *t, const scree__loop_call *call) {
  return taking(t) > 1 && (call->policy != SCREE_LOOP_LOCAL || !t->offers);
}

static void start(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const scree__loop_call *call) {
  const uint64_t all = call->end - call->begin, grain = call->grain < all ? call->grain : all;
  scree__loop_item item = {
      .begin = call->begin, .end = call->end, .grain = grain, .policy = call->policy, .spread = spreads(t, call)};
  if (call->policy == SCREE_LOOP_BY_MAP) item.map = *call->map;
  if (scope) scree__scope_enter(scope);
  const uint32_t ranks = t->me->head.ranks, own = t->me->head.rank;
  for (uint32_t i = 1; i <= ranks && !t->me->failed; i++) {
    const uint32_t rank = (own + i) % ranks;
    part_of(call, t, rank, &item.from, &item.to);
    if (item.from == item.to) continue;
    if (rank == own)
      arrive(t, type, scope, &item, call->args);
    else
      send_item(t, type, scope, scree_worker_number(&t->me->head, rank, t->me->head.index), item, call->args);
  }
  if (scope) scree__scope_leave(scope);
}

/* NULL: the call is legal; else the reason why it is not. */
static const char *why_not(const scree__tasks *t, const scree__loop_call *call) {
  const uint32_t ranks = t->me->head.ranks;
  if (call->policy > SCREE_LOOP_BY_MAP) return "policy: legal are SCREE_LOOP_PARTITION, _LOCAL, _REMOTE, _BY_MAP";
  if (call->begin > call->end) return "begin is after end: legal is begin <= end";
  if (call->policy == SCREE_LOOP_REMOTE && ranks == 1)
    return "SCREE_LOOP_REMOTE with one rank: legal with 2 and more; use SCREE_LOOP_PARTITION";
  if (call->policy != SCREE_LOOP_BY_MAP) return NULL;
  if (!call->map) return "SCREE_LOOP_BY_MAP without a map: set the field map of the loop's type to a distribution";
  if (call->map->ranks != ranks) return "the map is of another number of ranks than the world has";
  return call->end > call->map->n ? "end is above the number of elements of the map" : NULL;
}

static bool is_right(scree__tasks *t, const scree__task_type *type, const scree__loop_call *call, const char *name) {
  const char *why = why_not(t, call);
  if (why)
    scree__fail(t->me, SCREE_EINVAL, name, "loop of type '%s', iterations %llu to %llu, grain %llu: %s", type->name,
                (unsigned long long)call->begin, (unsigned long long)call->end, (unsigned long long)call->grain, why);
  return !why;
}

/* The loop's type, if it is one of this world. */
static const scree__task_type *type_of(scree__tasks *t, const scree__loop_call *call, const char *name) {
  if (call->of == t->of) return call->of->type[call->id];
  scree__fail(t->me, SCREE_EINVAL, name, "a loop type that is not of this world: register it with this one");
  return NULL;
}

void scree__loop_for_in(scree_worker *worker, scree_scope *scope, const scree__loop_call *call) {
  const char *name = "for_in";
  scree__tasks *t = scree__tasks_for(worker, name);
  const scree__task_type *type = t && !t->me->failed ? type_of(t, call, name) : NULL;
  if (type && is_right(t, type, call, name) && scree__scope_is_here(t, scope, name, type->name))
    start(t, type, scope, call);
}

/* Other workers wait for their ranges, and this task for them: so the messages are published now. */
scree_status scree__loop_for(scree_task *self, const scree__loop_call *call, void *out) {
  const char *name = out ? "reduce" : "for";
  scree_status status = scree__task_may_wait(self, "a loop that waits (outside of tasks call name_for_in)");
  if (status) return status;
  scree__tasks *t = scree__home(self);
  const scree__task_type *type = type_of(t, call, name);
  if (!type || !is_right(t, type, call, name)) return SCREE_EINVAL;
  scree_scope *scope = scree_finish(self);
  if (!scope) return t->me->failed ? t->me->failure.status : SCREE_ENOMEM;
  start(t, type, scope, call);
  if (scope->outstanding) scree_flush(&t->me->head, type->id);
  return scree__finish_reduced(self, scope, out);
}
