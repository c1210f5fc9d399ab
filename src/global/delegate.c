/* delegate.c - functions that run where an object is: each has a type of messages of its own, a request with its
 * arguments, and is answered as other operations are. All on the same granule are handled by one worker, whose own
 * tasks run them directly. */
#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

enum { RESULT_MAX = 4096 };

/* A result may hold values of any type. */
typedef struct {
  _Alignas(16) char result[RESULT_MAX], args[RESULT_MAX];
} frame;

static bool is_small(const scree__delegate *d) {
  return d->args <= sizeof(uint64_t) && d->result <= sizeof(uint64_t);
}

/* Its result, if it is wanted. */
static void answer(scree__globals *own, const scree__delegate *d, const scree_batch *batch, uint64_t head,
                   const void *result) {
  const uint32_t to = scree__sender(own->me, batch);
  const bool wants = head >> SCREE__WANT_SHIFT & 1;
  uint64_t reply[2] = {head};
  if (own->me->failed || head & SCREE__COUNTED) return;
  if (d->result > sizeof reply[1] || !wants) {
    scree__global_answer(own, to, head, result, wants ? d->result : 0);
    return;
  }
  memcpy(&reply[1], result, sizeof reply[1]);
  own->answers |= 1 << 1;
  scree__send(own->me, own->of->reply[1], to, reply, sizeof reply);
}

static void call_large(scree__globals *own, const scree__delegate *d, const scree_batch *batch, uint64_t head,
                       char *object, const char *args) {
  frame f;
  memset(f.result, 0, d->result < sizeof(uint64_t) ? sizeof(uint64_t) : d->result);
  memcpy(f.args, args, d->args);
  d->fn(&own->me->head, object, f.args, f.result, d->arg);
  answer(own, d, batch, head, f.result);
}

static inline void call(scree__globals *own, const scree__delegate *d, const scree_batch *batch,
                        const scree__global_request *r, const char *args) {
  const uint64_t offset = r->place & (SCREE_GLOBAL_HEAP_MAX - 1), bytes = r->place >> SCREE__OFFSET_BITS;
  char *object = scree__global_find(own, batch, offset, bytes);
  if (!object) return;
  if (!is_small(d)) {
    call_large(own, d, batch, r->head, object, args);
    return;
  }
  uint64_t word = 0, result = 0;
  if (d->args == sizeof word)
    memcpy(&word, args, sizeof word);
  else
    memcpy(&word, args, d->args);
  d->fn(&own->me->head, object, &word, &result, d->arg);
  answer(own, d, batch, r->head, &result);
}

/* Implicit ones of one task that follow one another are answered together. */
static void on_call(scree_worker *worker, const scree_batch *batch, const void *items, void *delegate) {
  const scree__delegate *d = delegate;
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const size_t bytes = sizeof(scree__global_request) + d->args;
  uint64_t who = 0, counted = 0;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    const char *item = (const char *)items + i * bytes;
    scree__global_request r;
    scree__global_prefetch(own, (const char *)items + scree_batch_ahead(batch, i, SCREE__AHEAD) * bytes +
                                    offsetof(scree__global_request, place));
    memcpy(&r, item, sizeof r);
    call(own, d, batch, &r, item + sizeof r);
    if (!(r.head & SCREE__COUNTED)) continue;
    if (counted && who != (r.head & SCREE__NO_SLOT)) {
      scree__words_done(own, batch, who, counted);
      counted = 0;
    }
    who = r.head & SCREE__NO_SLOT;
    counted++;
  }
  if (own->me->failed) return;
  scree__words_done(own, batch, who, counted);
  scree__global_answers_leave(own, batch);
}

/* ---- of a task, on an object of its own worker: a handler all the same, so what it sends runs no others. It runs on
 * the task's stack, since to switch to the worker's own one would take longer than the function; but a large result has
 * no space there. The result is copied last, because the object may be where it goes; the arguments are a copy. ---- */

