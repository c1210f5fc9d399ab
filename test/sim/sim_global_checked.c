/* sim_global_checked.c - what checked mode notices of global memory, and what is refused only because of its place: one
 * rule each, on virtual ranks. What is refused everywhere: sim_global_rules.c. */
#undef SCREE_CHECK_INLINE
#define SCREE_CHECK_INLINE /* worlds of half of the runs are not */
#include "rules.h"

#define RULES rule_global_checked

enum { HEAP = RULE_HEAP, SEEDS = 6 };

static scree_task *running; /* the rule's: one thread runs all ranks */

static scree_global allocate(scree_task *self, uint64_t bytes, scree_global_policy policy) {
  scree_global array = {0};
  check_equal(scree_global_alloc(self, bytes, policy, &array), SCREE_OK);
  return array;
}
static scree_address at(const actor *a, const scree_global *array, uint64_t byte) {
  return scree_global_at(a->map, array, 0, byte);
}
static scree_status get(scree_task *self, scree_address from, size_t bytes) {
  char to[256];
  return scree_get(self, to, from, bytes);
}

static scree_status get_of(scree_task *self, actor *a, uint64_t all, scree_global_policy policy, uint64_t byte,
                           size_t bytes) {
  const scree_global array = allocate(self, all, policy);
  return get(self, at(a, &array, byte), bytes);
}

/* ---- addresses ---- */

#define IN_NONE "are of no allocation that lives"

RULE(lives, SCREE_OK, "") {
  for (scree_global_policy p = SCREE_GLOBAL_PARTITION; p < SCREE_GLOBAL_POLICIES; p++) {
    const scree_global array = allocate(self, 200, p);
    scree_global found = {0};
    for (uint64_t b = 0, n; b < array.bytes; b += n) {
      n = scree_global_contiguous(&array, b);
      check_equal(get(self, at(a, &array, b), n), SCREE_OK);
      check_equal(scree_global_find(self, at(a, &array, b), n, &found), SCREE_OK);
      check_equal(found.place, array.place);
      check_equal(found.generation, array.generation);
    }
    check_equal(scree_global_free(self, &array), SCREE_OK);
    check_equal(scree_global_find(self, at(a, &array, 0), 8, &found), SCREE_ESTATE);
    check_contains(scree_error_text(a->world), "of an allocation that was freed in this epoch");
  }
  scree_global found;
  check_equal(scree_global_find(self, scree_global_address(1, HEAP / 2), 0, &found), SCREE_EINVAL);
}
RULE(freed, SCREE_ESTATE, "scree_get: task 'job' of rank 2: 8 bytes at address ") {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_LOCAL);
  check_equal(get(self, at(a, &array, 92), 8), SCREE_OK); /* this worker has a copy now */
  check_equal(scree_global_free(self, &array), SCREE_OK);
  check_equal(get(self, at(a, &array, 92), 8), SCREE_ESTATE);
}
RULE(freed_word, SCREE_ESTATE, "had them and was freed") {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_REMOTE);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  scree_atomic_fetch_add_nbi(scree_task_worker(self), at(a, &array, 8), 1, 8, NULL);
}
REFUSED(never_allocated, get_of(self, a, 100, SCREE_GLOBAL_CYCLIC, 96, 5), SCREE_EINVAL,
        "CYCLIC, 100 bytes, byte 0 on rank 0, has other bytes there")
