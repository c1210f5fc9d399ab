/* operation.c - how operations begin: each is done at once where its bytes are this rank's, or the node's and
 * global_direct allows it; else it is one request for each owner and SCREE__GLOBAL_CHUNK bytes. */
#include "global/operation.h"

#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"

/* An operation as it is issued. */
typedef struct {
  scree__globals *own;
  const scree__global_op *op;
  scree__waiter *waiter;
  bool waits;      /* the caller does nothing until it is complete */
  bool asks;       /* and its task's number identifies its one request */
  char *to, *from; /* where the result goes; where the bytes come from */
} issue;

/* Bytes of one owner. */
typedef struct {
  uint32_t owner;
  uint64_t offset, bytes;
} share;

static bool is_atomic(const scree__global_op *op) {
  return op->kind > SCREE__GLOBAL_PUT && op->kind < SCREE__GLOBAL_CALL;
}

/* Of a delegate, or an old value, or bytes that are read; 0: it has no result. */
static uint64_t result_bytes(const scree__global_op *op) {
  if (op->kind == SCREE__GLOBAL_GET) return op->bytes;
  if (op->kind == SCREE__GLOBAL_GATHER) return op->bytes * op->value;
  return op->delegate ? op->delegate->result : is_atomic(op) ? sizeof(uint64_t) : 0;
}

/* ---- legality ---- */

static bool wrong(scree__globals *own, const scree__global_op *op, const char *what) {
  const scree_global_map *map = &own->of->map;
  scree__fail(own->me, SCREE_EINVAL, op->call, "%llu bytes at address %llx (rank %u, byte %llu of its part): %s",
              (unsigned long long)op->bytes, (unsigned long long)op->address, scree_global_owner(map, op->address),
              (unsigned long long)scree_global_offset(map, op->address), what);
  return false;
}

static bool is_within(const scree_global_map *map, const scree__global_op *op) {
  const bool linear = scree_global_is_linear(op->address);
  const uint64_t at = linear ? op->address : scree_global_offset(map, op->address);
  const uint64_t end = linear           ? map->heap * map->ranks
                       : at < map->heap ? map->heap
                                        : SCREE_GLOBAL_HEAP_MAX; /* after the heap its rank knows */
  return op->address && at <= end && op->bytes <= end - at &&
         (linear || scree_global_owner(map, op->address) < map->ranks);
}

bool scree__global_check(scree__globals *own, const scree__global_op *op) {
  if (op->kind >= SCREE__GLOBAL_GATHER) return true; /* each element is checked */
  if (!is_within(&own->of->map, op))
    return wrong(
        own, op,
        "outside of the heap: use addresses of allocations that are not freed (global_heap is the size of a part)");
  if (op->kind == SCREE__GLOBAL_COPY) {
    scree__global_op from = *op;
    from.address = op->expected;
    from.kind = SCREE__GLOBAL_GET;
    if (!scree__global_check(own, &from)) return false;
  }
  if (is_atomic(op) && op->bytes != 4 && op->bytes != 8) return wrong(own, op, "atomics are on words of 4 or 8 bytes");
  if (is_atomic(op) && op->address % op->bytes)
    return wrong(own, op, "the word is not aligned to its size: allocations begin at multiples of 64");
  if (op->kind == SCREE__GLOBAL_PUT && !op->local && op->bytes > 8)
    return wrong(own, op, "a value has 1 to 8 bytes: use scree_put");
  if (op->kind == SCREE__GLOBAL_CALL && !scree__delegate_fits(&own->of->map, op))
    return wrong(own, op, "the object of a delegate must be in one stripe, and in one block of 4096 bytes of its part");
  if (op->delegate && op->delegate->of != own->of)
    return wrong(own, op, "a delegate of another world: register it with this one");
  return !scree__global_is_checked(own, op) || scree__global_is_live(own, op);
}

/* ---- here, or in memory of the node ---- */

