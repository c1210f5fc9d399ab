/* global.c - global memory beside the messages of a program, in two ways.
 *
 * Shared words: each epoch has some on every rank, which workers, handlers and tasks of all ranks change by atomics and
 * delegates. Each adds to the ledger by how much it has changed a word: the value that it adds, or the difference to
 * the value that it found. When a rank leaves the epoch, its words hold the sum of that.
 *
 * Areas: allocations by all policies, memory that is exported, and bytes on the stack of a task that waits. One task,
 * or a worker on its own stack, accesses an area at a time, by all operations in all of their forms, with a model of
 * what the bytes must be. */
#include <stdio.h>
#include <string.h>

#include "global/operation.h"
#include "traffic.h"

enum { PENDING = 48, RANGES = 6, LENT = SCREE_FUTURE_MAX, ON_A_STACK = PLACES - 1, CALL = OPERATIONS - 1 };
enum { SMALL = 1 << 16, LARGE = 3 << 20, GRAIN = 8, BLOCK = 4096, TAKEN = UINT8_MAX };
enum { SHORT = 12, OBJECT = 14, SCRATCH = 15 }; /* slots: words of 4 bytes; changed by delegates; not in the ledger */
typedef enum { WAIT, POLL, INTO, IN, NBI } form;
_Static_assert(NBI + 1 == FORMS && SCRATCH + 1 == SLOTS, "tables have this size");

struct area {
  area *next; /* of those that a worker keeps */
  scree_global array;
  uint64_t bytes;
  uint32_t place, copy;
  scree_address stack;
  unsigned char *model, *memory; /* memory: of what was exported */
};

typedef struct {
  uint32_t how;
  uint64_t value, guess, bytes;
} atomic;

/* An operation that may be outstanding: the place of its result, and what that must be. */
typedef struct {
  unsigned char *buffer, *expected;
  uint64_t bytes;
  bool sets; /* a future */
  scree_future future;
  uint32_t rank, slot; /* of a shared word whose change is not in the ledger yet; SLOTS: none */
  atomic atomic;
} pending;

/* Who operates: a task, or a worker's own stack, where self is NULL. */
typedef struct {
  player *me;
  scree_task *self;
  scree_worker *w;
  const area *of;
  scree_completion *completion;
  uint32_t operation, place, count;
  pending pending[PENDING];
} actor;

typedef struct {
  uint64_t bytes, add;
  scree_address at; /* of a shared word, which is never freed; 0: of an area */
} mix_args;
typedef struct {
  uint64_t sum, bytes;
} mix_result;
typedef struct {
  scree_address at, where; /* where: it runs at the owner of this; 0: anywhere */
  uint64_t future;
} borrow_args;
SCREE_DELEGATE(mix, mix_args, mix_result);
SCREE_TASK(borrow, borrow_args);
SCREE_TASK_AT(borrow, borrow_args);

/* Where all ranks are in one process: their maps. Where only one thread runs at a time and heaps are small: whether a
 * grain is taken, else 1 + the epoch in which it was freed last; 0: it never was. */
static const scree_global_map *map_of[MOST_RANKS];
static uint8_t grain_of[MOST_RANKS][SMALL / GRAIN];

static const scree_global_map *map(const player *me) {
  return me->home->map;
}
static uint32_t draw(const actor *a, uint64_t n) {
  return below(&a->me->random, n);
}

/* ---- operations ---- */

