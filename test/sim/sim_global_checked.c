/* sim_global_checked.c - what checked mode notices of global memory, and what is refused only because of its place: one
 * row each, played on virtual ranks. What is refused everywhere: sim_global_rules.c. */
#undef SCREE_CHECK_INLINE
#define SCREE_CHECK_INLINE /* worlds of half of the runs are not */
#include "global_rule.h"
#include "harness.h"

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

/* ---- addresses ---- */

static void lives(scree_task *self, actor *a) {
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
static void freed(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_LOCAL);
  check_equal(get(self, at(a, &array, 92), 8), SCREE_OK); /* this worker has a copy now */
  check_equal(scree_global_free(self, &array), SCREE_OK);
  check_equal(get(self, at(a, &array, 92), 8), SCREE_ESTATE);
}
static void freed_word(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_REMOTE);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  scree_atomic_fetch_add_nbi(scree_task_worker(self), at(a, &array, 8), 1, 8, NULL);
}
static void never_allocated(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
  check_equal(get(self, at(a, &array, 96), 5), SCREE_EINVAL);
}
static void past_a_replica(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_REPLICATE);
  check_equal(get(self, at(a, &array, 92), 8), SCREE_OK);
  check_equal(get(self, at(a, &array, 96), 8), SCREE_EINVAL);
}
static void local_meant_for_all(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 100, SCREE_GLOBAL_LOCAL);
  check_equal(get(self, scree_global_address(0, array.offset), 8), SCREE_EINVAL);
}
static void over_a_part(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 3 * 64, SCREE_GLOBAL_PARTITION);
  check_equal(get(self, at(a, &array, 60), 8), SCREE_EINVAL);
}
static void of_its_own_rank(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 3 * 64, SCREE_GLOBAL_REMOTE);
  check_equal(get(self, scree_global_address(2, array.offset), 8), SCREE_EINVAL);
}
static void gathered(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 64, SCREE_GLOBAL_CYCLIC);
  const scree_address from[] = {at(a, &array, 0), at(a, &array, 64)};
  uint64_t to[2];
  check_equal(scree_gather(self, to, from, 2, 8), SCREE_EINVAL);
}
static void copied_from(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 64, SCREE_GLOBAL_CYCLIC);
  check_equal(scree_copy(self, at(a, &array, 0), at(a, &array, 8), 64), SCREE_EINVAL);
}
static void poll_what_was_freed(scree_worker *w, actor *a, scree_address from) {
  uint64_t word;
  scree_get_nbi(w, &word, from, 8);
}
static void freed_for_a_handler(scree_task *self, actor *a) {
  const scree_global here = allocate(self, 64, SCREE_GLOBAL_CYCLIC), array = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  visit_cast(scree_task_worker(self), a->visit, at(a, &here, 0), 8, (rule_args){at(a, &array, 0)});
}

