/* sim_global_rules.c - what global memory refuses, one row each, played on virtual ranks: options, calls that are
 * illegal, handles and addresses that are none. Of replies: sim_global_replies.c. */
#undef SCREE_CHECK_INLINE /* such files are refused more, and in other words: sim_global_checked.c */
#include <scree/global.h>

#include "global_rule.h"
#include "harness.h"

enum { HEAP = RULE_HEAP, CHUNKS = 3 }; /* memory is reserved in chunks of 1 MiB */

static uint32_t rank_of(actor *a) {
  return scree_worker_of(a->world, 0)->rank;
}

/* ---- opening ---- */

static scree_status no_power_of_two(actor *a) {
  return rule_open(a, HEAP, 48);
}
static scree_status small_heap(actor *a) {
  return rule_open(a, 4095, SCREE_UNSET);
}
static scree_status huge_heap(actor *a) {
  return rule_open(a, UINT64_C(1) << 40, SCREE_UNSET);
}
static scree_status by_environment(actor *a) {
  setenv("SCREE_GLOBAL_HEAP", "4095", 1);
  const scree_status status = rule_open(a, SCREE_UNSET, 64);
  unsetenv("SCREE_GLOBAL_HEAP");
  return status;
}
static scree_status other_heap(actor *a) {
  return rule_open(a, rank_of(a) == 2 ? 2 * HEAP : HEAP, SCREE_UNSET);
}
static scree_status other_stripe(actor *a) {
  return rule_open(a, HEAP, rank_of(a) == 2 ? 8 : 64);
}
static scree_status bad_elsewhere(actor *a) {
  return rule_open(a, HEAP, rank_of(a) == 2 ? 48 : 64);
}
static scree_status twice(actor *a) {
  const scree_status status = rule_open(a, HEAP, 64);
  return status ? status : rule_open(a, HEAP, 64);
}
static scree_status in_an_epoch(actor *a) {
  scree_begin(scree_worker_of(a->world, 0));
  const scree_status status = rule_open(a, HEAP, 64);
  scree_end(scree_worker_of(a->world, 0), NULL);
  return status;
}

/* ---- symmetric allocation ---- */

static scree_status symmetric(actor *a, uint64_t bytes) {
  scree_global array;
  const scree_status status = rule_open(a, HEAP, 64);
  return status ? status : scree_symmetric_alloc(a->world, bytes, &array);
}
static scree_status no_bytes(actor *a) {
  return symmetric(a, 0);
}
static scree_status other_bytes(actor *a) {
  return symmetric(a, rank_of(a) == 1 ? 200 : 100);
}
static scree_status all_bytes(actor *a) {
  return symmetric(a, HEAP);
}
static scree_status without_heap(actor *a) {
  scree_global array;
  check(!scree_global_map_of(a->world));
  return scree_symmetric_alloc(a->world, 8, &array);
}

/* ---- in tasks ---- */

