/* sim_global_rules.c - what global memory refuses, one rule each, on virtual ranks: options, calls that are
 * illegal, handles and addresses that are none. Of replies: sim_global_replies.c. */
#undef SCREE_CHECK_INLINE /* such files are refused more, and in other words: sim_global_checked.c */
#include <scree/global.h>

#include "rules.h"

#define RULES rule_global

enum { HEAP = RULE_HEAP, CHUNKS = 3 }; /* memory is reserved in chunks of 1 MiB */

static uint32_t rank_of(actor *a) {
  return scree_worker_of(a->world, 0)->rank;
}

/* ---- opening ---- */

REFUSED_OPEN(no_power_of_two, rule_open(a, HEAP, 48), SCREE_EINVAL, "global_stripe 48 is not a power of two: use 32")
REFUSED_OPEN(small_heap, rule_open(a, 4095, SCREE_UNSET), SCREE_EINVAL, "global_heap")
REFUSED_OPEN(huge_heap, rule_open(a, UINT64_C(1) << 40, SCREE_UNSET), SCREE_ENOMEM,
             "1099511627776 bytes for each rank are 3298534883328 for the ranks", .nodes = 1)
RULE_OPEN(by_environment, SCREE_EINVAL, "SCREE_GLOBAL_HEAP") {
  setenv("SCREE_GLOBAL_HEAP", "4095", 1);
  const scree_status status = rule_open(a, SCREE_UNSET, 64);
  unsetenv("SCREE_GLOBAL_HEAP");
  return status;
}
REFUSED_OPEN(other_heap, rule_open(a, rank_of(a) == 2 ? 2 * HEAP : HEAP, SCREE_UNSET), SCREE_EINVAL,
             "rank 2 has 131072: pass the same")
REFUSED_OPEN(other_stripe, rule_open(a, HEAP, rank_of(a) == 2 ? 8 : 64), SCREE_EINVAL,
             "global_stripe is 64 on rank 0, 8 on rank 2")
