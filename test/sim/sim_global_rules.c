/* sim_global_rules.c - what global memory refuses, one row each, played on virtual ranks: options, calls that are illegal,
 * handles and addresses that are none, replies that no request waits for. */
#undef SCREE_CHECKED /* such files are refused more, and in other words: sim_global_checked.c */
#include <scree/global.h>

#include "global/operation.h"
#include "global_rule.h"
#include "harness.h"
#include "task/message.h"

enum { HEAP = RULE_HEAP };

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
  check_contains(scree_error_text(a->world),
                 "65536 bytes of a rank's part, of which 65472 are free one behind the other "
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
static void behind_the_part(scree_task *self, actor *a) {
  (void)a;
  get_word(self, scree_global_address(0, HEAP - 7));
}
static void behind_all_parts(scree_task *self, actor *a) {
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
static scree_status outside_an_epoch(actor *a) {
  uint64_t word;
  const scree_status status = rule_open(a, HEAP, 64);
  return status ? status : scree_get_poll(scree_worker_of(a->world, 0), &word, scree_global_address(0, 64), 8);
}

/* Replies that no request waits for: a slot that is free, one with another generation, words that were never put. */
static void reply_to_nobody(scree_task *self, actor *a) {
  scree__globals *own = scree__globals_of(scree__worker_of(scree_task_worker(self)));
  (void)a;
  scree__send(own->me, own->of->reply[0], 0, &(uint64_t){5}, sizeof(uint64_t));
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EPEER);
}
static void old_reply(scree_task *self, actor *a) {
  scree__globals *own = scree__globals_of(scree__worker_of(scree_task_worker(self)));
  (void)a;
  const scree_address at = word_of(self);
  scree_future f;
  scree_future_open(&own->me->head, &f, 8, 1, NULL);
  scree_get_into(&own->me->head, &f, NULL, at, 8);
  check(own->slots[0].waiter || own->slots[1].waiter);
  const uint64_t slot = own->slots[0].waiter ? 0 : 1;
  const uint64_t old[2] = {(uint64_t)(own->slots[slot].generation - 1) << 32 | slot, 0};
  scree__send(own->me, own->of->reply[1], scree__worker_number(own->me), old, sizeof old);
  check_equal(scree_future_wait(self, &f, NULL), SCREE_EPEER);
  check(!scree_future_test(&f, NULL));
}
static void old_answer(scree_task *self, actor *a) {
  scree__globals *own = scree__globals_of(scree__worker_of(scree_task_worker(self)));
  rule_args result;
  check_equal(visit_call(self, a->visit, word_of(self), 8, (rule_args){0}, &result), SCREE_OK);
  check_equal(own->asked[self->number].generation, 2);
  const uint64_t old[2] = {UINT64_C(1) << 32 | SCREE__ASKED | self->number, 0};
  scree__send(own->me, own->of->reply[1], scree__worker_number(own->me), old, sizeof old);
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EPEER);
}
static void visited(scree_worker *w, actor *a, uint64_t n) {
  (void)w, (void)a, (void)n;
}
static void words_of_nobody(scree_task *self, actor *a) {
  scree__globals *own = scree__globals_of(scree__worker_of(scree_task_worker(self)));
  (void)a;
  scree__send(own->me, own->of->words_done, 0, &(uint64_t){1}, sizeof(uint64_t));
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EPEER);
}
/* As of a build that issues words for memory which was exported. */
static void word_behind_the_heap(scree_task *self, actor *a) {
  static uint64_t row[8];
  scree__globals *own = scree__globals_of(scree__worker_of(scree_task_worker(self)));
  scree_global array = {0};
  check_equal(scree_global_export(self, row, sizeof row, true, &array), SCREE_OK);
  const uint64_t word[2] = {scree_global_offset(a->map, scree_global_at(a->map, &array, 0, 8)), 1};
  scree__send(own->me, own->front.type[0], scree__worker_number(own->me), word, sizeof word);
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EINVAL);
}

/* What the hang report or the statistics say, as this task prints them. */
static void check_printed(actor *a, bool report, const char *part) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (report)
    scree_report_print(a->world, to);
  else
    scree_stats_print(a->world, to, true);
  fclose(to);
  check_contains(text, part);
  free(text);
}

