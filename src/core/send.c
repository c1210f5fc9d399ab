/* send.c - the slow path of a send, when a lane has no space: checks, waiting outside handlers, overflow inside them.
 * Progress comes first, because nested handlers may replace the lane's block; the slot is allocated last. The block
 * whose last slot is allocated here is published by a later call, since the caller has yet to write into it. */
#include "core/send.h"

#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/lane.h"
#include "core/progress.h"

/* True if the worker that is a destination of the type takes part in the epoch. Else the world fails. */
bool scree__takes_part(scree__worker *me, uint32_t type, uint32_t dest) {
  const scree__type *of = &me->world->types[type];
  if (!(of->flags & SCREE_TO_WORKER) || dest % me->head.threads < me->end.taking) return true;
  scree__fail(me, SCREE_EINVAL, "send",
              "destination %u of type '%s': worker %u takes no part in this epoch, which has workers 0..%u: send to "
              "those, or begin it with more (scree_run_workers)",
              dest, of->name, dest % me->head.threads, me->end.taking - 1);
  return false;
}

static void fail_by_poll(scree__worker *me, uint32_t type) {
  char what[SCREE__NAME + 32];
  snprintf(what, sizeof what, "type '%s' sent", me->world->types[type].name);
  scree__fail_poll_rule(me, "send", what);
}

static bool may_send(scree__worker *me, uint32_t type, uint32_t dest) {
  const char *call = "send";
  scree_world *world = me->world;
  if (me->failed) return false;
  if (!me->in_epoch)
    scree__fail(me, SCREE_ESTATE, call, "send outside an epoch: call scree_begin first");
  else if (!scree__has_type(world, type))
    scree__fail(me, SCREE_EINVAL, call,
                "type %u is not registered with this world (it has %u, numbered from 1): pass what name_register has "
                "filled in this world; 0 is of a zeroed variable, or of a registration that was refused",
                type, world->type_count);
  else if (dest >= world->types[type].dests)
    scree__fail(me, SCREE_EINVAL, call, "destination %u of type '%s' is out of range 0..%u%s: send to one of these %s",
                dest, world->types[type].name, world->types[type].dests - 1, dest == UINT32_MAX ? " (it is -1)" : "",
                world->types[type].flags & SCREE_TO_WORKER ? "workers" : "ranks");
  else if (!scree__takes_part(me, type, dest))
    return false;
  else if (scree__breaks_poll_rule(me))
    fail_by_poll(me, type);
  else
    return true;
  return false;
}

bool scree__out_of_range(scree_worker *worker, uint32_t type, uint32_t dest) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, "send", type)) return true;
  if (scree__has_type(me->world, type) && dest < me->world->types[type].dests) return false;
  may_send(me, type, dest);
  return true;
}

bool scree__index_cut(scree_worker *worker, uint32_t type, uint64_t index) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, "send", type) || !scree__has_type(me->world, type)) return true;
  scree__fail(
      me, SCREE_EINVAL, "send",
      "local index %llu does not fit into its field of type '%s': send keys that the map has; no index may be larger "
      "than the last one of the map",
      (unsigned long long)index, me->world->types[type].name);
  return true;
}

/* Overflow above a quarter of the memory holds back sends outside handlers, never those of handlers. */
bool scree__overflowing(const scree__worker *me) {
  return me->out.overflow_bytes > me->world->memory / 4;
}

/* No block is free: publishes all open ones, so that blocks return, and makes progress. False: the world has failed. */
bool scree__wait_for_room(scree__worker *me) {
  SCREE__INVARIANT(!me->in.handler && !me->on_own_stack); /* none of these waits */
  me->waits++;
  me->pace.waited = true;
  scree__flush_all(me, SCREE__FLUSH_EARLY);
  if (scree__progress(me)) return !me->failed;
  if (scree__is_traced(&me->tracer))
    scree__tracer_wait(&me->tracer, SCREE__EVENT_FULL, scree__now(me), me->watch.idle_turns);
  scree__backoff(me);
  return !me->failed;
}

