/* forward_pass.c - times the forward pass, sends and handling on one rank. All variants read their items from the same blocks, or
 * from as many. */
#include "forward_pass.h"

#include <string.h>

#include "forward_station.h"

typedef struct {
  station at;
  uint64_t sum; /* of the items that arrive */
  bool to_me;
} job;

static void run_forward(void *arg, uint64_t n) {
  (void)n;
  bench_station_arrive(&((job *)arg)->at, 0);
}
static void run_handle(void *arg, uint64_t n) {
  station *s = &((job *)arg)->at;
  (void)n;
  bench_station_arrive(s, s->classes - 1);
}

static void run_send(void *arg, uint64_t n) {
  station *s = &((job *)arg)->at;
  (void)n;
  const routed_type t = {s->type};
  scree_worker *w = s->w;
  const uint32_t count = bench_station_items(s);
  scree_begin(w);
  for (uint32_t i = 0; i < s->blocks; i++) {
    const char *at = scree__block_data(bench_station_block(s, i));
    for (uint32_t k = 0; k < count; k++, at += sizeof(uint64_t) + SCREE__TAG) {
      uint64_t value;
      uint32_t tag;
      memcpy(&value, at, sizeof value);
      memcpy(&tag, at + sizeof value, sizeof tag);
      routed_send(w, t, tag & UINT16_MAX, value);
    }
  }
  scree_end(w, NULL);
}

/* The destination is drawn from the value, since an item here has no tag: about as much work as to read one. */
static void run_plain_send(void *arg, uint64_t n) {
  station *s = &((job *)arg)->at;
  (void)n;
  const plain_type t = {s->type};
  scree_worker *w = s->w;
  const uint32_t count = bench_station_items(s);
  scree_begin(w);
  for (uint32_t i = 0; i < s->blocks; i++) {
    const char *at = scree__block_data(bench_station_block(s, i));
    for (uint32_t k = 0; k < count; k++, at += sizeof(uint64_t)) {
      uint64_t value;
      memcpy(&value, at, sizeof value);
      plain_send(w, t, bench_station_dest(value), value);
    }
  }
  scree_end(w, NULL);
}

static uint64_t items_of(const station *s) {
  return (uint64_t)s->blocks * bench_station_items(s);
}

static bool is_good(const station *s) {
  return scree_error(s->world) == SCREE_OK;
}

/* Items are always counted; the values of those that leave are checked while warming up. */
static bool check_left(void *arg, uint64_t n) {
  job *j = arg;
  station *s = &j->at;
  (void)n;
  const bool good =
      s->rank.items == items_of(s) && s->handled == 0 && (!s->rank.check_items || s->rank.sum == j->sum) && is_good(s);
  s->rank.items = s->rank.sum = 0;
  s->rank.check_items = false;
  return good;
}

/* Handling has moved the items, so the next round needs new ones. */
static bool check_handled(void *arg, uint64_t n) {
  job *j = arg;
  station *s = &j->at;
  (void)n;
  const bool good = s->handled == items_of(s) && s->rank.items == 0 && s->handled_sum == j->sum && is_good(s);
  s->handled = s->handled_sum = 0;
  bench_station_supply(s, j->to_me);
  return good;
}

enum { FORWARD, SEND, HANDLE, PLAIN_SEND, PLAIN_HANDLE, VARIANTS };
static const struct {
  const char *name;
  uint64_t route;
  void (*run)(void *arg, uint64_t n);
  bool (*check)(void *arg, uint64_t n);
} variants[VARIANTS] = {
    [FORWARD] = {"forward", SCREE_ROUTE_ROOK, run_forward, check_left},
    [SEND] = {"send", SCREE_ROUTE_ROOK, run_send, check_left},
    [HANDLE] = {"handle", SCREE_ROUTE_ROOK, run_handle, check_handled},
    [PLAIN_SEND] = {"send, plain", SCREE_ROUTE_DIRECT, run_plain_send, check_left},
    [PLAIN_HANDLE] = {"handle, plain", SCREE_ROUTE_DIRECT, run_handle, check_handled},
};

static bool open_job(job *j, int variant, uint64_t n, bench_variant *out) {
  if (!bench_station_open(&j->at, variants[variant].route, n)) return false;
  j->to_me = variants[variant].check == check_handled;
  j->at.rank.check_items = !j->to_me;
  j->sum = bench_station_supply(&j->at, j->to_me);
  *out = (bench_variant){.name = variants[variant].name,
                         .run = variants[variant].run,
                         .check = variants[variant].check,
                         .arg = j,
                         .n = items_of(&j->at)};
  return true;
}

bool bench_forward_pass(const bench *b, int scale, forward_pass *out) {
  static job jobs[VARIANTS];
  bench_variant all[VARIANTS];
  bool good = true;
  for (int i = 0; good && i < VARIANTS; i++) good = open_job(&jobs[i], i, UINT64_C(1) << scale, &all[i]);
  good = bench_all(good) && bench_rounds(b, all, VARIANTS);
  for (int i = 0; i < VARIANTS; i++) good = bench_station_close(&jobs[i].at) && good;
  if (good) *out = (forward_pass){all[FORWARD], all[SEND], all[HANDLE], all[PLAIN_SEND], all[PLAIN_HANDLE]};
  return good;
}
