/* tasks.c - messages that are tasks: each runs once, at the worker that it was sent to, or at any if it may be stolen.
 * Some yield, some wait for tasks that they spawn in a scope, some for answers, some have objects; then what follows
 * from a message follows from them. An iteration of a loop is a message, too, and does what a task does. Where all
 * ranks are in one process, a scope may end only when all its tasks have returned, wherever they are. */
#include <scree/task_loop.h>
#include <string.h>

#include "traffic.h"

/* The arguments of every type of task begin with it. */
typedef struct {
  uint64_t random, reply; /* reply: the number of a future that it sets; 0: none */
  uint32_t from;
  uint8_t worker, depth, stays; /* worker: the sender; stays: it was sent to a worker */
  uint8_t scope;                /* open_tasks_of[] of its scope; 0: not counted */
} head;
typedef struct {
  head head;
  unsigned char more[SCREE_TASK_ARGS_MAX - sizeof(head)];
} large_head;
typedef struct {
  head head;
  unsigned char more[SCREE_LOOP_ARGS_MAX - sizeof(head)];
} large_loop_head;
typedef struct {
  uint64_t count, hash, last;
} total;
typedef struct {
  uint64_t future, value;
} question;
SCREE_MESSAGE(ask, question);
SCREE_LOOP(loop, head);
SCREE_LOOP(large_loop, large_loop_head);
SCREE_LOOP_REDUCED(sum, head, total);
SCREE_TASK(task, head);
SCREE_TASK(large_task, large_head);
_Static_assert(sizeof(head) == 24, "kinds.c says so");

static const kind *kind_of(const live_type *t) {
  return t->home->p->type[t->index].kind;
}

/* ---- scopes ---- */

enum { SCOPES = 256 };
/* 1 + the tasks that have been spawned in a scope and have not returned; 0: free. Relaxed: that a scope ends after its
 * tasks has to order these accesses too. */
static AO_t open_tasks_of[SCOPES];

/* 0: all are in use, or the ranks are in processes of their own. */
static uint8_t count_scope(const player *me) {
  for (uint32_t i = 1; i < SCOPES && me->home->driver->one_process; i++)
    if (!AO_load(&open_tasks_of[i]) && AO_compare_and_swap(&open_tasks_of[i], 0, 1)) return (uint8_t)i;
  return 0;
}

static void check_scope(player *me, uint8_t i) {
  const AO_t tasks = i ? AO_load(&open_tasks_of[i]) - 1 : 0;
  if (tasks) flaw(me, "a scope has ended before %zu of its tasks have returned", (size_t)tasks);
  if (i && !tasks) AO_store(&open_tasks_of[i], 0);
}

/* ---- sending ---- */

/* A task that may run anywhere is addressed to a worker that does not exist. */
static void spawn(player *me, message m, scree_scope *scope, uint8_t counted, uint64_t reply) {
  large_head item;
  unsigned char *bytes = (unsigned char *)&item;
  const size_t n = kind_of(m.type)->size;
  const bool stays = m.rank != me->w->rank || m.random & 1, later = (m.random >> 20 & 7) == 0 && !me->in_handler;
  for (size_t i = 0; i < sizeof item; i++) bytes[i] = (unsigned char)(m.random >> i % 8 * 8);
  item.head = (head){m.random, reply, me->w->rank, (uint8_t)me->w->index, (uint8_t)m.depth, stays, counted};
  if (counted) AO_fetch_and_add1(&open_tasks_of[counted]);
  if (!stays) m.rank = 0, m.worker = MOST_THREADS;
  count_bytes(me, n);
  count_sent(me, &m, &item, n);
  const task_type small = {m.type->tasks, m.type->id};
  const large_task_type large = {m.type->tasks, m.type->id};
  if (n > sizeof(head) && stays)
    large_task_spawn_on(me->w, large, scope, m.dest, item);
  else if (n > sizeof(head))
    large_task_spawn(me->w, large, scope, item);
  else if (stays)
    task_spawn_on(me->w, small, scope, m.dest, item.head);
  else if (later)
    task_spawn_by(me->w, small, scope, item.head, m.random % 100000);
  else
    task_spawn(me->w, small, scope, item.head);
}