/* All forms of an operation; false: the world has failed. */
#define DO(a, p, how, name, ...)                                                                                       \
  ((how) == WAIT   ? scree_##name((a)->self, __VA_ARGS__) == SCREE_OK                                                  \
   : (how) == POLL ? scree_##name##_poll((a)->w, __VA_ARGS__) == SCREE_OK                                              \
   : (how) == INTO ? (scree_##name##_into((a)->w, &(p)->future, __VA_ARGS__), true)                                    \
   : (how) == IN   ? (scree_##name##_in((a)->w, (a)->completion, __VA_ARGS__), true)                                   \
                   : (scree_##name##_nbi((a)->w, __VA_ARGS__), true))

static form form_for(const actor *a) {
  static const form forms[] = {WAIT, INTO, IN, NBI};
  return a->self ? forms[draw(a, 4)] : draw(a, 4) ? POLL : NBI;
}

static pending *begin(actor *a, form how, uint64_t bytes) {
  pending *p = &a->pending[a->count++];
  *p =
      (pending){.bytes = bytes, .sets = how == INTO, .slot = SLOTS, .buffer = malloc(bytes), .expected = malloc(bytes)};
  memset(p->buffer, 0xee, bytes);
  if (p->sets) scree_future_open(a->w, &p->future, bytes < SCREE_FUTURE_MAX ? bytes : SCREE_FUTURE_MAX, 1, NULL);
  a->me->account->sum.totals.operations++;
  a->me->account->sum.totals.drawn[a->operation][how][a->place]++;
  count_bytes(a->me, bytes);
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
  const uint64_t pattern = scree__draw(&a->me->random);
  for (uint64_t i = 0; i < bytes; i++) model[i] = (unsigned char)(pattern >> i % 8 * 8);
  p->bytes = 0;
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

/* Elements in a drawn order: their positions, by i, and bytes. */
typedef struct {
  uint64_t count, size, *place;
} elements;

static elements draw_elements(const actor *a, uint64_t bytes, bool twice) {
  elements e = {.size = draw(a, 2) ? 8 : 1 + draw(a, 20)};
  const uint64_t max = draw(a, 2) ? 3 : 1000;
  e.count = bytes / e.size < max ? bytes / e.size : max;
  e.place = malloc((e.count + 1) * sizeof *e.place);
  for (uint64_t i = 0; i < e.count; i++) e.place[i] = (twice ? draw(a, e.count) : i) * e.size;
  for (uint64_t i = e.count; !twice && i > 1; i--) {
    const uint64_t j = draw(a, i), last = e.place[i - 1];
    e.place[i - 1] = e.place[j];
    e.place[j] = last;
  }
  return e;
}

static bool gather(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  const elements e = draw_elements(a, bytes, true);
  pending *p = begin(a, how, e.count * e.size + 1);
  for (uint64_t i = 0; i < e.count; i++) memcpy(p->expected + i * e.size, model + e.place[i], e.size);
  for (uint64_t i = 0; i < e.count; i++) e.place[i] += at;
  p->bytes = e.count * e.size;
  const bool well = DO(a, p, how, gather, p->buffer, e.place, e.count, e.size);
  free(e.place);
  return well;
}

static bool scatter(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  const elements e = draw_elements(a, bytes, false);
  pending *p = begin(a, how, 8);
  unsigned char *from = malloc(e.count * e.size + 1);
  for (uint64_t i = 0; i < e.count * e.size; i++) from[i] = (unsigned char)draw(a, 256);
  for (uint64_t i = 0; i < e.count; i++) memcpy(model + e.place[i], from + i * e.size, e.size);
  for (uint64_t i = 0; i < e.count; i++) e.place[i] += at;
  p->bytes = 0;
  const bool well = DO(a, p, how, scatter, e.place, from, e.count, e.size);
  memset(from, 0, e.count * e.size);
  free(from);
  free(e.place);
  return well;
}

static uint64_t changed(const atomic *c, uint64_t old) {
  const uint64_t all[] = {old + c->value, c->value,       old & c->value,
                          old | c->value, old ^ c->value, old == c->guess ? c->value : old};
  return all[c->how];
}

static bool change_by(actor *a, pending *p, form how, scree_address at, uint64_t *old) {
  const atomic *c = &p->atomic;
  switch (c->how) {
  case 0:
    return DO(a, p, how, atomic_fetch_add, at, c->value, c->bytes, old);
  case 1:
    return DO(a, p, how, atomic_swap, at, c->value, c->bytes, old);
  case 2:
    return DO(a, p, how, atomic_and, at, c->value, c->bytes, old);
  case 3:
    return DO(a, p, how, atomic_or, at, c->value, c->bytes, old);
  case 4:
    return DO(a, p, how, atomic_xor, at, c->value, c->bytes, old);
  default:
    return DO(a, p, how, atomic_compare_swap, at, c->guess, c->value, c->bytes, old);
  }
}

/* The word at the beginning of the range, if it is aligned there. */
static bool change(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form how = form_for(a);
  const uint64_t size = bytes >= 8 && at % 8 == 0 && draw(a, 3) ? 8 : 4;
  uint64_t old = 0;
  if (bytes < size || at % size) return true;
  pending *p = begin(a, how, 8);
  memcpy(&old, model, size);
  memcpy(p->expected, &old, 8);
  p->atomic = (atomic){draw(a, 6), scree__draw(&a->me->random), draw(a, 2) ? old : old + 1, size};
  const uint64_t new = changed(&p->atomic, old);
  memcpy(model, &new, size);
  uint64_t *to = draw(a, 2) ? (void *)p->buffer : NULL;
  if (!to) p->bytes = how == INTO ? 8 : 0; /* without memory of its own the result is the future's alone */
  return change_by(a, p, how, at, to);
}

/* ---- delegates ---- */

static uint64_t mix_bytes(unsigned char *p, const mix_args *args) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < args->bytes; i++) {
    sum = 31 * sum + p[i];
    p[i] = (unsigned char)(3 * p[i] + args->add);
  }
  return sum;
}

static void check_place(player *me, scree_address at) {
  if (at && scree_global_worker(me->w, at) != scree_worker_number(me->w, me->w->rank, me->w->index))
    flaw(me, "what was sent to the owner of an address runs on another worker");
}

/* Nothing else changes the word of a shared object. */
static void on_mix(scree_worker *w, void *object, const mix_args *args, mix_result *result, void *home_) {
  player *me = player_of(home_, w);
  const bool in_handler = me->in_handler; /* false: a task has called it here */
  check_place(me, args->at);
  *result = (mix_result){args->at ? *(uint64_t *)object : mix_bytes(object, args), args->bytes};
  if (!args->at) return;
  *(uint64_t *)object += args->add;
  me->in_handler = true;
  send_one(me, 0, false);
  me->in_handler = in_handler;
}
SCREE_DELEGATE_BODY(mix, mix_args, mix_result, on_mix);

static bool call_by(actor *a, pending *p, form how, scree_address at, const mix_args *args, mix_result *to) {
  const mix_type mix = {a->me->home->mix};
  if (how == WAIT) return mix_call(a->self, mix, at, args->bytes, *args, to) == SCREE_OK;
  if (how == INTO) mix_call_into(a->w, &p->future, mix, at, args->bytes, *args, to);
  if (how == IN) mix_call_in(a->w, a->completion, mix, at, args->bytes, *args, to);
  if (how == NBI) mix_cast(a->w, mix, at, args->bytes, *args);
  return true;
}

/* A delegate that changes each byte, of as many as are in one piece, and returns what they were. */
static bool call(actor *a, scree_address at, unsigned char *model, uint64_t bytes) {
  const form drawn = form_for(a), how = drawn == POLL ? NBI : drawn;
  uint64_t max = BLOCK - scree_global_offset(map(a->me), at) % BLOCK;
  if (scree_global_is_linear(at) && scree_global_span(map(a->me), at) < max) max = scree_global_span(map(a->me), at);
  const mix_args args = {.bytes = bytes < max ? bytes : max, .add = draw(a, 256)};
  pending *p = begin(a, how, sizeof(mix_result));
  mix_result *to = draw(a, 2) ? (void *)p->buffer : NULL;
  const mix_result expected = {mix_bytes(model, &args), args.bytes};
  memcpy(p->expected, &expected, sizeof expected);
  if (how == NBI || (!to && how != INTO)) p->bytes = 0;
  return call_by(a, p, how, at, &args, to);
}

/* ---- shared words ---- */

static scree_address word_of(const player *me, uint32_t rank, uint32_t slot) {
  return scree_global_at(map(me), &me->home->words, rank, 8 * (me->epoch * SLOTS + slot));
}

/* By its word, so that what was added to another one is noticed; a short word counts modulo 2^32. */
static uint64_t weighed(uint64_t value, uint32_t rank, uint32_t slot) {
  return value * (scree__hash(rank * SLOTS + slot) | 1) << (slot >= SHORT && slot < OBJECT ? 32 : 0);
}

static void note_added(player *me, uint64_t value, uint32_t rank, uint32_t slot) {
  me->account->sum.totals.words++;
  me->account->sum.epoch[me->epoch].added += weighed(value, rank, slot);
}

/* Complete when the epoch has ended. */
void add_to_word(player *me, uint32_t rank, uint64_t value) {
  const uint32_t slot = (uint32_t)(value >> 32) % SHORT;
  note_added(me, value, rank, slot);
  scree_atomic_fetch_add_nbi(me->w, word_of(me, rank, slot), value, 8, NULL);
}

static bool change_shared(actor *a) {
  const uint32_t rank = draw(a, a->w->ranks), slot = draw(a, SLOTS);
  const scree_address at = word_of(a->me, rank, slot);
  const uint64_t value = scree__draw(&a->me->random);
  const form drawn = form_for(a), how = slot == OBJECT && drawn == POLL ? NBI : drawn;
  a->place = SCREE_GLOBAL_REPLICATE;
  a->operation = slot == OBJECT ? CALL : 2;
  pending *p = begin(a, how, slot == OBJECT ? sizeof(mix_result) : 8);
  uint64_t *word = (void *)p->buffer;
  p->bytes = 0;
  if (slot == SCRATCH) return value & 1 ? DO(a, p, how, put_value, at, value, 8) : DO(a, p, how, get, word, at, 8);
  const bool adds = slot == OBJECT || (how == NBI && draw(a, 2));
  if (adds) note_added(a->me, value, rank, slot);
  const mix_args args = {8, value, at};
  if (slot == OBJECT) return call_by(a, p, how, at, &args, NULL);
  p->atomic = (atomic){adds ? 0 : draw(a, 6), value, draw(a, 2) ? 0 : value >> 1, slot < SHORT ? 8 : 4};
  if (!adds) p->rank = rank, p->slot = slot;
  return change_by(a, p, how, at, adds ? NULL : word);
}

/* By one worker of a rank that has left the epoch. */
void count_words(player *me) {
  for (uint32_t slot = 0; slot < SCRATCH; slot++) {
    const uint64_t *word = scree_global_local(map(me), word_of(me, me->w->rank, slot));
    me->account->sum.epoch[me->epoch].found += weighed(*word, me->w->rank, slot);
  }
}

/* ---- an actor ---- */

/* Waits until all are complete, and checks their results. False: the world has failed. */
static bool finish(actor *a) {
  bool well = true;
  for (uint32_t i = 0; i < a->count && well; i++) {
    pending *p = &a->pending[i];
    unsigned char value[SCREE_FUTURE_MAX];
    const uint64_t bytes = p->bytes < SCREE_FUTURE_MAX ? p->bytes : SCREE_FUTURE_MAX;
    if (!p->sets) continue;
    well = scree_future_wait(a->self, &p->future, value) == SCREE_OK;
    if (well && memcmp(value, p->expected, bytes) != 0) flaw(a->me, "a future has another result");
    if (well) scree_future_close(&p->future);
    if (well && p->buffer[0] == 0xee) memcpy(p->buffer, value, bytes);
  }
  if (well) well = (a->self ? scree_quiet(a->self) : scree_quiet_poll(a->w)) == SCREE_OK;
  if (well && a->self) well = scree_completion_wait(a->self, a->completion) == SCREE_OK;
  for (uint32_t i = 0; i < a->count; i++) {
    pending *p = &a->pending[i];
    uint64_t old = 0;
    if (well && memcmp(p->buffer, p->expected, p->bytes) != 0) flaw(a->me, "an operation has another result");
    if (p->slot < SLOTS) memcpy(&old, p->buffer, p->atomic.bytes);
    if (well && p->slot < SLOTS) note_added(a->me, changed(&p->atomic, old) - old, p->rank, p->slot);
    free(p->buffer);
    free(p->expected);
  }
  a->count = 0;
  return well;
}

static scree_address at_of(const player *me, const area *of, uint64_t byte) {
  return of->place == ON_A_STACK ? scree_global_add(of->stack, (int64_t)byte)
                                 : scree_global_at(map(me), &of->array, of->copy, byte);
}

/* What is complete is in the memory of its owner, if this process knows that. */
static void look(player *me, const area *of, uint64_t from, uint64_t bytes) {
  for (uint64_t at = from, n; at < from + bytes && of->place != ON_A_STACK; at += n) {
    const scree_address where = at_of(me, of, at);
    const scree_global_map *its = map_of[scree_global_owner(map(me), where)];
    const unsigned char *there = of->memory ? of->memory + at : scree_global_local(its ? its : map(me), where);
    n = scree_global_is_linear(where) ? scree_global_span(map(me), where) : scree_global_contiguous(&of->array, at);
    if (n > from + bytes - at) n = from + bytes - at;
    if (there && memcmp(there, of->model + at, n) != 0)
      flaw(me, "bytes of an area of policy %u are not what was written", of->place);
  }
}

/* Operations on ranges that do not overlap. False: the world has failed. */
static bool act(actor *a, const area *of) {
  static bool (*const operations[OPERATIONS])(actor *, scree_address, unsigned char *, uint64_t) = {
      put, put, change, get, fill, copy, gather, scatter, [CALL] = call};
  uint64_t at = draw(a, 2) ? 0 : draw(a, of->bytes);
  a->place = of->place;
  for (uint32_t i = 0; i < RANGES && at < of->bytes; i++) {
    const uint64_t end = of->bytes, all = of->place == ON_A_STACK ? end - at : scree_global_contiguous(&of->array, at);
    a->operation = draw(a, OPERATIONS);
    const bool indexed = operations[a->operation] == gather || operations[a->operation] == scatter;
    uint64_t bytes = draw(a, 3) && !indexed ? 1 + draw(a, 20) : 1 + draw(a, end - at);
    if (end >= LARGE / 40 && draw(a, 2)) bytes = end - at;
    if (bytes > all) bytes = all;
    if (draw(a, 2) && !indexed && at % 8 == 0 && bytes > 8) bytes = 8;
    if (!operations[a->operation](a, at_of(a->me, of, at), of->model + at, bytes)) return false;
    at += bytes;
    /* Operations of handlers wait for nothing: they are words, which count as outstanding where they are checked. */
    const scree__globals *own = scree__globals_of(scree__worker_of(a->w));
    const driver *by = a->me->home->driver;
    const bool bounded = by->one_process && !by->at_once && !SCREE__GLOBAL_CHECKED && !own->of->world->checked;
    if (bounded && own->outstanding > own->outstanding_max) flaw(a->me, "more operations are outstanding than may be");
  }
  return true;
}

/* ---- bytes on a stack ---- */

typedef struct {
  unsigned char bytes[LENT];
  scree_future future;
} loan;

/* A task of any worker works on bytes of this one's stack, and returns what they must be. */
static bool lend(actor *a, loan *l) {
  const player *me = a->me;
  const borrow_type borrow = {me->home->borrow, me->home->borrow_id};
  const uint32_t rank = draw(a, a->w->ranks), worker = draw(a, me->home->p->epoch[me->epoch].takers);
  memset(l->bytes, 0, LENT);
  if (scree_future_open(a->w, &l->future, LENT, 1, NULL)) return false;
  borrow_args args = {.at = scree_global_stack(a->self, l->bytes), .future = scree_future_number(&l->future)};
  if (draw(a, 2)) args.where = word_of(me, rank, 0);
  if (args.where)
    borrow_spawn_at(a->w, borrow, a->completion, args.where, args);
  else
    borrow_spawn_on(a->w, borrow, a->completion, scree_worker_number(a->w, rank, worker), args);
  return args.at != SCREE_NO_ADDRESS;
}

static bool take_back(actor *a, loan *l) {
  unsigned char model[LENT];
  if (scree_future_wait(a->self, &l->future, model)) return false;
  scree_future_close(&l->future);
  if (memcmp(l->bytes, model, LENT) != 0) flaw(a->me, "bytes of a task's stack are not what was written");
  a->me->account->sum.totals.lent++;
  return true;
}

static void run_borrow(scree_task *self, const borrow_args *args) {
  scree_worker *w = scree_task_worker(self);
  player *me = player_of(scree_task_arg(self), w);
  unsigned char model[LENT] = {0};
  const area of = {.bytes = LENT, .place = ON_A_STACK, .stack = args->at, .model = model};
  actor a = {.me = me, .self = self, .w = w};
  check_place(me, args->where);
  if (draw(&a, 2)) { /* its completion waits for what it has begun */
    for (uint32_t i = 0; i < LENT; i += sizeof(uint64_t)) {
      const uint64_t value = scree__draw(&me->random);
      memcpy(model + i, &value, sizeof value);
      scree_put_value_nbi(w, scree_global_add(args->at, i), value, sizeof value);
    }
  } else {
    if (scree_completion_open(w, &a.completion)) return;
    const bool acted = act(&a, &of);
    if (!finish(&a) || !acted) return;
    scree_completion_close(a.completion);
  }
  scree_future_set_at(w, args->future, model, LENT);
}
SCREE_TASK_BODY(borrow, borrow_args, run_borrow);

/* ---- areas ---- */

static bool has_ledger(const player *me) {
  const driver *d = me->home->driver;
  return d->one_process && !d->at_once && map(me)->heap <= SMALL;
}

/* What is freed is reused only in the next epoch. */
static void note_grains(player *me, const area *of, bool frees) {
  if (!has_ledger(me) || of->place == SCREE_GLOBAL_EXPORTED) return;
  const uint8_t now = (uint8_t)(1 + me->epoch);
  const uint32_t copies = of->place == SCREE_GLOBAL_REPLICATE ? me->w->ranks : 1;
  for (uint32_t copy = 0; copy < copies; copy++)
    for (uint64_t b = 0; b < of->bytes; b += GRAIN) {
      const scree_address at = scree_global_at(map(me), &of->array, copies > 1 ? copy : of->copy, b);
      uint8_t *grain = &grain_of[scree_global_owner(map(me), at)][scree_global_offset(map(me), at) / GRAIN];
      if (!frees && *grain == now) flaw(me, "memory is allocated again in the epoch in which it was freed");
      if (!frees && *grain == TAKEN) flaw(me, "memory is allocated twice");
      me->account->sum.totals.reused += *grain && !frees;
      *grain = frees ? now : TAKEN;
    }
}

/* The place by the policy. */
static void check_policy(player *me, const area *of) {
  const scree_global *g = &of->array;
  const uint32_t home = me->w->rank, first = scree_global_owner(map(me), at_of(me, of, 0)),
                 last = scree_global_owner(map(me), at_of(me, of, of->bytes - 1));
  bool right = g->bytes == of->bytes && g->policy == of->place;
  if (of->place == SCREE_GLOBAL_PARTITION || of->place == SCREE_GLOBAL_CYCLIC) right &= first == 0;
  if (of->place == SCREE_GLOBAL_PARTITION_HERE) right &= first == home;
  if (of->place == SCREE_GLOBAL_LOCAL || of->place == SCREE_GLOBAL_EXPORTED) right &= first == home && last == home;
  if (of->place == SCREE_GLOBAL_CYCLIC) right &= scree_global_is_linear(at_of(me, of, 0));
  for (uint64_t b = 0; b < of->bytes; b += scree_global_contiguous(g, b)) {
    if (of->place == SCREE_GLOBAL_REMOTE) right &= scree_global_owner(map(me), at_of(me, of, b)) != home;
    if (of->place <= SCREE_GLOBAL_PARTITION_RANDOM)
      right &= scree_global_contiguous(g, b) <= of->bytes / me->w->ranks + 64;
  }
  if (!right) flaw(me, "an area of policy %u has its bytes elsewhere", of->place);
}

static void drop(area *of) {
  free(of->memory);
  free(of->model);
  free(of);
}

static void check_refused(const actor *a, const area *of, scree_status status) {
  const scree_status expected = of->place == SCREE_GLOBAL_REMOTE && a->w->ranks == 1 ? SCREE_EINVAL : SCREE_ENOMEM;
  const char *text = scree_error_text(a->me->home->world);
  if (scree_error(a->me->home->world)) return;
  a->me->account->sum.totals.refused++;
  if (status != expected || !strstr(text, expected == SCREE_EINVAL ? "REMOTE in a world of one" : "global_heap is"))
    flaw(a->me, "an allocation is refused: '%s'", text);
}

static area *allocate(actor *a) {
  area *of = calloc(1, sizeof *of);
  of->bytes = 1 + draw(a, draw(a, 16) ? 1000 : draw(a, 4) ? 20000 : LARGE / (a->w->ranks * a->w->threads));
  of->place = draw(a, SCREE_GLOBAL_EXPORTED + 1);
  of->copy = of->place == SCREE_GLOBAL_REPLICATE ? draw(a, a->w->ranks) : a->w->rank;
  of->model = calloc(1, of->bytes);
  if (of->place == SCREE_GLOBAL_EXPORTED) of->memory = calloc(1, of->bytes);
  const scree_status status = of->memory
                                  ? scree_global_export(a->self, of->memory, of->bytes, true, &of->array)
                                  : scree_global_alloc(a->self, of->bytes, (scree_global_policy)of->place, &of->array);
  if (status) {
    check_refused(a, of, status);
    drop(of);
    return NULL;
  }
  check_policy(a->me, of);
  note_grains(a->me, of, false);
  a->me->account->sum.totals.allocated++;
  for (uint64_t at = 0, n; at < of->bytes; at += n) {
    n = scree_global_contiguous(&of->array, at);
    if (scree_put(a->self, at_of(a->me, of, at), of->model + at, n)) break;
  }
  return of;
}

static area *take_area(actor *a) {
  area *of = a->me->kept;
  if (!a->me->home->p->bytes || (a->self && draw(a, 2))) of = NULL;
  if (of) a->me->kept = of->next;
  return of || !a->self || !a->me->home->p->bytes ? of : allocate(a);
}

static void keep(player *me, area *of) {
  of->next = me->kept;
  me->kept = of;
}

/* Or keeps it. */
static bool release(actor *a, area *of) {
  bool well = a->self && draw(a, 2);
  unsigned char *all = well ? malloc(of->bytes) : NULL;
  if (!well) return keep(a->me, of), true;
  for (uint64_t at = 0, n; at < of->bytes && well; at += n) {
    n = scree_global_contiguous(&of->array, at);
    well = scree_get(a->self, all + at, at_of(a->me, of, at), n) == SCREE_OK;
  }
  if (well && memcmp(all, of->model, of->bytes) != 0) flaw(a->me, "an area of policy %u has other bytes", of->place);
  free(all);
  if (!well) return keep(a->me, of), false;
  note_grains(a->me, of, true);
  well = scree_global_free(a->self, &of->array) == SCREE_OK;
  drop(of);
  return well;
}

/* ---- what the engine calls ---- */

/* If few tasks may live, each may wait for another one's end; and when an epoch fails, threads may write to stacks that
 * have been left. */
static bool lends_stacks(const player *me) {
  const program *p = me->home->p;
  return p->bytes && p->tasks == 1 && !(p->faults && me->home->driver->at_once);
}

scree_status act_on_memory(player *me, scree_task *self) {
  actor a = {.me = me, .self = self, .w = me->w};
  loan l;
  if (self && scree_completion_open(me->w, &a.completion)) return scree_error(me->home->world);
  area *of = take_area(&a);
  bool well = !scree_error(me->home->world);
  for (uint32_t round = 1 + draw(&a, 3); round > 0 && well && !me->over; round--) {
    const bool lends = lends_stacks(me) && self && draw(&a, 4) == 0;
    const uint32_t rank = draw(&a, me->w->ranks);
    for (uint32_t i = draw(&a, 8); i > 0; i--) add_to_word(me, rank, scree__draw(&me->random));
    for (uint32_t i = draw(&a, 4); i > 0 && well; i--) well = change_shared(&a);
    if (of && well) well = act(&a, of);
    if (lends && well) well = lend(&a, &l);
    well = finish(&a) && well;
    if (of && well) look(me, of, 0, of->bytes);
    if (lends && well) well = take_back(&a, &l);
  }
  if (of && !well) keep(me, of); /* others may still access it */
  if (of && well) well = release(&a, of);
  if (self && well) scree_completion_close(a.completion);
  return well ? SCREE_OK : scree_error(me->home->world);
}

scree_status open_global(home *h) {
  const program *p = h->p;
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  const uint64_t drawn = traffic_stream(p, "heap", 0) >> 16, outstanding = traffic_stream(p, "outstanding", 0) >> 16;
  const uint32_t rank = h->player[0].w->rank;
  options.global_heap = p->bytes && drawn % 2 ? 32 << 20 : SMALL;
  options.global_direct = (traffic_stream(p, "direct", 0) >> 16) % 3;
  if (!p->bytes || outstanding >> 8 & 1) options.global_outstanding = 1 + outstanding % 8;
  if (p->bytes) options.global_stripe = UINT64_C(8) << (drawn >> 8) % 10;
  const size_t bytes = sizeof(uint64_t[MOST_EPOCHS * SLOTS]);
  borrow_type borrow = {0};
  mix_type mix = {0};
  scree_status status = scree_global_open(h->world, &options);
  if (!status) status = scree_symmetric_alloc(h->world, bytes, &h->words);
  if (status) return status;
  h->map = scree_global_map_of(h->world);
  map_of[rank] = h->driver->one_process ? h->map : NULL;
  memset(grain_of[rank], 0, sizeof grain_of[rank]); /* as the words: others come after the gather of the first type */
  memset(scree_global_local(h->map, scree_global_at(h->map, &h->words, rank, 0)), 0, bytes);
  if (!status) status = mix_register(h->world, h, &mix);
  if (!status) status = borrow_register(h->world, h, &borrow);
  h->mix = mix.of, h->borrow = borrow.of, h->borrow_id = borrow.id;
  return status;
}

/* After the last epoch. */
void close_global(home *h) {
  scree_global_stats s = {.size = sizeof s};
  for (uint32_t i = 0; i < h->p->threads; i++)
    for (area *of; (of = h->player[i].kept); drop(of)) h->player[i].kept = of->next;
  if (scree_error(h->world) || !h->map || scree_global_stats_read(h->world, &s)) return;
  if (s.answered > s.requests || s.local + s.direct + s.requests + s.words < s.atomics + s.calls)
    flaw(&h->player[0], "of %llu requests %llu are answered", (unsigned long long)s.requests,
         (unsigned long long)s.answered);
}