/* auto: see docs/decisions/0055-global-memory.md. */
static bool is_direct(const issue *i, const share *s) {
  if (s->offset >= i->own->of->map.heap) return !i->op->delegate && s->owner == i->own->me->head.rank;
  return !i->op->delegate && scree__is_direct(i->own, s->owner, i->waits || s->bytes > 64);
}

/* One piece, of one owner. */
static void touch(const issue *i, char *p, uint64_t bytes, uint64_t at) {
  const scree__global_op *op = i->op;
  if (op->kind == SCREE__GLOBAL_GET) {
    scree__load(i->to + at, p, bytes);
  } else if (op->kind == SCREE__GLOBAL_PUT) {
    scree__store(p, i->from + at, bytes);
  } else if (op->kind == SCREE__GLOBAL_FILL) {
    scree__fill(p, bytes, scree__pattern_from(op->value, at));
  } else {
    const uint64_t old = scree__atomic(p, op->kind, bytes, op->value, op->expected);
    if (i->to) memcpy(i->to, &old, sizeof old);
  }
}

static void begin_in_order(const issue *i) {
  const bool implicit = i->waiter->how == SCREE__IMPLICITLY;
  if (!implicit || i->op->kind == SCREE__GLOBAL_GET) scree__begin_in_order(i->own, i->op->kind);
}
static void end_in_order(const issue *i) {
  if (i->waiter->how != SCREE__IMPLICITLY) scree__end_in_order(i->own, i->op->kind);
}

/* After this rank's part of the heap. */
static bool do_in_window(const issue *i, const share *s) {
  const bool writes = i->op->kind != SCREE__GLOBAL_GET;
  char *p = scree__window_at(i->own, s->offset, s->bytes, writes);
  if (!p && scree__window_at(i->own, s->offset, s->bytes, false)) return wrong(i->own, i->op, SCREE__READ_ONLY);
  if (!p) return wrong(i->own, i->op, "outside of the heap, and of what was exported, and of stacks of tasks");
  i->own->stats.local++;
  begin_in_order(i);
  touch(i, p, s->bytes, 0);
  end_in_order(i);
  return true;
}

static bool do_directly(const issue *i, const share *s) {
  if (s->offset >= i->own->of->map.heap) return do_in_window(i, s);
  const scree_global_map *map = &i->own->of->map;
  char *part = i->own->of->memory.area[s->owner];
  if (!scree__node_memory_has(&i->own->of->memory, s->owner, s->offset, s->bytes))
    return wrong(i->own, i->op,
                 "that rank's part has no memory there: use addresses of allocations that are not freed");
  ++*(s->owner == i->own->me->head.rank ? &i->own->stats.local : &i->own->stats.direct);
  begin_in_order(i);
  if (!scree_global_is_linear(i->op->address)) {
    touch(i, part + s->offset, s->bytes, 0);
  } else {
    for (uint64_t at = s->offset, n; at < s->offset + s->bytes; at += n) {
      const scree_address a = scree_global_linear(map, s->owner, at);
      n = scree_global_span(map, a);
      if (n > s->offset + s->bytes - at) n = s->offset + s->bytes - at;
      touch(i, part + at, n, a - i->op->address);
    }
  }
  end_in_order(i);
  return true;
}

/* ---- by messages ---- */

/* Of the worker's own stack. What others, or this worker, wait for must not stay in a lane until it is old. */
void scree__wait_a_turn(scree__worker *me) {
  if (!scree_progress(&me->head)) scree_flush(&me->head, SCREE_ALL);
}

/* Waits until fewer asynchronous operations are outstanding; on the worker's own stack for half of them, so that it
 * waits rarely. What this worker holds back, requests and answers, is published now. False: the world has failed. */
