/* memory.c - atomic objects: their last stores, and what loads may return of them. */
#include <stdlib.h>
#include <string.h>

#include "weak.h"

enum { OBJECTS = 1 << 15, STORES = 6, STALE = 4 /* one load in so many looks for an older store */ };

typedef struct {
  uint64_t value;
  weak_view *released; /* by its thread, or by the stores that it continues; NULL: nothing */
  uint32_t thread, place;
  uint32_t
      head; /* of a read-modify-write: the plain store that it follows at once, through others; else its own number */
} store;

typedef struct {
  uintptr_t at;
  uint32_t count; /* stores so far: the newest is number count - 1 */
  store last[STORES];
} object;

static object objects[OBJECTS];
static uint32_t used, table[2 * OBJECTS]; /* table: 1 + object, by address */
static weak_view fences;                  /* of those that are seq_cst: each joins what came before */

static uint64_t read_memory(const weak_access *a) {
  return a->bytes == 8   ? *(volatile uint64_t *)a->at
         : a->bytes == 4 ? *(volatile uint32_t *)a->at
                         : *(volatile uint8_t *)a->at;
}

static void write_memory(const weak_access *a, uint64_t value) {
  if (a->bytes == 8)
    *(volatile uint64_t *)a->at = value;
  else if (a->bytes == 4)
    *(volatile uint32_t *)a->at = (uint32_t)value;
  else
    *(volatile uint8_t *)a->at = (uint8_t)value;
}

static store *newest(object *o) {
  return &o->last[(o->count - 1) % STORES];
}

static uint32_t *row(uintptr_t at) {
  uint32_t i = (uint32_t)(at * 0x9E3779B97F4A7C15ull >> 40) % (2 * OBJECTS);
  while (table[i] && objects[table[i] - 1].at != at) i = (i + 1) % (2 * OBJECTS);
  return &table[i];
}

/* The object begins anew with this value: memory was allocated, or written by what is not instrumented. */
static void restart(object *o, uint64_t value) {
  for (int i = 0; i < STORES; i++) {
    if (o->last[i].released) weak_clear(o->last[i].released);
    free(o->last[i].released);
    o->last[i] = (store){.value = value};
  }
}

static uint32_t find(const weak_access *a) {
  uint32_t *at = row((uintptr_t)a->at);
  if (!*at) {
    if (used == OBJECTS) abort();
    objects[used] = (object){.at = (uintptr_t)a->at, .count = 1, .last = {{.value = read_memory(a)}}};
    *at = ++used;
  }
  object *o = &objects[*at - 1];
  if (newest(o)->value != read_memory(a)) restart(o, read_memory(a));
  return *at - 1;
}

static bool acquires(int order) {
  return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order >= __ATOMIC_ACQ_REL;
}
static bool releases(int order) {
  return order >= __ATOMIC_RELEASE;
}

/* This thread reads store k. */
static uint64_t take(uint32_t id, uint32_t k, int order) {
  weak_thread *me = weak_thread_of(weak_me());
  const store *s = &objects[id].last[k % STORES];
  *weak_seen(&me->now, id) = k;
  if (s->released) weak_join(acquires(order) ? &me->now : &me->acquired, s->released);
  return s->value;
}

/* One of the stores that this thread may still read; mostly the newest, so that loops end. */
static uint32_t draw_store(uint32_t id) {
  const object *o = &objects[id];
  uint32_t oldest = o->count > STORES ? o->count - STORES : 0;
  const uint32_t seen = *weak_seen(&weak_thread_of(weak_me())->now, id), last = o->count - 1;
  if (seen > oldest) oldest = seen;
  if (last == oldest || weak_draw(STALE)) return last;
  return oldest + (uint32_t)weak_draw(last - oldest + 1);
}

uint64_t weak_load(weak_access a) {
  if (!weak_runs()) return read_memory(&a);
  weak_step();
  const uint32_t id = find(&a), k = draw_store(id);
  weak_total.loads++;
  weak_total.stale += k + 1 != objects[id].count;
  return take(id, k, a.order);
}

/* `before`: of a read-modify-write, what it follows, and whose release it continues. */
static void put(const weak_access *a, uint32_t id, uint64_t value, const store *before) {
  object *o = &objects[id];
  weak_thread *me = weak_thread_of(weak_me());
  const uint32_t k = o->count, head = before ? before->head : k;
  const weak_view *continued = before ? before->released : NULL;
  weak_view *released = NULL;
  *weak_seen(&me->now, id) = k;
  if (continued || releases(a->order) || me->fenced) {
    if (!(released = calloc(1, sizeof *released))) abort();
    if (continued) weak_join(released, continued);
    if (me->fenced) weak_join(released, &me->released);
    if (releases(a->order)) {
      weak_join(released, &me->now);
      me->now.clock[weak_me()]++;
    }
    *weak_seen(released, id) = k;
  }
  o->count++;
  if (newest(o)->released) weak_clear(newest(o)->released);
  free(newest(o)->released);
  *newest(o) = (store){value, released, weak_me(), a->place, head};
  write_memory(a, value);
}

void weak_store(weak_access a, uint64_t value) {
  if (!weak_runs()) {
    write_memory(&a, value);
    return;
  }
  weak_step();
  weak_total.stores++;
  const uint32_t id = find(&a);
  const store *s = newest(&objects[id]);
  if (s->head > *weak_seen(&weak_thread_of(weak_me())->now, id) && s->value != value)
    weak_find("two stores to one atomic object that nothing orders", s->thread, (uint32_t[]){s->place, 0}, a.place);
  put(&a, id, value, NULL);
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
  const uint32_t k = draw_store(id);
  if (objects[id].last[k % STORES].value == expected) return false;
  weak_total.failed += k + 1 != objects[id].count;
  *old = take(id, k, a->failure);
  return true;
}

uint64_t weak_update(weak_access a, weak_op op, uint64_t operand, uint64_t expected, bool *done) {
  uint64_t old = read_memory(&a);
  if (!weak_runs()) {
    *done = op != WEAK_COMPARE || old == expected;
    if (*done) write_memory(&a, result_of(op, old, operand));
    return old;
  }
  weak_step();
  weak_total.updates++;
  const uint32_t id = find(&a);
  *done = op != WEAK_COMPARE || !fails_on_older(&a, id, expected, &old);
  if (!*done) return old;
  old = newest(&objects[id])->value;
  *done = op != WEAK_COMPARE || old == expected;
  take(id, objects[id].count - 1, *done ? a.order : a.failure);
  if (*done) put(&a, id, result_of(op, old, operand), newest(&objects[id]));
  return old;
}

void weak_fence(int order) {
  if (!weak_runs()) return;
  weak_thread *me = weak_thread_of(weak_me());
  if (acquires(order)) weak_join(&me->now, &me->acquired);
  if (order == __ATOMIC_SEQ_CST) {
    weak_join(&me->now, &fences);
    weak_join(&fences, &me->now);
  }
  if (!releases(order)) return;
  weak_join(&me->released, &me->now);
  me->fenced = true;
  me->now.clock[weak_me()]++;
}

void weak_forget(uintptr_t from, uintptr_t to) {
  for (uintptr_t at = from & ~(uintptr_t)3; used && at < to; at += 4) {
    const uint32_t i = *row(at);
    if (i) restart(&objects[i - 1], 0);
  }
}

void weak_memory_end(void) {
  for (uint32_t i = 0; i < used; i++) restart(&objects[i], 0);
  memset(table, 0, sizeof table);
  used = 0;
  weak_clear(&fences);
}