/* What a program has kept of another world: in a file, for example. */
static scree_global kept;
static void keep(scree_task *self, actor *a) {
  (void)a;
  if (!kept.bytes) kept = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
}
static void free_what_was_kept(scree_task *self, actor *a) {
  (void)a;
  const scree_global own = allocate(self, 100, SCREE_GLOBAL_CYCLIC);
  check_equal(own.place, kept.place);
  check_equal(scree_global_free(self, &kept), SCREE_ESTATE);
}
static void address_that_was_kept(scree_task *self, actor *a) {
  (void)a;
  check_equal(get(self, kept.offset, 8), SCREE_EINVAL);
}

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
  (void)a;
  change_there(self, word);
}
static scree_status by_rank_0(scree_task *self, actor *a, scree_address word) {
  scree_scope *scope = scree_finish(self);
  job_spawn_on(scree_task_worker(self), a->job, scope, 0, (rule_args){word});
  return scree_finish_end(self, scope);
}
static scree_global export(scree_task *self, void *memory, uint64_t bytes, bool writable) {
  scree_global array = {0};
  check_equal(scree_global_export(self, memory, bytes, writable, &array), SCREE_OK);
  return array;
}
static void exported(scree_task *self, actor *a) {
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
static void exported_to_read(scree_task *self, actor *a) {
  const scree_global array = export(self, row, sizeof row, false);
  by_rank_0(self, a, at(a, &array, 8));
}
static void own_to_read(scree_task *self, actor *a) {
  const scree_global array = export(self, row, sizeof row, false);
  change_there(self, at(a, &array, 8));
}
static void after_what_was_exported(scree_task *self, actor *a) {
  const scree_global array = export(self, row, sizeof row, true);
  by_rank_0(self, a, at(a, &array, sizeof row));
}
static void export_that_was_freed(scree_task *self, actor *a) {
  const scree_global array = export(self, row, sizeof row, true);
  check_equal(scree_global_free(self, &array), SCREE_OK);
  by_rank_0(self, a, at(a, &array, 0));
}
static void on_a_stack(scree_task *self, actor *a) {
  volatile uint64_t words[4] = {0};
  const scree_address first = scree_global_stack(self, (void *)(uintptr_t)words);
  check_equal(scree_global_stack(self, (void *)(uintptr_t)&words[2]), first + 16); /* arithmetic alone */
  check_equal(by_rank_0(self, a, scree_global_add(first, 16)), SCREE_OK);
  check_equal(words[2], 42);
  words[1] = 0;
  check_equal(change_there(self, first + 8), SCREE_OK);
  check_equal(words[1], 42);
}
static void on_no_stack(scree_task *self, actor *a) {
  (void)a;
  check_equal(scree_global_stack(self, row), SCREE_NO_ADDRESS);
}
static void over_a_stack(scree_task *self, actor *a) {
  static char to[1 << 18];
  uint64_t word = 0;
  (void)a;
  scree_get(self, to, scree_global_stack(self, &word), sizeof to);
}

/* ---- places ---- */

static void remote_alone(scree_task *self, actor *a) {
  scree_global array;
  check_equal(scree_global_alloc(self, 8, SCREE_GLOBAL_REMOTE, &array), SCREE_EINVAL);
  check_contains(scree_error_text(a->world), "policy REMOTE in a world of one rank");
}
static void visit_first(scree_task *self, actor *a) {
  const scree_global here = allocate(self, 64, SCREE_GLOBAL_CYCLIC);
  rule_args unused;
  running = self;
  check_equal(visit_call(self, a->visit, at(a, &here, 0), 8, (rule_args){at(a, &here, 0)}, &unused), SCREE_ESTATE);
}
static void wait_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  (void)w, (void)a;
  check_equal(get(running, from, 8), SCREE_ESTATE);
}
static void quiet_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  (void)w, (void)a, (void)from;
  check_equal(scree_quiet(running), SCREE_ESTATE);
}
static void quiet_poll_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  (void)a, (void)from;
  check_equal(scree_quiet_poll(w), SCREE_ESTATE);
}
static void fence_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  (void)a;
  check_equal(scree_fence_poll(w, from), SCREE_ESTATE);
}
static void poll_in_a_delegate(scree_worker *w, actor *a, scree_address from) {
  uint64_t word;
  (void)a;
  check_equal(scree_get_poll(w, &word, from, 8), SCREE_ESTATE);
}
static void object_over_a_granule(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 3 * 8192, SCREE_GLOBAL_LOCAL);
  const uint64_t to_end = 4096 - array.offset % 4096;
  visit_cast(scree_task_worker(self), a->visit, at(a, &array, to_end - 8), 16, (rule_args){0});
}
static void object_over_a_stripe(scree_task *self, actor *a) {
  const scree_global array = allocate(self, 8192, SCREE_GLOBAL_CYCLIC);
  visit_cast(scree_task_worker(self), a->visit, at(a, &array, 60), 8, (rule_args){0});
}