REFUSED_OPEN(bad_elsewhere, rule_open(a, HEAP, rank_of(a) == 2 ? 48 : 64), SCREE_EINVAL, "")
RULE_OPEN(twice, SCREE_ESTATE, "already: open it once") {
  const scree_status status = rule_open(a, HEAP, 64);
  return status ? status : rule_open(a, HEAP, 64);
}
RULE_OPEN(in_an_epoch, SCREE_ESTATE, "scree_global_open") {
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
REFUSED_OPEN(no_bytes, symmetric(a, 0), SCREE_EINVAL, "rank 0 requests 0 bytes")
REFUSED_OPEN(other_bytes, symmetric(a, rank_of(a) == 1 ? 200 : 100), SCREE_EINVAL,
             "rank 0 requests 100 bytes, rank 1 requests 200")
REFUSED_OPEN(all_bytes, symmetric(a, HEAP), SCREE_ENOMEM, "global_heap is 65536")
RULE_OPEN(without_heap, SCREE_ESTATE, "call scree_global_open first") {
  scree_global array;
  check(!scree_global_map_of(a->world));
  return scree_symmetric_alloc(a->world, 8, &array);
}

/* ---- in tasks ---- */

static scree_status not_at_all(actor *a) {
  return SCREE_OK;
}
RULE(goes_on, SCREE_OK, "") {
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
RULE(free_twice, SCREE_ESTATE, "was freed before, or is none of this world") {
  scree_global array = {0};
  check_equal(scree_global_alloc(self, 100, SCREE_GLOBAL_PARTITION, &array), SCREE_OK);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  check_equal(scree_global_free(self, &array), SCREE_ESTATE);
}
/* The place has another allocation by now: the epoch in which it was freed has ended. */
RULE(free_old, SCREE_ESTATE, "was freed before") {
  static scree_global first, second; /* one thread runs all ranks */
  if (!first.bytes) {
    check_equal(scree_global_alloc(self, 100, SCREE_GLOBAL_LOCAL, &first), SCREE_OK);
    check_equal(scree_global_free(self, &first), SCREE_OK);
    return;
  }
  check_equal(scree_global_alloc(self, 100, SCREE_GLOBAL_LOCAL, &second), SCREE_OK);
  if (second.place == first.place) check_equal(second.offset, first.offset); /* unless its generations are used up */
  check_equal(scree_global_free(self, &first), SCREE_ESTATE);
  first.bytes = 0; /* for the next run */
}
REFUSED(free_nothing, scree_global_free(self, &(scree_global){.bytes = 8, .place = 7, .generation = 1}), SCREE_ESTATE,
        "was freed before")
REFUSED(no_heap, scree_global_alloc(self, 8, SCREE_GLOBAL_LOCAL, &(scree_global){0}), SCREE_ESTATE,
        "call scree_global_open first", .open = not_at_all)

/* ---- operations ---- */

static uint64_t word;
static scree_status get_word(scree_task *self, scree_address at) {
  return scree_get(self, &word, at, sizeof word);
}
REFUSED(after_the_part, get_word(self, scree_global_address(0, HEAP - 7)), SCREE_EINVAL,
        "scree_get: 8 bytes at address 800000000000fff9 (rank 0, byte 65529 of its part): outside")
REFUSED(after_all_parts, get_word(self, 3 * HEAP - 7), SCREE_EINVAL, "outside of the heap")
REFUSED(no_address, get_word(self, SCREE_NO_ADDRESS), SCREE_EINVAL, "outside of the heap")
REFUSED(no_rank, get_word(self, scree_global_address(3, 64)), SCREE_EINVAL, "outside of the heap")
REFUSED(not_allocated_here, get_word(self, scree_global_address(rank_of(a), HEAP - 8)), SCREE_EINVAL,
        "has no memory there")
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
REFUSED(after_what_is_known, get_word(self, known_word(self, a) - (1 << 20)), SCREE_EINVAL, "has no memory there",
        .open = three_chunks)
static scree_status put_after_known(scree_task *self, actor *a, int64_t bytes) {
  const scree_address end = known_word(self, a) | ((1 << 20) - 1);
  return scree_put_value(self, scree_global_add(end, bytes), 1, 8);
}
REFUSED(put_before_what_is_known, put_after_known(self, a, -(1 << 20) - 7), SCREE_EINVAL, "has no memory there",
        .open = three_chunks)
REFUSED(put_after_the_part, put_after_known(self, a, 1), SCREE_EINVAL, "outside of the heap", .open = three_chunks)
RULE(known_but_not_aligned, SCREE_OK, "", .open = three_chunks) {
  const scree_address at = known_word(self, a);
  const char bytes[9] = "12345678";
  char got[9] = "";
  for (int times = 0; times < 2; times++) check_equal(scree_put(self, at + 3, bytes, 8), SCREE_OK);
  check_equal(scree_get(self, got, at + 3, 8), SCREE_OK);
  check_string(got, bytes);
}
RULE(known_in_a_failed_world, SCREE_EPEER, "meant", .open = three_chunks) {
  uint64_t word = 9;
  const scree_address at = known_word(self, a);
  scree_fail(scree_task_worker(self), SCREE_EPEER, "meant");
  check_equal(scree_get(self, &word, at, 8), SCREE_EPEER);
  check_equal(scree_put_value(self, at, 1, 8), SCREE_EPEER);
  check_equal(word, 9);
}
RULE(not_allocated_there, SCREE_EINVAL, "rank 2 accesses 8 bytes at byte 65528") {
  scree_put_value_nbi(scree_task_worker(self), scree_global_address(0, HEAP - 8), 1, 8);
  check_equal(scree_quiet(self), SCREE_EINVAL);
}
static scree_address word_of(scree_task *self) {
  scree_global array = {0};
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_REMOTE, &array), SCREE_OK);
  return scree_global_at(scree_global_map_of(scree_world_of(scree_task_worker(self))), &array, 0, 0);
}
REFUSED(not_aligned, scree_atomic_swap(self, word_of(self) + 4, 1, 8, NULL), SCREE_EINVAL, "scree_atomic_swap: 8 bytes")
REFUSED(half_a_word, scree_atomic_fetch_add(self, word_of(self), 1, 2, NULL), SCREE_EINVAL, "words of 4 or 8 bytes")
REFUSED(alloc_nowhere, scree_global_alloc(self, 8, SCREE_GLOBAL_LOCAL, NULL), SCREE_EINVAL,
        "scree_global_alloc: no place for the handle")
