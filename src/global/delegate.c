/* delegate.c - functions that run where an object is: each has a type of messages of its own, a request with its arguments, and
 * is answered as other operations are. All on the same granule are handled by one worker, never by the sender itself: a function
 * that ran there at once could send, and a send outside a handler may run others on the same object. */
#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

enum { RESULT_MAX = 4096 };

/* A result may hold values of any type. */
static void call(scree__globals *own, const scree__delegate *d, const scree_batch *batch,
                 const scree__global_request *r, const char *args) {
  _Alignas(16) char result[RESULT_MAX], aligned[RESULT_MAX];
  char *object = scree__global_find(own, batch, r->place & (SCREE_GLOBAL_HEAP_MAX - 1), r->place >> SCREE__OFFSET_BITS);
  if (!object) return;
  memset(result, 0, d->result);
  memcpy(aligned, args, d->args);
  d->fn(&own->me->head, object, aligned, result, d->arg);
  if (own->me->failed) return;
  scree__global_answer(own, scree__sender(own->me, batch), r->head, result,
                       r->head >> SCREE__WANT_SHIFT & 1 ? d->result : 0);
}

static void on_call(scree_worker *worker, const scree_batch *batch, const void *items, void *delegate) {
  const scree__delegate *d = delegate;
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const char *item = items;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++, item += sizeof(scree__global_request) + d->args) {
    scree__global_request r;
    memcpy(&r, item, sizeof r);
    call(own, d, batch, &r, item + sizeof r);
  }
  scree__global_answers_leave(own, batch);
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
                                .flags = SCREE_TO_WORKER,
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
  scree__globals *own = scree__globals_for(worker, op.call);
  if (!own || !scree__global_check(own, &op)) return scree__worker_number(scree__worker_of(worker));
  return scree__global_worker_for(own, scree_global_owner(&own->of->map, a), scree_global_offset(&own->of->map, a));
}