bool scree__wait_for_fewer(scree__globals *own, uint64_t weight) {
  scree__worker *me = own->me;
  const uint64_t max = own->outstanding_max - weight;
  if (own->outstanding <= max || me->in.handler) return !me->failed;
  own->stats.waits++;
  scree_flush(&me->head, SCREE_ALL);
  const uint64_t until = max < own->outstanding_max / 2 ? max : own->outstanding_max / 2;
  while (!me->on_own_stack && own->outstanding > until && !me->failed) scree__wait_a_turn(me);
  while (own->outstanding > max && !me->failed) {
    scree_task *self = own->tasks->current;
    self->next = NULL;
    if (own->last)
      own->last->next = self;
    else
      own->first = self;
    own->last = self;
    if (scree__task_sleep(self, SCREE__TASK_WAITS, "fewer operations (global_outstanding)")) return false;
  }
  return !me->failed;
}

static void fill_slot(const issue *i, scree__slot_of *slot, const share *s) {
  const scree__global_op *op = i->op;
  const bool linear = scree_global_is_linear(op->address);
  slot->asynchronous = !i->waits;
  slot->call = op->call;
  slot->since = i->own->tasks->now;
  slot->address = op->kind > SCREE__GLOBAL_PUT || !linear ? SCREE_NO_ADDRESS : op->address;
  slot->owner = s->owner;
  slot->offset = s->offset;
  slot->bytes = op->kind == SCREE__GLOBAL_GET ? s->bytes : result_bytes(op);
  slot->to = slot->bytes ? i->to : NULL;
  if (op->kind == SCREE__GLOBAL_GET && !linear)
    slot->to += s->offset - scree_global_offset(&i->own->of->map, op->address);
}

/* The bytes that are sent with a request: where they are, how many. */
static const void *data_of(const issue *i, const share *s, char *gathered, uint64_t *words, uint64_t *bytes) {
  const scree__global_op *op = i->op;
  const scree_global_map *map = &i->own->of->map;
  *bytes = op->kind == SCREE__GLOBAL_GET ? 0 : s->bytes;
  if (is_atomic(op)) {
    words[0] = op->value;
    words[1] = op->expected;
    *bytes = op->kind == SCREE__GLOBAL_COMPARE ? 2 * sizeof *words : sizeof *words;
    return words;
  }
  if (op->kind == SCREE__GLOBAL_FILL) {
    words[0] = scree__pattern_from(op->value, s->offset - scree_global_offset(map, op->address));
    *bytes = sizeof *words;
    return words;
  }
  if (!*bytes) return NULL;
  if (!scree_global_is_linear(op->address)) return i->from + (s->offset - scree_global_offset(map, op->address));
  scree__gather_bytes(map, op->address, s->owner, s->offset, s->bytes, i->from, gathered);
  return gathered;
}

/* What the head of its request has of it; 0: no memory, the world fails. */
static uint64_t take_slot(const issue *i, const share *s) {
  scree__globals *own = i->own;
  const uint32_t n = scree__slot_take(own, i->waiter);
  if (n == UINT32_MAX) return 0;
  scree__slot_of *slot = &own->slots[n];
  SCREE__INVARIANT(slot->waiter == i->waiter && slot->generation);
  fill_slot(i, slot, s);
  if (!i->waits) own->outstanding += scree__weight(own, slot->bytes);
  own->stats.requests++;
  return (uint64_t)slot->generation << 32 | n;
}

static bool send_request(const issue *i, const share *s) {
  scree__globals *own = i->own;
  char small[64];
  uint64_t words[2], bytes;
  const uint64_t result = i->op->kind == SCREE__GLOBAL_GET ? s->bytes : result_bytes(i->op);
  if (!i->waits && !scree__wait_for_fewer(own, scree__weight(own, result))) return false;
  const uint64_t head = i->asks ? scree__ask(own, s->owner) : take_slot(i, s);
  if (!head) return false;
  i->waiter->asked = i->asks;
  const scree__global_request r = {.head = head | (uint64_t)(i->to && result_bytes(i->op)) << SCREE__WANT_SHIFT |
                                           (uint64_t)i->op->kind << SCREE__KIND_SHIFT,
                                   .place = s->bytes << SCREE__OFFSET_BITS | s->offset};
  const uint32_t to = scree__global_worker_for(own, s->owner, s->offset);
  if (i->op->delegate) {
    scree__delegate_send(own, i->op, &r, to);
    return !own->me->failed;
  }
  char *gathered = s->bytes <= sizeof small ? small : scree__global_scratch(own);
  const void *data = data_of(i, s, gathered, words, &bytes);
  scree__global_send(own, own->of->request, to, &r, sizeof r, data, bytes);
  return !own->me->failed;
}