/* More operations, and more tasks with implicit ones, than tables begin with. */
static void many(scree_task *self, actor *a) {
  enum { MANY = 1500, OTHERS = 300 };
  static uint64_t got[MANY], word[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  scree_worker *w = scree_task_worker(self);
  scree_completion *c;
  const scree_address at = word_of(self);
  check_equal(scree_put(self, at, word, sizeof word), SCREE_OK);
  check_equal(scree_completion_open(w, &c), SCREE_OK);
  for (uint64_t i = 0; i < MANY; i++) scree_get_in(w, c, &got[i], at + i % 8 * 8, 8);
  check_printed(a, true, "requests are not answered, the eldest, scree_get of rank 0, since ");
  check_printed(a, true, "asynchronous operations are under way");
  check_equal(scree_completion_wait(self, c), SCREE_OK);
  check_equal(scree_completion_close(c), SCREE_OK);
  check_printed(a, false, "\"global\":{\"heap\":65536,\"reserved\":");
  check_printed(a, false, ",\"requests\":");
  check_printed(a, false, ",\"wait_ns\":");
  scree_global_stats stats = {.size = sizeof stats};
  check_equal(scree_global_stats_read(a->world, &stats), SCREE_OK);
  check(stats.answered >= MANY && stats.answered == stats.requests);
  for (uint64_t i = 0; i < MANY; i++) check_equal(got[i], i % 8 + 1);
  check_equal(scree_put_value(self, at, 0, 8), SCREE_OK);
  scree_scope *scope = scree_finish(self);
  for (uint64_t i = 0; i < OTHERS; i++) job_spawn(w, a->job, scope, (rule_args){at});
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(scree_get(self, got, at, 8), SCREE_OK);
  check_equal(got[0], 3 * OTHERS);
}
static void one_of_many(scree_task *self, actor *a, uint64_t at) {
  (void)a;
  for (int i = 0; i < 3; i++) scree_atomic_fetch_add_nbi(scree_task_worker(self), at, 1, 8, NULL);
  check_equal(scree_quiet(self), SCREE_OK);
}

#define STALE "answers a request that is not under way"
static const rule rules[] = {
    {"behind a part", SCREE_EINVAL,
     "scree_get: 8 bytes at address 800000000000fff9 (rank 0, byte 65529 of its part): outside",
     .task = behind_the_part},
    {"behind all parts", SCREE_EINVAL, "outside of the heap", .task = behind_all_parts},
    {"no address", SCREE_EINVAL, "outside of the heap", .task = no_address},
    {"no rank", SCREE_EINVAL, "outside of the heap", .task = no_rank},
    {"nothing here", SCREE_EINVAL, "has no memory there", .task = not_allocated_here},
    {"nothing there", SCREE_EINVAL, "rank 2 touches 8 bytes at byte 65528", .task = not_allocated_there},
    {"not aligned", SCREE_EINVAL, "scree_atomic_swap: 8 bytes", .task = not_aligned},
    {"half a word", SCREE_EINVAL, "words of 4 or 8 bytes", .task = half_a_word},
    {"a long value", SCREE_EINVAL, "a value has 1 to 8 bytes", .task = long_value},
    {"a poll in a task", SCREE_ESTATE, "scree_get", .task = poll_in_a_task},
    {"a quiet poll in a task", SCREE_ESTATE, "scree_quiet_poll", .task = quiet_poll_in_a_task},
    {"a long result", SCREE_EINVAL, "more than a future holds", .task = long_result},
    {"no heap to get from", SCREE_ESTATE, "call scree_global_open first", .open = not_at_all,
     .task = no_heap_to_get_from},
    {"outside an epoch", SCREE_ESTATE, "no epoch is open", .open = outside_an_epoch},
    {"a reply to nobody", SCREE_EPEER, STALE, .task = reply_to_nobody},
    {"an old reply", SCREE_EPEER, STALE, .task = old_reply},
    {"an old answer", SCREE_EPEER, STALE, .task = old_answer, .visit = visited},
    {"a word behind the heap", SCREE_EINVAL,
     "rank 2 touches 8 bytes at byte 65544 of this rank's part, which has no memory", .task = word_behind_the_heap},
    {"words of nobody", SCREE_EPEER, STALE, .task = words_of_nobody},
    {"a stripe", SCREE_EINVAL, "global_stripe 48 is no power of two: use 32", .open = no_power_of_two},
    {"a small heap", SCREE_EINVAL, "global_heap", .open = small_heap},
    {"a heap larger than memory", SCREE_ENOMEM, "1099511627776 bytes for each rank are 3298534883328 for the ranks",
     .nodes = 1, .open = huge_heap},
    {"heaps that differ", SCREE_EINVAL, "rank 2 has 131072: pass the same", .open = other_heap},
    {"stripes that differ", SCREE_EINVAL, "global_stripe is 64 on rank 0, 8 on rank 2", .open = other_stripe},
    {"options of one rank", SCREE_EINVAL, "", .open = bad_elsewhere},
    {"twice", SCREE_ESTATE, "already: open it once", .open = twice},
    {"in an epoch", SCREE_ESTATE, "scree_global_open", .open = in_an_epoch},
    {"symmetric, nothing", SCREE_EINVAL, "rank 0 asks for 0 bytes", .open = no_bytes},
    {"symmetric, different", SCREE_EINVAL, "rank 0 asks for 100 bytes, rank 1 for 200", .open = other_bytes},
    {"symmetric, too much", SCREE_ENOMEM, "global_heap is 65536", .open = all_bytes},
    {"symmetric, no heap", SCREE_ESTATE, "call scree_global_open first", .open = without_heap},
    {"many at once", SCREE_OK, "", .task = many, .other = one_of_many},
    {"refused calls", SCREE_OK, "", .task = goes_on},
    {"freed twice", SCREE_ESTATE, "was freed before, or is none of this world", .task = free_twice},
    {"an old handle", SCREE_ESTATE, "was freed before", .task = free_old},
    {"no handle", SCREE_ESTATE, "was freed before", .task = free_nothing},
    {"no heap", SCREE_ESTATE, "call scree_global_open first", .open = not_at_all, .task = no_heap},
};

HARNESS_TEST(refused) {
  rules_run(rules, sizeof rules / sizeof *rules, 1, false);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused)};
HARNESS_MAIN(tests)