#define IN_NONE "are of no allocation that lives"
static const rule rules[] = {
    {"lives", SCREE_OK, "", .task = lives},
    {"freed", SCREE_ESTATE, "scree_get: task 'job' of rank 2: 8 bytes at address ", .task = freed},
    {"a freed word", SCREE_ESTATE, "had them and was freed", .task = freed_word},
    {"never allocated", SCREE_EINVAL, "CYCLIC, 100 bytes, byte 0 on rank 0, has other bytes there",
     .task = never_allocated},
    {"past a replica", SCREE_EINVAL, "REPLICATE, 100 bytes, byte 0 on rank 0, has other bytes there",
     .task = past_a_replica},
    {"LOCAL meant for all", SCREE_EINVAL, "LOCAL, 100 bytes, byte 0 on rank 2, has other bytes there",
     .task = local_meant_for_all},
    {"over a part", SCREE_EINVAL, IN_NONE, .task = over_a_part},
    {"REMOTE on its own rank", SCREE_EINVAL, IN_NONE, .task = of_its_own_rank},
    {"gathered", SCREE_EINVAL, "scree_gather: task 'job' of rank 2", .task = gathered},
    {"copied from", SCREE_EINVAL, "scree_copy: task 'job' of rank 2", .task = copied_from},
    {"freed, in a handler", SCREE_ESTATE, "a handler of rank 0: 8 bytes", .task = freed_for_a_handler,
     .visit = poll_what_was_freed},
    {"keep", SCREE_OK, "", .task = keep, .ranks = 4},
    {"a handle of another world", SCREE_ESTATE, "was freed before, or is none of this world",
     .task = free_what_was_kept},
    {"an address of another world", SCREE_EINVAL, IN_NONE, .task = address_that_was_kept},
    {"exported", SCREE_OK, "", .task = exported, .other = change},
    {"exported to be read", SCREE_EINVAL, "rank 0 writes 8 bytes at byte 65544: it was exported read only",
     .task = exported_to_read, .other = change},
    {"one's own to be read", SCREE_EINVAL, "it was exported read only", .task = own_to_read},
    {"after what was exported", SCREE_EINVAL, "", .task = after_what_was_exported, .other = change},
    {"an export that was freed", SCREE_ESTATE, "exported, 64 bytes, byte 0 on rank 2, had them and was freed",
     .task = export_that_was_freed, .other = change},
    {"on a stack", SCREE_OK, "", .task = on_a_stack, .other = change},
    {"on no stack", SCREE_EINVAL, "the pointer is not on the stack of this task of type 'job'", .task = on_no_stack},
    {"over a stack", SCREE_EINVAL, "outside of the heap, and of what was exported", .task = over_a_stack},
    {"REMOTE with one rank", SCREE_OK, "", .task = remote_alone, .ranks = 1},
    {"a delegate that waits", SCREE_ESTATE, "scree_get", .task = visit_first, .ranks = 1, .visit = wait_in_a_delegate},
    {"quiet in a delegate", SCREE_ESTATE, "scree_quiet", .task = visit_first, .ranks = 1, .visit = quiet_in_a_delegate},
    {"quiet poll in a delegate", SCREE_ESTATE, "scree_quiet_poll: called inside the handler of type 'visit'",
     .task = visit_first, .visit = quiet_poll_in_a_delegate},
    {"fence in a delegate", SCREE_ESTATE, "scree_fence_poll: called inside the handler", .task = visit_first,
     .visit = fence_in_a_delegate},
    {"poll in a delegate", SCREE_ESTATE, "scree_get_poll: called inside the handler", .task = visit_first,
     .visit = poll_in_a_delegate},
    {"an object over a granule", SCREE_EINVAL, "in one block of 4096 bytes", .task = object_over_a_granule},
    {"an object over a stripe", SCREE_EINVAL, "must be in one stripe", .task = object_over_a_stripe},
};

HARNESS_TEST(noticed) {
  rules_run(rules, sizeof rules / sizeof *rules, SEEDS, true);
}

HARNESS_MAIN