/* ---- all of an operation ---- */

static bool issue_share(issue *i, share s) {
  if (!s.bytes) return true;
  if (is_direct(i, &s)) return do_directly(i, &s);
  for (uint64_t left = s.bytes; left; left -= s.bytes, s.offset += s.bytes) {
    s.bytes = left < SCREE__GLOBAL_CHUNK ? left : SCREE__GLOBAL_CHUNK;
    if (!send_request(i, &s)) return false;
  }
  return true;
}

/* Of linear addresses each owner has one share, from the owner of the first byte on. */
static bool issue_linear(issue *i) {
  const scree_global_map *map = &i->own->of->map;
  const scree_address a = i->op->address, end = a + i->op->bytes;
  const uint64_t pieces = (end - 1) / (UINT64_C(1) << map->shift) - a / (UINT64_C(1) << map->shift) + 1;
  uint32_t owner = scree_global_owner(map, a);
  for (uint32_t n = 0; n < map->ranks && n < pieces; n++, owner = owner + 1 < map->ranks ? owner + 1 : 0) {
    const uint64_t from = scree_global_below(map, a, owner);
    if (!issue_share(i, (share){owner, from, scree_global_below(map, end, owner) - from})) return false;
  }
  return true;
}

static void count(scree__globals *own, const scree__global_op *op) {
  scree_global_stats *s = &own->stats;
  ++*(op->delegate ? &s->calls : is_atomic(op) ? &s->atomics : op->kind == SCREE__GLOBAL_GET ? &s->gets : &s->puts);
  s->bytes += op->bytes;
}

/* One request of one owner, which is answered by a word at most. */
static bool asks(const scree_global_map *map, const scree__global_op *op) {
  return op->bytes && result_bytes(op) <= sizeof(uint64_t) && op->bytes <= SCREE__GRANULE &&
         (!scree_global_is_linear(op->address) || op->bytes <= scree_global_span(map, op->address));
}

/* While it is issued it counts as one request more, so that it is not complete before. */
void scree__global_issue(scree__globals *own, const scree__global_op *op, scree__waiter *waiter, char *to) {
  const scree_global_map *map = &own->of->map;
  if (op->kind >= SCREE__GLOBAL_COPY) {
    waiter->may_ask = false;
    waiter->left++;
    (op->kind == SCREE__GLOBAL_COPY ? scree__issue_copy : scree__issue_indexed)(own, op, waiter, to);
    if (!own->me->failed) scree__waiter_release(own, waiter);
    return;
  }
  const bool waits =
      waiter->how == SCREE__BY_WAIT || waiter->how == SCREE__BY_STEP; /* a copy counts as one operation */
  issue i = {own,
             op,
             waiter,
             waits,
             waiter->may_ask && asks(map, op),
             to,
             op->local ? op->local : (void *)(uintptr_t)&op->value};
  count(own, op);
  waiter->left++;
  if (op->bytes == 0 || !scree_global_is_linear(op->address))
    issue_share(&i, (share){scree_global_owner(map, op->address), scree_global_offset(map, op->address), op->bytes});
  else
    issue_linear(&i);
  if (!own->me->failed) scree__waiter_release(own, waiter);
}

/* ---- the five forms of completion ---- */

static scree_status status_of(const scree__globals *own) {
  return own->me->failed ? own->me->failure.status : SCREE_OK;
}