void send_task(player *me, message *m) {
  spawn(me, *m, NULL, 0, 0);
}

/* Sends to a random worker; what is random in it. */
static uint64_t spawn_child(player *me, live_type *t, scree_scope *scope, uint8_t counted, uint64_t reply,
                            uint32_t depth) {
  message m = {.type = t, .depth = depth, .random = scree__draw(&me->random)};
  m.rank = below(&me->random, me->w->ranks);
  m.worker = below(&me->random, me->home->p->epoch[me->epoch].takers);
  m.dest = scree_worker_number(me->w, m.rank, m.worker);
  spawn(me, m, scope, counted, reply);
  return m.random;
}

/* ---- loops ---- */

typedef struct {
  scree_loop_policy policy;
  uint64_t begin, end, grain;
  total expected;
  large_loop_head args;
} plan;

static void combine_totals(void *kept, const void *value) {
  total *a = kept;
  const total *b = value;
  a->count += b->count;
  a->hash += b->hash;
  if (b->last > a->last) a->last = b->last;
}

/* One of the program's types, from a drawn one on; NULL: it has none. */
static live_type *loop_type_of(const home *h, uint64_t random) {
  for (uint32_t i = 0; i < h->p->types && h->p->loops; i++) {
    const live_type *t = &h->type[(random + i) % h->p->types];
    if (t->is_there && kind_of(t)->family == LOOP) return (live_type *)(uintptr_t)t;
  }
  return NULL;
}

/* Iteration i is addressed to a worker that does not exist. */
static message iteration(live_type *t, uint64_t i) {
  return (message){.type = t, .worker = MOST_THREADS + (uint32_t)i};
}

static void draw_loop(player *me, live_type *t, uint8_t counted, uint32_t depth, plan *p) {
  const uint64_t random = scree__draw(&me->random);
  const epoch_sums *e = &me->account->sum.epoch[me->epoch];
  const uint64_t before = e->sent_hash;
  const size_t n = kind_of(t)->size;
  p->policy = (scree_loop_policy)(random % 4);
  if (p->policy == SCREE_LOOP_REMOTE && me->w->ranks == 1) p->policy = SCREE_LOOP_LOCAL;
  p->begin = random >> 8 & 15;
  p->end = p->begin + (random >> 16) % (depth > 1 ? 6 : 24);
  p->grain = below(&me->random, p->end - p->begin + 2);
  memset(&p->args, (int)(random >> 40), sizeof p->args);
  p->args.head = (head){random, 0, me->w->rank, (uint8_t)me->w->index, (uint8_t)depth, 0, counted};
  if (counted) AO_fetch_and_add(&open_tasks_of[counted], p->end - p->begin);
  for (uint64_t i = p->begin; i < p->end; i++) {
    const message m = iteration(t, i);
    count_bytes(me, sizeof(head));
    count_sent(me, &m, &p->args, n);
  }
  count_bytes(me, n * me->w->ranks * me->w->threads);
  p->expected = (total){p->end - p->begin, e->sent_hash - before, p->end > p->begin ? p->end - 1 : 0};
}

void send_loop(player *me, live_type *t, scree_scope *scope, uint8_t counted, uint32_t depth) {
  plan p;
  draw_loop(me, t, counted, depth, &p);
  if (kind_of(t)->size > sizeof(head))
    large_loop_for_in(me->w, (large_loop_type){t->tasks, t->id, &me->home->loops}, scope, p.policy, p.begin, p.end,
                      p.grain, p.args);
  else
    loop_for_in(me->w, (loop_type){t->tasks, t->id, &me->home->loops}, scope, p.policy, p.begin, p.end, p.grain,
                p.args.head);
}