RULE(past_a_replica, SCREE_EINVAL, "REPLICATE, 100 bytes, byte 0 on rank 0, has other bytes there") {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_REPLICATE);
  check_equal(get(self, at(a, &array, 92), 8), SCREE_OK);
  check_equal(get(self, at(a, &array, 96), 8), SCREE_EINVAL);
}
RULE(local_meant_for_all, SCREE_EINVAL, "LOCAL, 100 bytes, byte 0 on rank 2, has other bytes there") {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_LOCAL);
  check_equal(get(self, scree_global_address(0, array.offset), 8), SCREE_EINVAL);
}
REFUSED(over_a_part, get_of(self, a, 3 * 64, SCREE_GLOBAL_PARTITION, 60, 8), SCREE_EINVAL, IN_NONE)
RULE(of_its_own_rank, SCREE_EINVAL, IN_NONE) {
  const scree_global array = allocate(self, 3 * 64, SCREE_GLOBAL_REMOTE);
  check_equal(get(self, scree_global_address(2, array.offset), 8), SCREE_EINVAL);
}
RULE(gathered, SCREE_EINVAL, "scree_gather: task 'job' of rank 2") {
  const scree_global array = allocate(self, 64, SCREE_GLOBAL_CYCLIC);
  const scree_address from[] = {at(a, &array, 0), at(a, &array, 64)};
  uint64_t to[2];
  check_equal(scree_gather(self, to, from, 2, 8), SCREE_EINVAL);
}
RULE(copied_from, SCREE_EINVAL, "scree_copy: task 'job' of rank 2") {
  const scree_global array = allocate(self, 64, SCREE_GLOBAL_CYCLIC);
  check_equal(scree_copy(self, at(a, &array, 0), at(a, &array, 8), 64), SCREE_EINVAL);
}
static void freed_for_a_handler(scree_task *self, actor *a, uint64_t n) {
  const scree_global here = allocate(self, 64, SCREE_GLOBAL_CYCLIC), array = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  visit_cast(scree_task_worker(self), a->visit, at(a, &here, 0), 8, (job_args){at(a, &array, 0)});
}
RULE_VISIT(poll_what_was_freed, SCREE_ESTATE, "a handler of rank 0: 8 bytes", .task = freed_for_a_handler) {
  static uint64_t word;
  scree_get_nbi(w, &word, from, 8);
}

/* What a program has kept of another world: in a file, for example. */
static scree_global kept;
RULE(keep, SCREE_OK, "", .ranks = 4) {
  if (!kept.bytes) kept = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
}
RULE(free_what_was_kept, SCREE_ESTATE, "was freed before, or is none of this world") {
  const scree_global own = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
  check_equal(own.place, kept.place);
  check_equal(scree_global_free(self, &kept), SCREE_ESTATE);
}
REFUSED(address_that_was_kept, get(self, kept.offset, 8), SCREE_EINVAL, IN_NONE)

/* ---- memory after the heap, which a task of rank 0 changes ---- */

static scree_status change_there(scree_task *self, scree_address word) {
  uint64_t old = 0, back = 0;
  scree_status status = scree_put_value(self, word, 41, 8);
  if (!status) status = scree_atomic_fetch_add(self, word, 1, 8, &old);
  if (!status) status = scree_gather(self, &back, &word, 1, 8);
  if (!status) check(old == 41 && back == 42);
  return status;
}
static void change(scree_task *self, actor *a, uint64_t word) {
  change_there(self, word);
}
static scree_status by_rank_0(scree_task *self, actor *a, scree_address word) {
  scree_scope *scope = scree_finish(self);
  job_spawn_on(scree_task_worker(self), a->job, scope, 0, (job_args){word});
  return scree_finish_end(self, scope);
}
static scree_global export(scree_task *self, void *memory, uint64_t bytes, bool writable) {
  scree_global array = {0};
  check_equal(scree_global_export(self, memory, bytes, writable, &array), SCREE_OK);
  return array;
}
RULE(exported, SCREE_OK, "", .other = change) {
  static uint64_t words[3];
  const scree_global array = export(self, words, sizeof words, true), other = export(self, words, 8, false);
  words[1] = 0;
  check(!scree_global_local(a->map, at(a, &array, 8)));
  check_equal(change_there(self, at(a, &array, 8)), SCREE_OK); /* of its own rank */
  words[1] = 0;
  check_equal(by_rank_0(self, a, at(a, &array, 8)), SCREE_OK);
  check_equal(words[1], 42);
  check_equal(get(self, at(a, &other, 0), 8), SCREE_OK);
  check_equal(scree_global_free(self, &other), SCREE_OK);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  scree_global wrong;
  check_equal(scree_global_export(self, NULL, 8, true, &wrong), SCREE_EINVAL);
  check_equal(scree_global_export(self, (char *)words + 1, 8, true, &wrong), SCREE_EINVAL);
  check_contains(scree_error_text(a->world), "legal are 1 to 2^38 bytes that begin at a multiple of 8");
}
static uint64_t row[8];
RULE(exported_to_read, SCREE_EINVAL, "rank 0 writes 8 bytes at byte 65544: it was exported read only",
     .other = change) {
  const scree_global array = export(self, row, sizeof row, false);
  by_rank_0(self, a, at(a, &array, 8));
}
RULE(own_to_read, SCREE_EINVAL, "it was exported read only") {
  const scree_global array = export(self, row, sizeof row, false);
  change_there(self, at(a, &array, 8));
}
RULE(after_what_was_exported, SCREE_EINVAL, "", .other = change) {
  const scree_global array = export(self, row, sizeof row, true);
  by_rank_0(self, a, at(a, &array, sizeof row));
}
RULE(export_that_was_freed, SCREE_ESTATE, "exported, 64 bytes, byte 0 on rank 2, had them and was freed",
     .other = change) {
  const scree_global array = export(self, row, sizeof row, true);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  by_rank_0(self, a, at(a, &array, 0));
}
RULE(on_a_stack, SCREE_OK, "", .other = change) {
  volatile uint64_t words[4] = {0};
  const scree_address first = scree_global_stack(self, (void *)(uintptr_t)words);
  check_equal(scree_global_stack(self, (void *)(uintptr_t)&words[2]), first + 16); /* arithmetic alone */
  check_equal(by_rank_0(self, a, scree_global_add(first, 16)), SCREE_OK);
  check_equal(words[2], 42);
  words[1] = 0;
  check_equal(change_there(self, first + 8), SCREE_OK);
  check_equal(words[1], 42);
}
RULE(on_no_stack, SCREE_EINVAL, "the pointer is not on the stack of this task of type 'job'") {
  check_equal(scree_global_stack(self, row), SCREE_NO_ADDRESS);
}
RULE(over_a_stack, SCREE_EINVAL, "outside of the heap, and of what was exported") {
  static char to[1 << 18];
  uint64_t word = 0;
  scree_get(self, to, scree_global_stack(self, &word), sizeof to);
}

