/* memory.c - atomic operations: what loads may return, and what stores and fences make visible to others. */
#include <stdlib.h>
#include <string.h>

#include "weak.h"

enum {
  STALE = 2 /* one load in so many, or in twice as many, by the run, reads an older store */,
  EARLIER = 2 /* the same, of stores that may be placed earlier */
};

/* What seq_cst operations and fences have made known to each other, of atomic objects. */
static weak_view in_order;

static weak_stored *newest(weak_object *o) {
  return &o->last[o->count - 1];
}

static bool acquires(int order) {
  return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order >= __ATOMIC_ACQ_REL;
}
static bool releases(int order) {
  return order >= __ATOMIC_RELEASE;
}

static weak_thread *me(void) {
  return weak_thread_of(weak_me());
}

/* This thread reads that store. */
static uint64_t take(uint32_t id, const weak_stored *s, int order) {
  *weak_seen(&me()->now, id) = s->place;
  if (s->released) weak_join(acquires(order) ? &me()->now : &me()->acquired, s->released);
  return s->value;
}

/* One of the stores that this thread may still read; mostly the newest, so that loops end. */
static const weak_stored *draw_store(uint32_t id, int order) {
  const weak_object *o = weak_object_at(id);
  uint32_t seen = *weak_seen(&me()->now, id), i = 0;
  const uint32_t ordered = order == __ATOMIC_SEQ_CST ? *weak_seen(&in_order, id) : 0;
  if (ordered > seen) seen = ordered;
  while (i < o->count - 1 && o->last[i].place < seen) i++;
  if (i == o->count - 1 || weak_draw(weak_odds() * STALE)) return &o->last[o->count - 1];
  return &o->last[i + weak_draw(o->count - i)];
}

uint64_t weak_load(weak_access a) {
  if (!weak_runs()) return weak_read(&a);
  weak_step();
  const uint32_t id = weak_object_of(&a);
  const weak_stored *s = draw_store(id, a.order);
  weak_total.loads++;
  weak_total.stale += s != newest(weak_object_at(id));
  return take(id, s, a.order);
}

/* What the store makes known. `before`: of a read-modify-write, what it follows, and whose release it continues. */
static weak_view *release(int order, const weak_stored *before) {
  const weak_view *continued = before ? before->released : NULL;
  if (!continued && !releases(order) && !me()->fenced) return NULL;
  weak_view *released = calloc(1, sizeof *released);
  if (!released) abort();
  if (continued) weak_join(released, continued);
  if (me()->fenced) weak_join(released, &me()->released);
  if (releases(order)) {
    weak_join(released, &me()->now);
    me()->now.clock[weak_me()]++;
  }
  return released;
}

static void put(const weak_access *a, uint32_t id, uint32_t index, uint64_t value, const weak_stored *before) {
  weak_object *o = weak_object_at(id);
  const bool last = index == o->count;
  weak_view *released = release(a->order, before);
  const uint32_t place =
      weak_object_add(o, index, (weak_stored){value, released, weak_me(), weak_here(a->place), 0, before != NULL});
  if (released) *weak_seen(released, id) = place;
  *weak_seen(&me()->now, id) = place;
  if (a->order == __ATOMIC_SEQ_CST) *weak_seen(&in_order, id) = place;
  if (last || newest(o)->place == place) weak_write(a, value);
}

/* The store, of those that this thread does not know of, before which it is placed. Nothing comes between a
 * read-modify-write and what that has read. */
static uint32_t draw_index(const weak_object *o, uint32_t seen, int order) {
  uint32_t first = o->count;
  while (first > 0 && o->last[first - 1].place > seen) first--;
  if (first == o->count || order == __ATOMIC_SEQ_CST || weak_draw(EARLIER)) return o->count;
  const uint32_t index = first + (uint32_t)weak_draw(o->count - first);
  if (o->last[index].continues) return o->count;
  weak_total.earlier++;
  return index;
}

void weak_store(weak_access a, uint64_t value) {
  if (!weak_runs()) {
    weak_write(&a, value);
    return;
  }
  weak_step();
  weak_total.stores++;
  const uint32_t id = weak_object_of(&a), seen = *weak_seen(&me()->now, id);
  weak_object *o = weak_object_at(id);
  uint32_t head = o->count - 1; /* the last plain store: others do not undo it */
  while (head > 0 && o->last[head].continues) head--;
  if (!o->last[head].continues && o->last[head].place > seen && newest(o)->value != value)
    weak_find("two stores to one atomic object", o->last[head].thread, o->last[head].site, weak_here(a.place));
  put(&a, id, draw_index(o, seen, a.order), value, NULL);
}

static uint64_t result_of(weak_op op, uint64_t old, uint64_t operand) {
  switch (op) {
  case WEAK_ADD:
    return old + operand;
  case WEAK_SUB:
    return old - operand;
  case WEAK_OR:
    return old | operand;
  case WEAK_AND:
    return old & operand;
  default:
    return operand;
  }
}

/* A compare-and-swap that fails is a load, and may see an older value. */
static bool fails_on_older(const weak_access *a, uint32_t id, uint64_t expected, uint64_t *old) {
  const weak_stored *s = draw_store(id, a->failure);
  if (s->value == expected) return false;
  weak_total.failed += s != newest(weak_object_at(id));
  *old = take(id, s, a->failure);
  return true;
}

uint64_t weak_update(weak_access a, weak_op op, uint64_t operand, uint64_t expected, bool *done) {
  uint64_t old = weak_read(&a);
  if (!weak_runs()) {
    *done = op != WEAK_COMPARE || old == expected;
    if (*done) weak_write(&a, result_of(op, old, operand));
    return old;
  }
  weak_step();
  weak_total.updates++;
  const uint32_t id = weak_object_of(&a);
  weak_object *o = weak_object_at(id);
  *done = op != WEAK_COMPARE || !fails_on_older(&a, id, expected, &old);
  if (!*done) return old;
  const weak_stored before = *newest(o);
  *done = op != WEAK_COMPARE || before.value == expected;
  take(id, &before, *done ? a.order : a.failure);
  if (*done) put(&a, id, o->count, result_of(op, before.value, operand), newest(o));
  return before.value;
}

void weak_fence(int order) {
  if (!weak_runs()) return;
  if (acquires(order)) weak_join(&me()->now, &me()->acquired);
  if (order == __ATOMIC_SEQ_CST) {
    weak_join_seen(&me()->now, &in_order);
    weak_join_seen(&in_order, &me()->now);
  }
  if (!releases(order)) return;
  weak_join(&me()->released, &me()->now);
  me()->fenced = true;
  me()->now.clock[weak_me()]++;
}

void weak_memory_end(void) {
  weak_objects_end();
  weak_clear(&in_order);
}