static scree_status reduce(scree_task *self, player *me, const live_type *t, const plan *p) {
  total all = {3, 0, 0};
  const scree_status status = sum_reduce(self, (sum_type){t->tasks, t->sums, &me->home->loops}, p->policy, p->begin,
                                         p->end, p->grain, p->args.head, &all);
  if (!status && (all.count - 3 != p->expected.count || all.hash != p->expected.hash || all.last != p->expected.last))
    flaw(me, "a loop from %llu to %llu has a result of %llu iterations", (unsigned long long)p->begin,
         (unsigned long long)p->end, (unsigned long long)all.count - 3);
  return status;
}

static scree_status wait_for_loop(scree_task *self, player *me, live_type *t, uint32_t depth) {
  plan p;
  const uint8_t counted = count_scope(me);
  draw_loop(me, t, counted, depth, &p);
  const scree_status status =
      kind_of(t)->size > sizeof(head) ? large_loop_for(self, (large_loop_type){t->tasks, t->id, &me->home->loops},
                                                       p.policy, p.begin, p.end, p.grain, p.args)
      : p.args.head.random >> 48 & 1  ? reduce(self, me, t, &p)
                                     : loop_for(self, (loop_type){t->tasks, t->id, &me->home->loops}, p.policy, p.begin,
                                                p.end, p.grain, p.args.head);
  if (!status) check_scope(me, counted);
  return status;
}

/* ---- running ---- */

static scree_status yield_some(scree_task *self, uint64_t random) {
  scree_status status = SCREE_OK;
  for (uint64_t i = random % 4; i > 0 && !status; i--) status = scree_task_yield(self);
  return status;
}

/* In a scope, or for a completion. Those that belong to a scope have children that do, too. */
static scree_status wait_for_children(scree_task *self, player *me, live_type *t, const head *item) {
  const bool completes = item->random >> 13 & 1;
  scree_scope *scope = completes ? NULL : scree_finish(self);
  if (completes ? scree_completion_open(me->w, &scope) : !scope) return scree_error(me->home->world);
  const uint8_t counted = count_scope(me);
  for (uint64_t i = 1 + item->random % 3; i > 0 && !me->over; i--) {
    const bool outer = i == 1 && scree_task_scope(self);
    scree_scope *in = outer ? scree_task_scope(self) : scope;
    if (kind_of(t)->family == LOOP)
      send_loop(me, t, in, outer ? item->scope : counted, item->depth - 1U);
    else
      spawn_child(me, t, in, outer ? item->scope : counted, 0, item->depth - 1U);
  }
  if (completes) scree_completion_enroll(scope, 2), scree_completion_complete(scope, 2);
  const scree_status status = completes ? scree_completion_wait(self, scope) : scree_finish_end(self, scope);
  if (status) return status;
  check_scope(me, counted);
  return completes ? scree_completion_close(scope) : SCREE_OK;
}

static void add_up(void *kept, const void *value) {
  *(uint64_t *)kept += *(const uint64_t *)value;
}
static void on_ask(scree_worker *w, const scree_batch *batch, const question *items, void *home_) {
  (void)home_;
  for (uint32_t i = 0; i < batch->count; i++)
    scree_future_set_at(w, items[i].future, &items[i].value, sizeof items[i].value);
}
SCREE_HANDLER(ask, question, on_ask);