/* ---- places ---- */

RULE(remote_alone, SCREE_OK, "", .ranks = 1) {
  scree_global array;
  check_equal(scree_global_alloc(self, 8, SCREE_GLOBAL_REMOTE, &array), SCREE_EINVAL);
  check_contains(scree_error_text(a->world), "policy REMOTE in a world of one rank");
}
static void visit_first(scree_task *self, actor *a, uint64_t n) {
  const scree_global here = allocate(self, 64, SCREE_GLOBAL_CYCLIC);
  job_args unused;
  running = self;
  check_equal(visit_call(self, a->visit, at(a, &here, 0), 8, (job_args){at(a, &here, 0)}, &unused), SCREE_ESTATE);
}
REFUSED_VISIT(wait_in_a_delegate, get(running, from, 8), SCREE_ESTATE, "scree_get", .task = visit_first, .ranks = 1)
REFUSED_VISIT(quiet_in_a_delegate, scree_quiet(running), SCREE_ESTATE, "scree_quiet", .task = visit_first, .ranks = 1)
REFUSED_VISIT(quiet_poll_in_a_delegate, scree_quiet_poll(w), SCREE_ESTATE,
              "scree_quiet_poll: called inside the handler of type 'visit'", .task = visit_first)
REFUSED_VISIT(fence_in_a_delegate, scree_fence_poll(w, from), SCREE_ESTATE,
              "scree_fence_poll: called inside the handler", .task = visit_first)
REFUSED_VISIT(poll_in_a_delegate, scree_get_poll(w, row, from, 8), SCREE_ESTATE,
              "scree_get_poll: called inside the handler", .task = visit_first)
RULE(object_over_a_granule, SCREE_EINVAL, "in one block of 4096 bytes") {
  const scree_global array = allocate(self, 3 * 8192, SCREE_GLOBAL_LOCAL);
  const uint64_t to_end = 4096 - array.offset % 4096;
  visit_cast(scree_task_worker(self), a->visit, at(a, &array, to_end - 8), 16, (job_args){0});
}
RULE(object_over_a_stripe, SCREE_EINVAL, "must be in one stripe") {
  const scree_global array = allocate(self, 8192, SCREE_GLOBAL_CYCLIC);
  visit_cast(scree_task_worker(self), a->visit, at(a, &array, 60), 8, (job_args){0});
}

HARNESS_MAIN