static scree_status not_at_all(actor *a) {
  (void)a;
  return SCREE_OK;
}
static void goes_on(scree_task *self, actor *a) {
  scree_global array;
  check_equal(scree_global_alloc(self, 0, SCREE_GLOBAL_LOCAL, &array), SCREE_EINVAL);
  check_contains(scree_error_text(a->world), "0 bytes by policy 3: legal are 1 or more by policies 0..6");
  check_equal(scree_global_alloc(self, 8, SCREE_GLOBAL_POLICIES, &array), SCREE_EINVAL);
  check_equal(scree_global_alloc(self, HEAP, SCREE_GLOBAL_REPLICATE, &array), SCREE_ENOMEM);
  check_contains(scree_error_text(a->world), "65536 bytes of a rank's part, of which 65472 are free in one piece "
                                             "(global_heap is 65536)");
  check_equal(scree_global_alloc(self, UINT64_MAX, SCREE_GLOBAL_CYCLIC, &array), SCREE_ENOMEM);
  check_equal(scree_global_alloc(self, 8, SCREE_GLOBAL_LOCAL, &array), SCREE_OK);
  check_equal(scree_global_free(self, &array), SCREE_OK);
}
static void free_twice(scree_task *self, actor *a) {
  scree_global array = {0};
  (void)a;
  check_equal(scree_global_alloc(self, 100, SCREE_GLOBAL_PARTITION, &array), SCREE_OK);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  check_equal(scree_global_free(self, &array), SCREE_ESTATE);
}
/* The place has another allocation by now: the epoch in which it was freed has ended. */
static void free_old(scree_task *self, actor *a) {
  static scree_global first, second; /* one thread runs all ranks */
  (void)a;
  if (!first.bytes) {
    check_equal(scree_global_alloc(self, 100, SCREE_GLOBAL_LOCAL, &first), SCREE_OK);
    check_equal(scree_global_free(self, &first), SCREE_OK);
    return;
  }
  check_equal(scree_global_alloc(self, 100, SCREE_GLOBAL_LOCAL, &second), SCREE_OK);
  check_equal(second.place, first.place);
  check_equal(second.offset, first.offset);
  check_equal(scree_global_free(self, &first), SCREE_ESTATE);
}
static void free_nothing(scree_task *self, actor *a) {
  (void)a;
  check_equal(scree_global_free(self, &(scree_global){.bytes = 8, .place = 7, .generation = 1}), SCREE_ESTATE);
}
static void no_heap(scree_task *self, actor *a) {
  scree_global array;
  (void)a;
  check_equal(scree_global_alloc(self, 8, SCREE_GLOBAL_LOCAL, &array), SCREE_ESTATE);
}

/* ---- operations ---- */

static void get_word(scree_task *self, scree_address at) {
  uint64_t word;
  check_equal(scree_get(self, &word, at, sizeof word), SCREE_EINVAL);
}
static void after_the_part(scree_task *self, actor *a) {
  (void)a;
  get_word(self, scree_global_address(0, HEAP - 7));
}
static void after_all_parts(scree_task *self, actor *a) {
  (void)a;
  get_word(self, 3 * HEAP - 7);
}
static void no_address(scree_task *self, actor *a) {
  (void)a;
  get_word(self, SCREE_NO_ADDRESS);
}
static void no_rank(scree_task *self, actor *a) {
  (void)a;
  get_word(self, scree_global_address(3, 64));
}
static void not_allocated_here(scree_task *self, actor *a) {
  get_word(self, scree_global_address(rank_of(a), HEAP - 8));
}
/* What one rank has alone is at the end of its part; then that is known to be reserved, and is got inline. */
static scree_status three_chunks(actor *a) {
  return rule_open(a, CHUNKS << 20, SCREE_UNSET);
}
static scree_address known_word(scree_task *self, actor *a) {
  scree_global array = {0};
  uint64_t word;
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_LOCAL, &array), SCREE_OK);
  const scree_address at = scree_global_at(a->map, &array, 0, 0);
  for (uint64_t i = 0; i < 3; i++) {
    check_equal(scree_put_value(self, at, i, 8), SCREE_OK);
    for (int times = 0; times < 2; times++) check_equal(scree_get(self, &word, at, 8), SCREE_OK);
    check_equal(word, i);
  }
  check_equal(scree_global_owner(a->map, at), rank_of(a));
  return at;
}
static void after_what_is_known(scree_task *self, actor *a) {
  get_word(self, known_word(self, a) - (1 << 20));
}
static void put_before_what_is_known(scree_task *self, actor *a) {
  const scree_address end = known_word(self, a) | ((1 << 20) - 1);
  check_equal(scree_put_value(self, end - (1 << 20) - 7, 1, 8), SCREE_EINVAL);
}
static void put_after_the_part(scree_task *self, actor *a) {
  const scree_address end = known_word(self, a) | ((1 << 20) - 1);
  check_equal(scree_put_value(self, end + 1, 1, 8), SCREE_EINVAL);
}
static void known_but_not_aligned(scree_task *self, actor *a) {
  const scree_address at = known_word(self, a);
  const char bytes[9] = "12345678";
  char got[9] = "";
  for (int times = 0; times < 2; times++) check_equal(scree_put(self, at + 3, bytes, 8), SCREE_OK);
  check_equal(scree_get(self, got, at + 3, 8), SCREE_OK);
  check_string(got, bytes);
}
static void known_in_a_failed_world(scree_task *self, actor *a) {
  uint64_t word = 9;
  const scree_address at = known_word(self, a);
  scree_fail(scree_task_worker(self), SCREE_EPEER, "meant");
  check_equal(scree_get(self, &word, at, 8), SCREE_EPEER);
  check_equal(scree_put_value(self, at, 1, 8), SCREE_EPEER);
  check_equal(word, 9);
}
static void not_allocated_there(scree_task *self, actor *a) {
  (void)a;
  scree_put_value_nbi(scree_task_worker(self), scree_global_address(0, HEAP - 8), 1, 8);
  check_equal(scree_quiet(self), SCREE_EINVAL);
}
static scree_address word_of(scree_task *self) {
  scree_global array = {0};
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_REMOTE, &array), SCREE_OK);
  return scree_global_at(scree_global_map_of(scree_world_of(scree_task_worker(self))), &array, 0, 0);
}
static void not_aligned(scree_task *self, actor *a) {
  (void)a;
  check_equal(scree_atomic_swap(self, word_of(self) + 4, 1, 8, NULL), SCREE_EINVAL);
}
static void half_a_word(scree_task *self, actor *a) {
  (void)a;
  check_equal(scree_atomic_fetch_add(self, word_of(self), 1, 2, NULL), SCREE_EINVAL);
}
#define REFUSES(name, call)                                                                                            \
  static void name(scree_task *self, actor *a) {                                                                       \
    (void)a;                                                                                                           \
    check_equal(call, SCREE_EINVAL);                                                                                   \
  }