static void *slot_or_wait(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size) {
  scree__progress(me);
  while (!me->failed) {
    void *slot = scree__lane_slot(me, type, dest, size);
    if (slot) return slot;
    scree__lane_close(me, type, dest, SCREE__FLUSH_FULL);
    if (scree__overflowing(me) || !scree__lane_open(me, type, dest, false)) scree__wait_for_room(me);
  }
  return NULL;
}

/* Never waits and runs no handler. Without may_overflow it returns NULL if there is no block. */
static void *slot_now(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size, bool may_overflow) {
  void *slot = scree__lane_slot(me, type, dest, size);
  if (slot) return slot;
  scree__lane_close(me, type, dest, SCREE__FLUSH_FULL);
  if (me->failed || !scree__lane_open(me, type, dest, may_overflow)) return NULL;
  return scree__lane_slot(me, type, dest, size);
}

/* The block may have space beyond the window that the fast path uses. A checked world makes progress in every send. */
static void *find_slot(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size, bool may_wait) {
  void *slot = me->world->checked ? NULL : scree__lane_slot(me, type, dest, size);
  if (slot) return slot;
  if (me->in.handler || !may_wait) return slot_now(me, type, dest, size, may_wait);
  return slot_or_wait(me, type, dest, size);
}

/* A slow send of a function with a stack of its own is made on the worker's. */
typedef struct {
  scree__worker *me;
  uint32_t type, dest, size;
  bool may_wait;
  const scree__parts *record; /* NULL: a slot is found */
  void *slot;                 /* of a record: itself, if it was sent */
} slow_send;

static bool send_record(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait);

static void send_slowly(void *call) {
  slow_send *c = call;
  if (c->record)
    c->slot = send_record(c->me, c->type, c->dest, c->record, c->may_wait) ? c : NULL;
  else
    c->slot = find_slot(c->me, c->type, c->dest, c->size, c->may_wait);
}

static void *slot_for(scree__worker *me, uint32_t type, uint32_t lane, uint32_t size, bool may_wait) {
  if (!me->on_own_stack) return find_slot(me, type, lane, size, may_wait);
  slow_send call = {.me = me, .type = type, .dest = lane, .size = size, .may_wait = may_wait};
  me->on_own_stack(me, send_slowly, &call);
  return call.slot;
}

/* The second half of the sink is for sends by other threads. */
void *scree__slot(scree_worker *worker, uint32_t type, uint32_t dest, uint32_t size, bool may_wait) {
  scree__worker *me = scree__worker_of(worker);
  scree_world *world = me->world;
  if (scree__dropped(me, "send", type)) return me->sink + SCREE__RECORD_MAX;
  if (!may_send(me, type, dest)) return me->sink; /* the world has failed: a retry loop ends */
  void *sink = may_wait ? me->sink : NULL;
  const scree__type *of = &world->types[type];
  if (size != of->record) {
    scree__fail(me, SCREE_EINVAL, "send", "item of %u bytes sent by type '%s', registered with %u", size, of->name,
                of->record);
    return sink;
  }
  void *slot = slot_for(me, type, scree__lane_of(me, type, dest), size, may_wait);
  return slot ? slot : sink;
}

static size_t record_bytes(size_t bytes) {
  return 8 + ((bytes + 7) & ~(size_t)7);
}

void scree__copy_parts(char *to, const scree__parts *record, size_t from, size_t bytes) {
  if (from < record->head_bytes) {
    const size_t left = record->head_bytes - from, some = bytes < left ? bytes : left;
    memcpy(to, (const char *)record->head + from, some);
    to += some;
    from += some;
    bytes -= some;
  }
  if (bytes) memcpy(to, (const char *)record->data + (from - record->head_bytes), bytes);
}

static bool send_record(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait) {
  const size_t bytes = record->head_bytes + record->data_bytes, all = record_bytes(bytes);
  if (all > me->world->min_block) return scree__send_fragments(me, type, dest, record, may_wait);
  char *slot = find_slot(me, type, dest, (uint32_t)all, may_wait);
  if (!slot) return false;
  uint32_t head[2] = {(uint32_t)bytes, 0};
  memcpy(slot, head, sizeof head);
  scree__copy_parts(slot + 8, record, 0, bytes);
  return true;
}