/* A future is set by tasks, and by handlers, but not on a progress thread. */
static scree_status wait_for_replies(scree_task *self, player *me, live_type *t, const head *item) {
  scree_future reply;
  uint64_t sum = 0, expected = 0;
  const uint32_t n = 1 + (item->random >> 26 & 1);
  scree_status status = scree_future_open(me->w, &reply, sizeof sum, n, add_up);
  if (status) return status;
  for (uint32_t i = 0; i < n; i++) {
    const question one = {scree_future_number(&reply), scree__draw(&me->random)};
    if (one.value & 1 || has_progress(me->home->p)) {
      expected += spawn_child(me, t, NULL, 0, one.future, item->depth - 1U);
      continue;
    }
    expected += one.value;
    ask_send(me->w, (ask_type){me->home->ask_id}, below(&me->random, me->w->ranks), one);
  }
  status = item->random >> 27 & 1 ? scree_future_wait(self, &reply, &sum)
                                  : scree_future_wait_at(self, scree_future_number(&reply), &sum, sizeof sum);
  if (status) return status;
  if (sum != expected || !scree_future_test(&reply, NULL)) flaw(me, "a future has another value than it was set to");
  scree_future_close(&reply);
  return SCREE_OK;
}

static scree_status wait_for_something(scree_task *self, player *me, live_type *t, const head *item) {
  if (t->home->p->bytes && item->random >> 14 & 1) return act_on_memory(me, self);
  if (t->home->p->objects && (item->random >> 28 & 7) == 0 && !me->over) return use_objects(self, me, t);
  const uint64_t how = item->depth && !me->over ? item->random >> 8 & 3 : 0;
  live_type *loops =
      how && (kind_of(t)->family == LOOP || item->random >> 12 & 1) ? loop_type_of(t->home, item->random >> 16) : NULL;
  if (loops && how != 1) return wait_for_loop(self, me, loops, item->depth - 1U);
  if (loops) t = loops;
  return how == 1                         ? wait_for_children(self, me, t, item)
         : how == 2                       ? wait_for_replies(self, me, t, item)
         : how == 3 && t->home->p->global ? act_on_memory(me, self)
                                          : yield_some(self, item->random >> 10);
}

static void run(scree_task *self, const head *item) {
  live_type *t = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  player *me = player_of(t->home, w);
  const size_t n = kind_of(t)->size;
  const uint32_t rank = item->stays ? w->rank : 0, worker = item->stays ? w->index : MOST_THREADS;
  const uint64_t start = hash_start(t, me->epoch, rank, worker, item->from, item->worker);
  if (me->in_handler) flaw(me, "a task runs inside a handler");
  me->running = self;
  const uint64_t hash = take_bytes(me, t, start, (const unsigned char *)item, n);
  me->account->sum.totals.tasks++;
  if (me->running != self) flaw(me, "a task begins while another one handles a message");
  if (wait_for_something(self, me, t, item)) return;
  me->running = self;
  if (hash_bytes(start, item, n) != hash) flaw(me, "the arguments of a task have changed while it ran");
  if (item->depth) answer_or_postpone(me, item->depth, hash);
  if (item->reply) scree_future_set_at(w, item->reply, &item->random, sizeof item->random);
  if (me->running != self && !t->home->p->global) /* operations on it may wait too */
    flaw(me, "a task runs between two waits of another one");
  if (item->scope) AO_fetch_and_sub1(&open_tasks_of[item->scope]);
}
static void run_large(scree_task *self, const large_head *item) {
  run(self, &item->head);
}
SCREE_TASK_BODY(task, head, run);
SCREE_TASK_BODY(large_task, large_head, run_large);