REFUSES(alloc_nowhere, scree_global_alloc(self, 8, SCREE_GLOBAL_LOCAL, NULL))
REFUSES(free_no_handle, scree_global_free(self, NULL))
REFUSES(find_nowhere, scree_global_find(self, 64, 8, NULL))
REFUSES(export_nowhere, scree_global_export(self, a, 8, true, NULL))
REFUSES(get_from_0, scree_get(self, &(uint64_t){0}, 0, 8))
REFUSES(get_from_last, scree_get(self, &(uint64_t){0}, UINT64_MAX, 8))
REFUSES(put_all, scree_put(self, word_of(self), a, SIZE_MAX))
static void long_value(scree_task *self, actor *a) {
  (void)a;
  check_equal(scree_put_value(self, word_of(self), 1, 9), SCREE_EINVAL);
}
static void poll_in_a_task(scree_task *self, actor *a) {
  (void)a;
  uint64_t word;
  check_equal(scree_get_poll(scree_task_worker(self), &word, word_of(self), 8), SCREE_ESTATE);
}
static void quiet_poll_in_a_task(scree_task *self, actor *a) {
  (void)a;
  check_equal(scree_quiet_poll(scree_task_worker(self)), SCREE_ESTATE);
}
/* The statistics count words of this rank apart from words of its node, and gets apart from puts. */
static void gathered_here(scree_task *self, actor *a) {
  scree_global here = {0};
  uint64_t words[3];
  scree_global_stats before = {.size = sizeof before}, after = before;
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_LOCAL, &here), SCREE_OK);
  const scree_address first = scree_global_at(a->map, &here, 0, 0), from[] = {first, first + 8, first + 16};
  check_equal(scree_global_stats_read(a->world, &before), SCREE_OK);
  check_equal(scree_gather(self, words, from, 3, 8), SCREE_OK);
  check_equal(scree_global_stats_read(a->world, &after), SCREE_OK);
  check_equal(after.local - before.local, 3);
  check_equal(after.direct, before.direct);
  before = after;
  check_equal(scree_get(self, words, first, 2 * sizeof *words), SCREE_OK);
  check_equal(scree_global_stats_read(a->world, &after), SCREE_OK);
  check_equal(after.gets - before.gets, 1);
  check_equal(after.puts, before.puts);
}
static void long_result(scree_task *self, actor *a) {
  (void)a;
  scree_future f;
  check_equal(scree_future_open(scree_task_worker(self), &f, 8, 1, NULL), SCREE_OK);
  scree_get_into(scree_task_worker(self), &f, NULL, word_of(self), 49);
  check_equal(scree_future_wait(self, &f, NULL), SCREE_EINVAL);
}
static void no_heap_to_get_from(scree_task *self, actor *a) {
  (void)a;
  uint64_t word;
  check_equal(scree_get(self, &word, 64, 8), SCREE_ESTATE);
}
/* On an object of the worker itself a delegate runs on the task's stack, and is none of the task all the same. */
static scree_task *running;
static void visit_here(scree_task *self, actor *a) {
  scree_global here;
  rule_args unused;
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_LOCAL, &here), SCREE_OK);
  running = self;
  const scree_address object = scree_global_at(a->map, &here, scree_task_worker(self)->rank, 0);
  check_equal(visit_call(self, a->visit, object, 8, (rule_args){object}, &unused), SCREE_ESTATE);
}
static void get_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  uint64_t word;
  (void)w, (void)a;
  check_equal(scree_get(running, &word, from, 8), SCREE_ESTATE);
}
static void yield_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  (void)w, (void)a, (void)from;
  check_equal(scree_task_yield(running), SCREE_ESTATE);
}
static void progress_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  (void)a, (void)from;
  check(!scree_progress(w));
}
static scree_status outside_an_epoch(actor *a) {
  uint64_t word;
  const scree_status status = rule_open(a, HEAP, 64);
  return status ? status : scree_get_poll(scree_worker_of(a->world, 0), &word, scree_global_address(0, 64), 8);
}

