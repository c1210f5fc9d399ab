/* global_actor.c - the operations, each with a model of what it does. */
#include "global_actor.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "harness.h"

uint64_t actor_draw(actor_plan *plan, uint64_t n) {
  return scree__draw(&plan->random) % n;
}
static uint64_t draw(actor *a, uint64_t n) {
  return actor_draw(a->plan, n);
}

/* All forms of an operation; false: the world has failed. */
#define DO(a, p, how, name, ...)                                                                                       \
  ((how) == WAIT   ? scree_##name((a)->self, __VA_ARGS__) == SCREE_OK                                                  \
   : (how) == POLL ? scree_##name##_poll((a)->w, __VA_ARGS__) == SCREE_OK                                              \
   : (how) == INTO ? (scree_##name##_into((a)->w, &(p)->future, __VA_ARGS__), true)                                    \
   : (how) == IN   ? (scree_##name##_in((a)->w, (a)->completion, __VA_ARGS__), true)                                   \
                   : (scree_##name##_nbi((a)->w, __VA_ARGS__), true))

static form form_for(actor *a) {
  if (!a->self) return draw(a, 2) ? POLL : NBI;
  static const form forms[] = {WAIT, INTO, IN, NBI};
  return forms[draw(a, 4)];
}

static pending *begin(actor *a, form how, uint64_t bytes) {
  pending *p = &a->pending[a->count++];
  *p = (pending){.bytes = bytes, .sets = how == INTO, .buffer = malloc(bytes), .expected = malloc(bytes)};
  memset(p->buffer, 0xee, bytes);
  if (p->sets) scree_future_open(a->w, &p->future, bytes < SCREE_FUTURE_MAX ? bytes : SCREE_FUTURE_MAX, 1, NULL);
  a->plan->operations[how]++;
  a->plan->drawn[a->plan->operation][how][a->plan->place]++;
  a->plan->bytes += bytes;
  if (bytes > a->plan->max[how]) a->plan->max[how] = bytes;
  return p;
}

static bool get(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  pending *p = begin(a, how, bytes);
  memcpy(p->expected, model, bytes);
  return DO(a, p, how, get, p->buffer, at, bytes);
}

static bool put(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  pending *p = begin(a, how, bytes);
  unsigned char *from = malloc(bytes);
  for (uint64_t i = 0; i < bytes; i += 7) memset(from + i, (int)draw(a, 256), bytes - i < 7 ? bytes - i : 7);
  memcpy(model, from, bytes);
  uint64_t value = 0;
  memcpy(&value, from, bytes < 8 ? bytes : 8);
  p->bytes = 0; /* no result */
  const bool well =
      bytes <= 8 && draw(a, 2) ? DO(a, p, how, put_value, at, value, bytes) : DO(a, p, how, put, at, from, bytes);
  memset(from, 0, bytes); /* it is free */
  free(from);
  return well;
}

static bool fill(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  pending *p = begin(a, how, bytes);
  const uint64_t pattern = scree__draw(&a->plan->random);
  for (uint64_t i = 0; i < bytes; i++) model[i] = (unsigned char)(pattern >> i % 8 * 8);
  p->bytes = 0; /* no result */
  return DO(a, p, how, fill, at, pattern, bytes);
}

/* The second half becomes the first one, or the reverse. */
static bool copy(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  pending *p = begin(a, how, 8);
  const uint64_t half = bytes / 2, from = draw(a, 2) ? half : 0, to = half - from;
  memcpy(model + to, model + from, half);
  p->bytes = 0;
  return DO(a, p, how, copy, scree_global_add(at, (int64_t)to), scree_global_add(at, (int64_t)from), half);
}

/* Elements of these bytes in a drawn order: their positions, by i. */
static uint64_t *places(actor *a, uint64_t count, uint64_t size, bool twice) {
  uint64_t *place = malloc((count + 1) * sizeof *place);
  for (uint64_t i = 0; i < count; i++) place[i] = (twice ? draw(a, count) : i) * size;
  for (uint64_t i = count; !twice && i > 1; i--) {
    const uint64_t j = draw(a, i), last = place[i - 1];
    place[i - 1] = place[j];
    place[j] = last;
  }
  return place;
}

static bool gather(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  const uint64_t size = draw(a, 2) ? 8 : 1 + draw(a, 20), max = draw(a, 2) ? 3 : 1000;
  const uint64_t count = bytes / size < max ? bytes / size : max;
  pending *p = begin(a, how, count * size + 1);
  uint64_t *place = places(a, count, size, true);
  for (uint64_t i = 0; i < count; i++) memcpy(p->expected + i * size, model + place[i], size);
  for (uint64_t i = 0; i < count; i++) place[i] += at;
  p->bytes = count * size;
  const bool well = DO(a, p, how, gather, p->buffer, place, count, size);
  free(place);
  return well;
}

static bool scatter(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  const uint64_t size = draw(a, 2) ? 8 : 1 + draw(a, 20), max = draw(a, 2) ? 3 : 1000;
  const uint64_t count = bytes / size < max ? bytes / size : max;
  pending *p = begin(a, how, 8);
  uint64_t *place = places(a, count, size, false);
  unsigned char *from = malloc(count * size + 1);
  for (uint64_t i = 0; i < count * size; i++) from[i] = (unsigned char)draw(a, 256);
  for (uint64_t i = 0; i < count; i++) memcpy(model + place[i], from + i * size, size);
  for (uint64_t i = 0; i < count; i++) place[i] += at;
  p->bytes = 0;
  const bool well = DO(a, p, how, scatter, place, from, count, size);
  memset(from, 0, count * size);
  free(from);
  free(place);
  return well;
}

/* The word at the beginning of the range, if it is aligned there. */
static bool change(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  const uint64_t size = bytes >= 8 && at % 8 == 0 && draw(a, 3) ? 8 : 4, value = scree__draw(&a->plan->random);
  if (bytes < size || at % size) return true;
  pending *p = begin(a, how, 8);
  uint64_t old = 0, new = 0, *to = draw(a, 2) ? (void *)p->buffer : NULL;
  memcpy(&old, model, size);
  memcpy(p->expected, &old, 8);
  if (!to) p->bytes = how == INTO ? 8 : 0; /* without memory of its own the result is the future's alone */
  const uint64_t guess = draw(a, 2) ? old : old + 1;
  bool well = false;
#define CHANGE(name, result)                                                                                           \
  new = result;                                                                                                        \
  well = DO(a, p, how, atomic_##name, at, value, size, to);                                                            \
  break
  switch (draw(a, 6)) {
  case 0:
    CHANGE(fetch_add, old + value);
  case 1:
    CHANGE(swap, value);
  case 2:
    CHANGE(and, old & value);
  case 3:
    CHANGE(or, old | value);
  case 4:
    CHANGE(xor, old ^ value);
  default:
    new = guess == old ? value : old;
    well = DO(a, p, how, atomic_compare_swap, at, guess, value, size, to);
  }
  memcpy(model, &new, size);
  return well;
}

static uint64_t mix_bytes(unsigned char *p, const mix_args *args) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < args->bytes; i++) {
    sum = 31 * sum + p[i];
    p[i] = (unsigned char)(3 * p[i] + args->add);
  }
  return sum;
}

static void on_mix(scree_worker *w, void *object, const mix_args *args, mix_result *result, void *arg) {
  (void)w, (void)arg;
  *result = (mix_result){mix_bytes(object, args), args->bytes};
}
SCREE_DELEGATE_BODY(mix, mix_args, mix_result, on_mix);

scree_status actor_register(scree_world *world, mix_type *mix) {
  return mix_register(world, NULL, mix);
}

/* On as many bytes as are in one piece. */
static bool call(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form drawn = form_for(a), how = drawn == POLL ? NBI : drawn;
  uint64_t max = 4096 - scree_global_offset(a->map, at) % 4096;
  if (scree_global_is_linear(at) && scree_global_span(a->map, at) < max) max = scree_global_span(a->map, at);
  const mix_args args = {bytes < max ? bytes : max, draw(a, 256)};
  pending *p = begin(a, how, sizeof(mix_result));
  mix_result *to = draw(a, 2) ? (void *)p->buffer : NULL;
  const mix_result expected = {mix_bytes(model, &args), args.bytes};
  memcpy(p->expected, &expected, sizeof expected);
  if (how == NBI || (!to && how != INTO)) p->bytes = 0;
  if (how == WAIT) return mix_call(a->self, a->mix, at, args.bytes, args, to) == SCREE_OK;
  if (how == INTO) mix_call_into(a->w, &p->future, a->mix, at, args.bytes, args, to);
  if (how == IN) mix_call_in(a->w, a->completion, a->mix, at, args.bytes, args, to);
  if (how == NBI) mix_cast(a->w, a->mix, at, args.bytes, args);
  return true;
}

bool actor_finish(actor *a) {
  bool well = true;
  for (uint32_t i = 0; i < a->count && well; i++) {
    pending *p = &a->pending[i];
    unsigned char value[SCREE_FUTURE_MAX];
    const uint64_t bytes = p->bytes < SCREE_FUTURE_MAX ? p->bytes : SCREE_FUTURE_MAX;
    if (!p->sets) continue;
    well = scree_future_wait(a->self, &p->future, value) == SCREE_OK;
    if (well) check(memcmp(value, p->expected, bytes) == 0);
    if (well) scree_future_close(&p->future);
    if (well && p->buffer[0] == 0xee) memcpy(p->buffer, value, bytes);
  }
  if (well) well = (a->self ? scree_quiet(a->self) : scree_quiet_poll(a->w)) == SCREE_OK;
  if (well && a->self) well = scree_completion_wait(a->self, a->completion) == SCREE_OK;
  for (uint32_t i = 0; i < a->count; i++) {
    pending *p = &a->pending[i];
    if (well) check(memcmp(p->buffer, p->expected, p->bytes) == 0);
    free(p->buffer);
    free(p->expected);
  }
  a->count = 0;
  return well;
}

bool actor_operate(actor *a, scree_address at, unsigned char *model, uint64_t bytes, uint32_t place) {
  static bool (*const operations[OPERATIONS])(actor *, scree_address, unsigned char *, uint64_t) = {
      put, put, change, get, fill, copy, gather, scatter, [OPERATION_CALL] = call};
  a->plan->place = place;
  a->plan->operation = (uint32_t)draw(a, OPERATIONS);
  return operations[a->plan->operation](a, at, model, bytes);
}