static bool send_parts(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait) {
  if (!me->on_own_stack) return send_record(me, type, dest, record, may_wait);
  slow_send call = {.me = me, .type = type, .dest = dest, .may_wait = may_wait, .record = record};
  me->on_own_stack(me, send_slowly, &call);
  return call.slot != NULL;
}

bool scree__var_parts(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait) {
  return scree__dropped(me, "send", type) || !may_send(me, type, dest) || send_parts(me, type, dest, record, may_wait);
}

bool scree__var(scree_worker *worker, uint32_t type, uint32_t dest, const void *data, size_t bytes, bool may_wait) {
  scree__worker *me = scree__worker_of(worker);
  scree_world *world = me->world;
  if (scree__dropped(me, "send", type) || !may_send(me, type, dest))
    return true; /* dropped: otherwise a retry loop would never end */
  if (bytes > INT32_MAX || world->types[type].item != 0) {
    scree__fail(me, SCREE_EINVAL, "send",
                "record of %zu bytes by type '%s': legal are 0..%d bytes by a "
                "variable-length type",
                bytes, world->types[type].name, INT32_MAX);
    return false;
  }
  return send_parts(me, type, dest, &(scree__parts){.data = data, .data_bytes = bytes}, may_wait);
}

uint64_t scree__fan(const scree_worker *worker, uint32_t type) {
  const scree__worker *me = (const scree__worker *)worker;
  bool to_worker = scree__has_type(me->world, type) && me->world->types[type].flags & SCREE_TO_WORKER;
  return to_worker ? (uint64_t)me->end.taking << 32 | worker->threads : (uint64_t)1 << 32 | 1;
}

/* ---- sends by number ---- */

/* Sends as generated sends do, but the size is the type's. */
static bool send_item(scree_worker *worker, uint32_t type, uint32_t dest, const void *item, bool may_wait) {
  const uint32_t size = scree__worker_of(worker)->world->types[type].item;
  scree__lane *l = worker->row[type].lane + dest;
  char *p = l->next;
  if (scree__lane_fits(l, size))
    l->next = p + size;
  else if (!(p = scree__routed_slot(worker, type, dest, size, may_wait)))
    return false;
  memcpy(p, item, size);
  return true;
}

static bool no_data(scree__worker *me, uint32_t type) {
  scree__fail(me, SCREE_EINVAL, "send", "no data for type '%s': pass what is not NULL", me->world->types[type].name);
  return false;
}

/* True if it is a type of items and has this destination. Else the message is dropped, and the world fails. */
static bool has_items(scree_worker *worker, uint32_t type, uint32_t dest, const void *item) {
  if (scree__out_of_range(worker, type, dest)) return false;
  scree__worker *me = scree__worker_of(worker);
  if (me->world->types[type].item) return item || no_data(me, type);
  scree__fail(me, SCREE_EINVAL, "send", "type '%s' has a variable length: send by scree_send_bytes",
              me->world->types[type].name);
  return false;
}

void scree_send(scree_worker *worker, uint32_t type, uint32_t dest, const void *item) {
  if (has_items(worker, type, dest, item)) send_item(worker, type, dest, item, true);
}

bool scree_try_send(scree_worker *worker, uint32_t type, uint32_t dest, const void *item) {
  return !has_items(worker, type, dest, item) || send_item(worker, type, dest, item, false);
}

void scree_send_bytes(scree_worker *worker, uint32_t type, uint32_t dest, const void *data, size_t bytes) {
  if (scree__out_of_range(worker, type, dest)) return;
  scree__worker *me = scree__worker_of(worker);
  const scree__type *of = &me->world->types[type];
  if (!data && bytes)
    no_data(me, type);
  else if (!of->item)
    scree__var(worker, type, dest, data, bytes, true);
  else if (bytes == of->item)
    send_item(worker, type, dest, data, true);
  else
    scree__fail(me, SCREE_EINVAL, "send", "item of %zu bytes sent by type '%s', registered with %u", bytes, of->name,
                of->item);
}