static const rule rules[] = {
    {"after a part", SCREE_EINVAL,
     "scree_get: 8 bytes at address 800000000000fff9 (rank 0, byte 65529 of its part): outside",
     .task = after_the_part},
    {"after all parts", SCREE_EINVAL, "outside of the heap", .task = after_all_parts},
    {"no address", SCREE_EINVAL, "outside of the heap", .task = no_address},
    {"no rank", SCREE_EINVAL, "outside of the heap", .task = no_rank},
    {"nothing here", SCREE_EINVAL, "has no memory there", .task = not_allocated_here},
    {"not known", SCREE_EINVAL, "has no memory there", .open = three_chunks, .task = after_what_is_known},
    {"not known, put", SCREE_EINVAL, "has no memory there", .open = three_chunks, .task = put_before_what_is_known},
    {"after a known part", SCREE_EINVAL, "outside of the heap", .open = three_chunks, .task = put_after_the_part},
    {"known, not aligned", SCREE_OK, "", .open = three_chunks, .task = known_but_not_aligned},
    {"known, failed", SCREE_EPEER, "meant", .open = three_chunks, .task = known_in_a_failed_world},
    {"nothing there", SCREE_EINVAL, "rank 2 accesses 8 bytes at byte 65528", .task = not_allocated_there},
    {"not aligned", SCREE_EINVAL, "scree_atomic_swap: 8 bytes", .task = not_aligned},
    {"half a word", SCREE_EINVAL, "words of 4 or 8 bytes", .task = half_a_word},
    {"alloc nowhere", SCREE_EINVAL, "scree_global_alloc: no place for the handle", .task = alloc_nowhere},
    {"free nothing", SCREE_EINVAL, "scree_global_free: no allocation", .task = free_no_handle},
    {"find nowhere", SCREE_EINVAL, "scree_global_find: no place for the handle", .task = find_nowhere},
    {"export nowhere", SCREE_EINVAL, "scree_global_export: no place for the handle", .task = export_nowhere},
    {"get from address 0", SCREE_EINVAL, "scree_get: 8 bytes at address 0 ", .task = get_from_0},
    {"get from the last address", SCREE_EINVAL, "scree_get: 8 bytes at address ffffffffffffffff",
     .task = get_from_last},
    {"put all", SCREE_EINVAL, "scree_put: 18446744073709551615 bytes at address ", .task = put_all},
    {"a long value", SCREE_EINVAL, "a value has 1 to 8 bytes", .task = long_value},
    {"a poll in a task", SCREE_ESTATE, "scree_get", .task = poll_in_a_task},
    {"a quiet poll in a task", SCREE_ESTATE, "scree_quiet_poll", .task = quiet_poll_in_a_task},
    {"a delegate here that gets", SCREE_ESTATE, "in a handler", .task = visit_here, .visit = get_in_a_delegate},
    {"a delegate here that yields", SCREE_ESTATE, "in a handler", .task = visit_here, .visit = yield_in_a_delegate},
    {"a delegate here that makes progress", SCREE_ESTATE, "called inside the handler of type 'visit'",
     .task = visit_here, .visit = progress_in_a_delegate},
    {"gathered here", SCREE_OK, "", .nodes = 1, .task = gathered_here},
    {"a long result", SCREE_EINVAL, "more than a future holds", .task = long_result},
    {"no heap to get from", SCREE_ESTATE, "call scree_global_open first", .open = not_at_all,
     .task = no_heap_to_get_from},
    {"outside an epoch", SCREE_ESTATE, "no epoch is open", .open = outside_an_epoch},
    {"a stripe", SCREE_EINVAL, "global_stripe 48 is not a power of two: use 32", .open = no_power_of_two},
    {"a small heap", SCREE_EINVAL, "global_heap", .open = small_heap},
    {"a variable", SCREE_EINVAL, "SCREE_GLOBAL_HEAP", .open = by_environment},
    {"a heap larger than memory", SCREE_ENOMEM, "1099511627776 bytes for each rank are 3298534883328 for the ranks",
     .nodes = 1, .open = huge_heap},
    {"heaps that differ", SCREE_EINVAL, "rank 2 has 131072: pass the same", .open = other_heap},
    {"stripes that differ", SCREE_EINVAL, "global_stripe is 64 on rank 0, 8 on rank 2", .open = other_stripe},
    {"options of one rank", SCREE_EINVAL, "", .open = bad_elsewhere},
    {"twice", SCREE_ESTATE, "already: open it once", .open = twice},
    {"in an epoch", SCREE_ESTATE, "scree_global_open", .open = in_an_epoch},
    {"symmetric, nothing", SCREE_EINVAL, "rank 0 requests 0 bytes", .open = no_bytes},
    {"symmetric, different", SCREE_EINVAL, "rank 0 requests 100 bytes, rank 1 requests 200", .open = other_bytes},
    {"symmetric, too much", SCREE_ENOMEM, "global_heap is 65536", .open = all_bytes},
    {"symmetric, no heap", SCREE_ESTATE, "call scree_global_open first", .open = without_heap},
    {"refused calls", SCREE_OK, "", .task = goes_on},
    {"freed twice", SCREE_ESTATE, "was freed before, or is none of this world", .task = free_twice},
    {"an old handle", SCREE_ESTATE, "was freed before", .task = free_old},
    {"no handle", SCREE_ESTATE, "was freed before", .task = free_nothing},
    {"no heap", SCREE_ESTATE, "call scree_global_open first", .open = not_at_all, .task = no_heap},
};

HARNESS_TEST(refused) {
  rules_run(rules, sizeof rules / sizeof *rules, 1, false);
}

HARNESS_MAIN