typedef struct {
  scree__worker *me;
  const scree__delegate *d;
  void *object;
  const void *args;
  void *result;
} call_here;

static void run_here(void *arg) {
  const call_here *c = arg;
  SCREE__INVARIANT(!c->me->in.handler);
  _Alignas(16) char result[RESULT_MAX];
  memset(result, 0, c->d->result);
  c->me->in.handler = c->d->type;
  c->d->fn(&c->me->head, c->object, c->args, result, c->d->arg);
  c->me->in.handler = 0;
  if (c->result) memcpy(c->result, result, c->d->result);
}

void scree__delegate_here(scree__globals *own, scree_task *self, const scree__global_op *op, uint64_t offset) {
  const scree__delegate *d = op->delegate;
  char *object = own->of->memory.area[own->me->head.rank] + offset;
  _Alignas(16) uint64_t result[8] = {0};
  own->stats.local++;
  own->front.stored = true;
  if (d->result > sizeof result) {
    call_here c = {own->me, d, object, op->args, op->local};
    scree__call_on_own_stack(own->me, run_here, &c);
    return;
  }
  scree__task_begin_handler(self, d->type);
  d->fn(&own->me->head, object, op->args, result, d->arg);
  scree__task_end_handler(self);
  if (op->local) memcpy(op->local, result, d->result);
}

void scree__delegate_send(scree__globals *own, const scree__global_op *op, const scree__global_request *request,
                          uint32_t to) {
  scree__send_two(own->me, op->delegate->type, to, request, sizeof *request, op->args, op->delegate->args);
}

bool scree__delegate_fits(const scree_global_map *map, const scree__global_op *op) {
  const uint64_t offset = scree_global_offset(map, op->address);
  if (op->bytes > SCREE__GRANULE - offset % SCREE__GRANULE) return false;
  return !scree_global_is_linear(op->address) || op->bytes <= scree_global_span(map, op->address);
}

scree_status scree__delegate_register(scree_world *world, const char *name, uint32_t args, uint32_t result,
                                      scree__delegate_fn *fn, void *arg, const scree__delegate **out) {
  const char *in = "register";
  scree__worker *me = world->worker[0];
  const scree_status refused = scree__in_idle_world(world, in);
  if (refused) return refused;
  scree__globals *own = scree__globals_of(me);
  if (!own)
    return scree__misuse(me, SCREE_ESTATE, in,
                         "delegate '%s': the world has no global memory: call scree_global_open first", name);
  scree__delegate *d = calloc(1, sizeof *d);
  if (!d) return scree__refuse_type(world, name, SCREE_ENOMEM);
  *d = (scree__delegate){own->of->delegates, own->of, fn, arg, 0, args, result};
  const scree_type_desc desc = {.size = sizeof desc,
                                .name = name,
                                .item = (uint32_t)sizeof(scree__global_request) + args,
                                .flags = SCREE_TO_WORKER | SCREE_ROUTED,
                                .fn = on_call,
                                .arg = d};
  const scree_status status = scree_register(world, &desc, &d->type);
  if (status) {
    free(d);
    return status;
  }
  *out = own->of->delegates = d;
  return SCREE_OK;
}

void scree__delegates_free(scree__global_world *of) {
  for (scree__delegate *d = of->delegates, *next; d; d = next) {
    next = d->next;
    free(d);
  }
}

uint32_t scree_global_worker(scree_worker *worker, scree_address a) {
  const scree__global_op op = {.call = "scree_global_worker", .address = a, .bytes = 1, .kind = SCREE__GLOBAL_GET};
  if (!worker) return 0;
  scree__globals *own = scree__globals_for(worker, op.call);
  if (!own || !scree__global_check(own, &op)) return scree__worker_number(scree__worker_of(worker));
  return scree__global_worker_for(own, scree_global_owner(&own->of->map, a), scree_global_offset(&own->of->map, a));
}
