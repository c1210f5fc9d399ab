/* objects.c - atomic objects: their last stores, in modification order. */
#include <stdlib.h>
#include <string.h>

#include "weak.h"

enum { OBJECTS = 1 << 15, GAP = 256 /* of places: so that eight stores may be placed between two */ };

static weak_object objects[OBJECTS];
static uint32_t used, table[2 * OBJECTS]; /* table: 1 + object, by address */

uint64_t weak_read(const weak_access *a) {
  return a->bytes == 8   ? *(volatile uint64_t *)a->at
         : a->bytes == 4 ? *(volatile uint32_t *)a->at
                         : *(volatile uint8_t *)a->at;
}

void weak_write(const weak_access *a, uint64_t value) {
  if (a->bytes == 8)
    *(volatile uint64_t *)a->at = value;
  else if (a->bytes == 4)
    *(volatile uint32_t *)a->at = (uint32_t)value;
  else
    *(volatile uint8_t *)a->at = (uint8_t)value;
}

weak_object *weak_object_at(uint32_t id) {
  return &objects[id];
}

static uint32_t *row(uintptr_t at) {
  uint32_t i = (uint32_t)(at * 0x9E3779B97F4A7C15ull >> 40) % (2 * OBJECTS);
  while (table[i] && objects[table[i] - 1].at != at) i = (i + 1) % (2 * OBJECTS);
  return &table[i];
}

static void drop(weak_stored *s) {
  if (s->released) weak_clear(s->released);
  free(s->released);
}

/* The object starts again with this value: memory was allocated, or written by what is not instrumented. */
static void restart(weak_object *o, uint64_t value) {
  const uint32_t place = o->last[o->count - 1].place;
  for (uint32_t i = 0; i < o->count; i++) drop(&o->last[i]);
  o->last[0] = (weak_stored){.value = value, .place = place};
  o->count = 1;
}

uint32_t weak_object_of(const weak_access *a) {
  uint32_t *at = row((uintptr_t)a->at);
  const uint64_t value = weak_read(a);
  if (!*at) {
    if (used == OBJECTS) abort();
    objects[used] = (weak_object){.at = (uintptr_t)a->at, .count = 1, .last = {{.value = value}}};
    *at = ++used;
  }
  weak_object *o = &objects[*at - 1];
  if (o->last[o->count - 1].value != value) restart(o, value);
  return *at - 1;
}

uint32_t weak_object_add(weak_object *o, uint32_t index, weak_stored stored) {
  const bool last = index == o->count;
  const uint32_t before = index ? o->last[index - 1].place : 0;
  stored.place = last ? before + GAP : before + (o->last[index].place - before) / 2;
  if (!last && (index == 0 || stored.place == before)) return weak_object_add(o, o->count, stored); /* no space */
  if (o->count == WEAK_STORES) {
    drop(&o->last[0]);
    memmove(o->last, o->last + 1, (WEAK_STORES - 1) * sizeof *o->last);
    o->count--, index--;
  }
  memmove(&o->last[index + 1], &o->last[index], (o->count++ - index) * sizeof *o->last);
  o->last[index] = stored;
  return stored.place;
}

void weak_forget(uintptr_t from, uintptr_t to) {
  for (uintptr_t at = from & ~(uintptr_t)3; used && at < to; at += 4) {
    const uint32_t i = *row(at);
    if (i) restart(&objects[i - 1], 0);
  }
}

void weak_objects_end(void) {
  for (uint32_t i = 0; i < used; i++) restart(&objects[i], 0);
  memset(table, 0, sizeof table);
  used = 0;
}