REFUSED(free_no_handle, scree_global_free(self, NULL), SCREE_EINVAL, "scree_global_free: no allocation")
REFUSED(find_nowhere, scree_global_find(self, 64, 8, NULL), SCREE_EINVAL, "scree_global_find: no place for the handle")
REFUSED(export_nowhere, scree_global_export(self, a, 8, true, NULL), SCREE_EINVAL,
        "scree_global_export: no place for the handle")
REFUSED(get_from_0, get_word(self, 0), SCREE_EINVAL, "scree_get: 8 bytes at address 0 ")
REFUSED(get_from_last, get_word(self, UINT64_MAX), SCREE_EINVAL, "scree_get: 8 bytes at address ffffffffffffffff")
REFUSED(put_all, scree_put(self, word_of(self), a, SIZE_MAX), SCREE_EINVAL,
        "scree_put: 18446744073709551615 bytes at address ")
REFUSED(long_value, scree_put_value(self, word_of(self), 1, 9), SCREE_EINVAL, "a value has 1 to 8 bytes")
REFUSED(poll_in_a_task, scree_get_poll(scree_task_worker(self), &word, word_of(self), 8), SCREE_ESTATE, "scree_get")
REFUSED(quiet_poll_in_a_task, scree_quiet_poll(scree_task_worker(self)), SCREE_ESTATE, "scree_quiet_poll")
/* The statistics count words of this rank apart from words of its node, and gets apart from puts. */
RULE(gathered_here, SCREE_OK, "", .nodes = 1) {
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
RULE(long_result, SCREE_EINVAL, "more than a future holds") {
  scree_future f;
  check_equal(scree_future_open(scree_task_worker(self), &f, 8, 1, NULL), SCREE_OK);
  scree_get_into(scree_task_worker(self), &f, NULL, word_of(self), 49);
  check_equal(scree_future_wait(self, &f, NULL), SCREE_EINVAL);
}
REFUSED(no_heap_to_get_from, get_word(self, 64), SCREE_ESTATE, "call scree_global_open first", .open = not_at_all)
/* On an object of the worker itself a delegate runs on the task's stack, and is none of the task all the same. */
static scree_task *running;
static void visit_here(scree_task *self, actor *a, uint64_t n) {
  scree_global here;
  job_args unused;
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_LOCAL, &here), SCREE_OK);
  running = self;
  const scree_address object = scree_global_at(a->map, &here, scree_task_worker(self)->rank, 0);
  check_equal(visit_call(self, a->visit, object, 8, (job_args){object}, &unused), SCREE_ESTATE);
}
REFUSED_VISIT(get_in_a_delegate, get_word(running, from), SCREE_ESTATE, "in a handler", .task = visit_here)
REFUSED_VISIT(yield_in_a_delegate, scree_task_yield(running), SCREE_ESTATE, "in a handler", .task = visit_here)
REFUSED_VISIT(progress_in_a_delegate, scree_progress(w) ? SCREE_OK : SCREE_ESTATE, SCREE_ESTATE,
              "called inside the handler of type 'visit'", .task = visit_here)
RULE_OPEN(outside_an_epoch, SCREE_ESTATE, "no epoch is open") {
  const scree_status status = rule_open(a, HEAP, 64);
  return status ? status : scree_get_poll(scree_worker_of(a->world, 0), &word, scree_global_address(0, 64), 8);
}

HARNESS_MAIN