scree_status scree__global_wait(scree_task *self, const scree__global_op *op) {
  scree_status status;
  if (op->kind <= SCREE__GLOBAL_PUT && op->bytes == 8 && !op->checked && scree__wait_for_word(self, op, &status))
    return status;
  if (op->delegate && !op->checked && scree__wait_for_call(self, op, &status)) return status;
  status = scree__task_may_wait(self, op->call);
  if (status) return status;
  scree__globals *own = scree__globals_for(scree_task_worker(self), op->call);
  if (!own) return SCREE_ESTATE;
  if (!scree__global_check(own, op)) return status_of(own);
  scree__waiter waiter = {.how = SCREE__BY_WAIT, .may_ask = true};
  scree__global_issue(own, op, &waiter, op->local);
  if (waiter.asked) return scree__wait_for_answer(own, self, op->call, op->local, op->local ? result_bytes(op) : 0);
  if (!waiter.left || own->me->failed) return status_of(own);
  waiter.sleeper = self;
  return scree__task_sleep(self, SCREE__TASK_WAITS, op->call);
}

scree_status scree__global_poll(scree_worker *worker, const scree__global_op *op) {
  scree__globals *own = scree__globals_for(worker, op->call);
  if (!own || scree__outside_handlers(own->me, op->call)) return SCREE_ESTATE;
  if (!scree__global_check(own, op)) return status_of(own);
  scree__waiter waiter = {.how = SCREE__BY_WAIT};
  scree__global_issue(own, op, &waiter, op->local);
  while (waiter.left && !own->me->failed) scree__wait_a_turn(own->me);
  return status_of(own);
}

/* NULL: nothing is to be done. */
static scree__globals *begin(scree_worker *worker, const scree__global_op *op) {
  scree__globals *own = scree__globals_for(worker, op->call);
  return own && !own->me->failed && scree__global_check(own, op) ? own : NULL;
}

scree__waiter *scree__new_waiter(scree__globals *own, const char *call, scree__completes how, void *target) {
  scree__waiter *w = scree__freelist_get(&own->waiters, sizeof *w);
  if (w)
    *w = (scree__waiter){.how = how, .key = scree__issuer(own), .target = target};
  else
    scree__fail(own->me, SCREE_ENOMEM, call, "no memory for one more operation: free memory on this host");
  return w;
}

void scree__global_into(scree_worker *worker, scree_future *future, const scree__global_op *op) {
  scree__globals *own = begin(worker, op);
  if (!own) return;
  if (!op->local && result_bytes(op) > SCREE_FUTURE_MAX) {
    wrong(own, op, "more than a future holds (SCREE_FUTURE_MAX): pass the memory that they go to");
    return;
  }
  scree__waiter *w = scree__new_waiter(own, op->call, SCREE__BY_FUTURE, future);
  if (!w) return;
  if (result_bytes(op)) {
    w->result = op->local ? op->local : w->value;
    w->result_bytes = result_bytes(op);
  }
  scree__global_issue(own, op, w, (char *)(uintptr_t)w->result);
}

void scree__global_in(scree_worker *worker, scree_completion *completion, const scree__global_op *op) {
  scree__globals *own = begin(worker, op);
  scree__waiter *w = own ? scree__new_waiter(own, op->call, SCREE__BY_COMPLETION, completion) : NULL;
  if (w && !scree_completion_enroll(completion, 1)) scree__global_issue(own, op, w, op->local);
}

void scree__global_implicit(scree_worker *worker, const scree__global_op *op) {
  scree__globals *own = scree__globals_for(worker, op->call);
  if (!own || own->me->failed || scree__implicit_word(own, op) || scree__implicit_call(own, op)) return;
  if (own->me->failed || !scree__global_check(own, op)) return;
  scree__waiter *w = scree__implicit_of(own, true);
  if (w) scree__global_issue(own, op, w, op->local);
}