static void run_range(scree_task *self, uint64_t begin, uint64_t end, const head *item, total *sum) {
  live_type *t = scree_task_arg(self);
  player *me = player_of(t->home, scree_task_worker(self));
  const size_t n = kind_of(t)->size;
  if (me->in_handler) flaw(me, "a loop runs inside a handler");
  if (sum && sum->count) flaw(me, "the result of a range does not begin as zero");
  for (uint64_t i = begin; i < end && !scree_error(me->home->world); i++) {
    head one = *item;
    const uint64_t start = hash_start(t, me->epoch, 0, iteration(t, i).worker, item->from, item->worker);
    const uint64_t hash = take_bytes(me, t, start, (const unsigned char *)item, n);
    me->account->sum.totals.iterations++;
    one.random = scree__hash_draw(item->random, i);
    if (wait_for_something(self, me, t, &one)) return;
    if (hash_bytes(start, item, n) != hash) flaw(me, "the arguments of a loop have changed while it ran");
    if (one.depth) answer_or_postpone(me, one.depth, hash);
    if (one.scope) AO_fetch_and_sub1(&open_tasks_of[one.scope]);
    if (sum) combine_totals(sum, &(total){1, hash, i});
  }
}
static void run_loop(scree_task *self, uint64_t begin, uint64_t end, const head *item) {
  run_range(self, begin, end, item, NULL);
}
static void run_large_loop(scree_task *self, uint64_t begin, uint64_t end, const large_loop_head *item) {
  run_range(self, begin, end, &item->head, NULL);
}
SCREE_LOOP_BODY(loop, head, run_loop);
SCREE_LOOP_BODY(large_loop, large_loop_head, run_large_loop);
SCREE_LOOP_REDUCED_BODY(sum, head, total, run_range, combine_totals);

/* ---- opening ---- */

static uint64_t steal_of(const program *p) {
  if (p->loops && traffic_stream(p, "no steals", 0) >> 16 & 1) return SCREE_STEAL_OFF;
  return traffic_stream(p, "steal", 0) >> 16 & 1 ? SCREE_STEAL_ALL : SCREE_STEAL_RANK;
}

scree_status open_tasks(home *h) {
  static const uint64_t live[] = {0, SCREE_UNSET, 1, 2};
  for (uint32_t i = 0; i < SCOPES; i++)
    AO_store(&open_tasks_of[i], 0); /* no worker runs tasks before all have opened them */
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 256 << 10; /* items of the largest type are passed by value */
  options.task_guard = traffic_stream(h->p, "guard", 0) >> 16 & 3 ? SCREE_TASK_GUARD_OFF : SCREE_TASK_GUARD_AUTO;
  options.task_live = live[h->p->tasks];
  if (h->p->tasks == 3) options.task_poll = 1;
  options.steal = steal_of(h->p);
  scree_distribution_init(&h->loops, (scree_distribution_kind)((traffic_stream(h->p, "map", 0) >> 16) % 3), 64,
                          h->p->ranks);
  ask_type ask = {0};
  scree_status status = scree_tasks_open(h->world, &options);
  if (!status) status = ask_register(h->world, h, &ask);
  h->ask_id = ask.id;
  return status || !h->p->objects ? status : open_objects(h);
}

scree_status register_tasks(live_type *t) {
  const bool is_large = kind_of(t)->size > sizeof(head);
  scree_world *world = t->home->world;
  scree_status status;
#define REGISTER(name)                                                                                                 \
  name##_type name##_is = {0};                                                                                         \
  status = name##_register(world, t, &name##_is);                                                                      \
  t->tasks = name##_is.of, t->id = name##_is.id
  if (kind_of(t)->family == LOOP && is_large) {
    REGISTER(large_loop);
  } else if (kind_of(t)->family == LOOP) {
    REGISTER(sum);
    t->sums = t->id;
    if (!status) {
      REGISTER(loop);
    }
  } else if (is_large) {
    REGISTER(large_task);
  } else {
    REGISTER(task);
  }
  t->is_there = status == SCREE_OK;
  return status;
}

/* Each steal brings at least one closure; none moves that may not. */
void check_steals(home *h) {
  scree_tasks_stats s = {.size = sizeof s};
  if (scree_tasks_stats_read(h->world, &s) || scree_error(h->world)) return;
  if (s.moved < s.steals_here + s.steals_elsewhere || (s.moved && steal_of(h->p) == SCREE_STEAL_OFF) ||
      (s.tries_elsewhere + s.lifelines && steal_of(h->p) != SCREE_STEAL_ALL) || (s.exposed && h->p->threads == 1))
    flaw(&h->player[0], "%llu closures have moved, %llu were exposed", (unsigned long long)s.moved,
         (unsigned long long)s.exposed);
}
