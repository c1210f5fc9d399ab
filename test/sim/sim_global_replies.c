/* sim_global_replies.c - tables of outstanding operations: replies that nothing waits for, tables that grow and are
 * exhausted, reports. */
#undef SCREE_CHECK_INLINE /* such files are refused more, and in other words: sim_global_checked.c */
#include <scree/global.h>
#include <scree/scree_sim.h>

#include "capture.h"
#include "global/operation.h"
#include "rules.h"

#define RULES rule_global
#include "task/message.h"

static scree__globals *globals_of(scree_task *self) {
  return scree__globals_of(scree__worker_of(scree_task_worker(self)));
}
static scree_address word_of(scree_task *self) {
  scree_global array = {0};
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_REMOTE, &array), SCREE_OK);
  return scree_global_at(scree_global_map_of(scree_world_of(scree_task_worker(self))), &array, 0, 0);
}
/* A reply of another request, before the true one comes. */
static void answer_early(scree_task *self, scree_future *f, const uint64_t old[2]) {
  const scree__globals *own = globals_of(self);
  scree__send(own->me, own->of->reply[1], scree__worker_number(own->me), old, 2 * sizeof *old);
  scree_flush_lane(&own->me->head, own->of->reply[1], scree__worker_number(own->me));
  check_equal(scree_future_wait(self, f, NULL), SCREE_EPEER);
  check(!scree_future_test(f, NULL));
}
#define STALE "answers a request that is not outstanding"

/* Replies that no request waits for: a slot that is free, one with another generation, words that were never put. */
RULE(reply_to_nobody, SCREE_EPEER, STALE) {
  scree__globals *own = globals_of(self);
  scree__send(own->me, own->of->reply[0], 0, &(uint64_t){5}, sizeof(uint64_t));
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EPEER);
}
RULE(old_reply, SCREE_EPEER, STALE) {
  scree__globals *own = globals_of(self);
  const scree_address at = word_of(self);
  scree_future f;
  scree_future_open(&own->me->head, &f, 8, 1, NULL);
  scree_get_into(&own->me->head, &f, NULL, at, 8);
  check(own->slots[0].waiter || own->slots[1].waiter);
  const uint64_t slot = own->slots[0].waiter ? 0 : 1;
  const uint64_t old[2] = {(uint64_t)(own->slots[slot].generation - 1) << 32 | slot, 0};
  answer_early(self, &f, old);
}
static void old_answer(scree_task *self, actor *a, uint64_t n) {
  scree__globals *own = globals_of(self);
  job_args result;
  check_equal(visit_call(self, a->visit, word_of(self), 8, (job_args){6}, &result), SCREE_OK);
  check_equal(result.n, 7);
  check_equal(own->asked[self->number].generation % 2, 0);
  const uint64_t old[2] = {(uint64_t)(own->asked[self->number].generation - 1) << 32 | SCREE__ASKED | self->number, 0};
  scree__send(own->me, own->of->reply[1], scree__worker_number(own->me), old, sizeof old);
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EPEER);
}
RULE_VISIT(visited, SCREE_EPEER, STALE, .task = old_answer) {} /* what comes later does */
static void get_once(scree_task *self, scree_address at) {
  scree_future f;
  scree_future_open(scree_task_worker(self), &f, 8, 1, NULL);
  scree_get_into(scree_task_worker(self), &f, NULL, at, 8);
  check_equal(scree_future_wait(self, &f, NULL), SCREE_OK);
  scree_future_close(&f);
}
/* The slot has been free since, and is another request's now. */
RULE(reply_to_a_reused_slot, SCREE_EPEER, STALE, .nodes = 3) {
  scree__globals *own = globals_of(self);
  const scree_address at = word_of(self);
  scree_future f;
  get_once(self, at);
  const uint64_t slot = own->slot_free, old[2] = {(uint64_t)own->slots[slot].generation << 32 | slot, 0};
  get_once(self, at);
  scree_future_open(&own->me->head, &f, 8, 1, NULL);
  scree_get_into(&own->me->head, &f, NULL, at, 8);
  check(own->slots[slot].waiter != NULL);
  answer_early(self, &f, old);
}
/* As if so many were in use: a table that is not written takes no memory. */
RULE(all_slots, SCREE_ENOMEM,
     "8388608 requests of this worker wait for replies, which is the limit: wait for some before more begin",
     .nodes = 3) {
  enum { SLOTS = 1 << 23 };
  scree__globals *own = globals_of(self);
  const scree_address at = word_of(self);
  scree__slot_of *kept = own->slots;
  const uint32_t room = own->slot_room;
  uint64_t word;
  own->slots = calloc(SLOTS, sizeof *kept);
  own->slot_room = own->slot_free = SLOTS;
  scree_get_nbi(&own->me->head, &word, at, 8);
  free(own->slots);
  own->slots = kept;
  own->slot_room = own->slot_free = room;
  check_equal(scree_quiet(self), SCREE_ENOMEM);
}
RULE(all_records, SCREE_ENOMEM, "legal are 65536 tasks at a time on each worker (SCREE_IMPLICIT_TASKS_MAX)",
     .nodes = 3) {
  scree__globals *own = globals_of(self);
  const scree_address at = word_of(self);
  const uint32_t room = own->record_room, first = own->record_free;
  own->record_room = own->record_free = SCREE_IMPLICIT_TASKS_MAX;
  scree_atomic_fetch_add_nbi(&own->me->head, at, 1, 8, NULL);
  own->record_room = room;
  own->record_free = first;
  check_equal(scree_quiet(self), SCREE_ENOMEM);
}
/* One element is asked for, by the first number of this worker, and answered twice in one message. */
RULE(too_many_elements, SCREE_EPEER, STALE, .nodes = 3) {
  enum { NUMBER_BITS = 12 };
  scree__globals *own = globals_of(self);
  const uint64_t first = scree__first_number(&own->of->world->options, (1 << NUMBER_BITS) - 1);
  const uint64_t answer[2] = {first << NUMBER_BITS, 5};
  const uint32_t me = scree__worker_number(own->me);
  static uint64_t got;
  scree_completion *c;
  const scree_address at = word_of(self);
  check_equal(scree_completion_open(&own->me->head, &c), SCREE_OK);
  scree_gather_in(&own->me->head, c, &got, &at, 1, 8);
  for (int i = 0; i < 2; i++) scree__send(own->me, own->of->gathered, me, answer, sizeof answer);
  scree_flush_lane(&own->me->head, own->of->gathered, me); /* before the true one comes */
  check_equal(scree_completion_wait(self, c), SCREE_EPEER);
}

/* A result that needs more space than the stack of a task has for it, of an object here and of one elsewhere. */
typedef struct {
  uint64_t word[40];
} large;
SCREE_DELEGATE(fill, job_args, large);
static fill_type fill; /* of the rank whose task calls it, the last one */
static void on_fill(scree_worker *w, void *object, const job_args *args, large *result, void *arg) {
  for (uint64_t i = 0; i < 40; i++) result->word[i] = *(const uint64_t *)object + i * args->n;
}
SCREE_DELEGATE_BODY(fill, job_args, large, on_fill);
static scree_status with_fill(actor *a) {
  const scree_status status = rule_open(a, RULE_HEAP, 64);
  fill_type type = {0};
  if (status || fill_register(a->world, NULL, &type)) return status;
  if (scree_worker_of(a->world, 0)->rank == 2) fill = type;
  return status;
}
RULE(large_results, SCREE_OK, "", .open = with_fill) {
  static const scree_global_policy policies[] = {SCREE_GLOBAL_LOCAL, SCREE_GLOBAL_REMOTE};
  for (uint64_t i = 0; i < 2; i++) {
    scree_global array = {0};
    large got = {{0}};
    check_equal(scree_global_alloc(self, 64, policies[i], &array), SCREE_OK);
    const scree_address at = scree_global_at(a->map, &array, 0, 0);
    check_equal(scree_put_value(self, at, 70 + i, 8), SCREE_OK);
    check_equal(fill_call(self, fill, at, 8, (job_args){3}, &got), SCREE_OK);
    for (uint64_t n = 0; n < 40; n++) check_equal(got.word[n], 70 + i + 3 * n);
    check_equal(fill_call(self, fill, at, 8, (job_args){3}, NULL), SCREE_OK);
  }
}

/* A get or a put that waits tells inline functions which memory of that rank is reserved. */
RULE(known_after_the_first, SCREE_OK, "", .nodes = 1) {
  const scree__globals *own = globals_of(self);
  uint64_t word;
  for (int put = 0; put < 2; put++) {
    const scree_address at = word_of(self);
    scree__global_near *n = &own->front.near[scree_global_owner(a->map, at)];
    *n = (scree__global_near){.part = NULL};
    for (int times = 0; times < 3; times++)
      check_equal(put ? scree_put_value(self, at, 1, 8) : scree_get(self, &word, at, 8), SCREE_OK);
    check_equal(put ? n->puts : n->gets, 2);
  }
}

/* Stacks of tasks have new addresses in each epoch, and those of earlier epochs when there are no more. */
enum { STACK_EPOCHS = 2000, STACK_TASKS = 64 };
static uint64_t on_stacks; /* tasks so far */
static void run_on_stack(scree_task *self, const job_args *args) {
  uint64_t word = args->n, got = 0;
  const uint64_t all = (on_stacks++ / STACK_TASKS + 1) * STACK_TASKS;
  const scree_address at = scree_global_stack(self, &word);
  check(at != SCREE_NO_ADDRESS);
  while (on_stacks < all && scree_task_yield(self) == SCREE_OK) {
  }
  check_equal(scree_get(self, &got, at, 8), SCREE_OK);
  check_equal(got, args->n);
}
SCREE_TASK(on_stack, job_args);
SCREE_TASK_BODY(on_stack, job_args, run_on_stack);
static void many_epochs(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  on_stack_type type;
  tasks.task_stack = 8 << 20;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, NULL), SCREE_OK);
  check_equal(on_stack_register(world, NULL, &type), SCREE_OK);
  for (int e = 0; e < STACK_EPOCHS && harness_failures() == 0; e++) {
    check_equal(scree_begin(w), SCREE_OK);
    for (uint64_t i = 0; i < STACK_TASKS; i++) on_stack_spawn(w, type, NULL, (job_args){i + 1});
    check_equal(scree_end(w, NULL), SCREE_OK);
  }
}
HARNESS_TEST(addresses_of_stacks) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, many_epochs, NULL, NULL), SCREE_OK);
}

RULE(words_of_nobody, SCREE_EPEER, STALE) {
  scree__globals *own = globals_of(self);
  scree__send(own->me, own->of->words_done, 0, &(uint64_t){1}, sizeof(uint64_t));
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EPEER);
}
/* As of a build that issues words for memory which was exported. */
RULE(word_after_the_heap, SCREE_EINVAL,
     "rank 2 accesses 8 bytes at byte 65544 of this rank's part, which has no memory") {
  static uint64_t row[8];
  scree__globals *own = globals_of(self);
  scree_global array = {0};
  check_equal(scree_global_export(self, row, sizeof row, true, &array), SCREE_OK);
  const uint64_t word[2] = {scree_global_offset(a->map, scree_global_at(a->map, &array, 0, 8)), 1};
  scree__send(own->me, own->front.type[0], scree__worker_number(own->me), word, sizeof word);
  check_equal(scree_task_suspend(self, "the failure"), SCREE_EINVAL);
}

static void check_printed(actor *a, bool report, const char *part) {
  char *text = report ? capture_report(a->world) : capture_stats(a->world, true);
  check_contains(text, part);
  free(text);
}

/* More gathers than have numbers: elements of the others are requests by themselves. */
static scree_status many_under_way(actor *a) {
  scree_global_options o = SCREE_GLOBAL_OPTIONS_INIT;
  o.global_outstanding = 65536;
  return scree_global_open(a->world, &o);
}
RULE(many_gathers, SCREE_OK, "", .nodes = 3, .open = many_under_way) {
  enum { MANY = 4096 + 100 };
  static uint64_t got[MANY];
  scree_worker *w = scree_task_worker(self);
  scree_completion *c;
  const scree_address at = word_of(self);
  check_equal(scree_put_value(self, at, 9, 8), SCREE_OK);
  check_equal(scree_completion_open(w, &c), SCREE_OK);
  for (uint64_t i = 0; i < MANY; i++) scree_gather_in(w, c, &got[i], &at, 1, 8);
  check_equal(scree__globals_of(scree__worker_of(w))->indexed_room, 4096);
  check_equal(scree_completion_wait(self, c), SCREE_OK);
  check_equal(scree_completion_close(c), SCREE_OK);
  for (uint64_t i = 0; i < MANY; i++) check_equal(got[i], 9);
  memset(got, 0, sizeof got);
}

static void one_of_many(scree_task *self, actor *a, uint64_t at) {
  for (int i = 0; i < 3; i++) scree_atomic_fetch_add_nbi(scree_task_worker(self), at, 1, 8, NULL);
  check_equal(scree_quiet(self), SCREE_OK);
}

/* More operations, and more tasks with implicit ones, than tables begin with. */
RULE(many, SCREE_OK, "", .other = one_of_many) {
  enum { MANY = 1500, OTHERS = 300 };
  static uint64_t got[MANY], word[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  scree_worker *w = scree_task_worker(self);
  scree_completion *c;
  const scree_address at = word_of(self);
  check_equal(scree_put(self, at, word, sizeof word), SCREE_OK);
  check_equal(scree_completion_open(w, &c), SCREE_OK);
  for (uint64_t i = 0; i < MANY; i++) scree_get_in(w, c, &got[i], at + i % 8 * 8, 8);
  check_printed(a, true, "requests are not answered, the oldest, scree_get_in of rank 0, since ");
  check_printed(a, true, "asynchronous operations are outstanding");
  check_equal(scree_completion_wait(self, c), SCREE_OK);
  check_equal(scree_completion_close(c), SCREE_OK);
  check_printed(a, false, "\"global\":{\"heap\":65536,\"reserved\":");
  check_printed(a, false, ",\"requests\":");
  check_printed(a, false, ",\"wait_ns\":");
  scree_global_stats stats = {.size = sizeof stats};
  check_equal(scree_global_stats_read(a->world, &stats), SCREE_OK);
  check(stats.answered >= MANY && stats.answered == stats.requests);
  for (uint64_t i = 0; i < MANY; i++) check_equal(got[i], i % 8 + 1);
  scree_atomic_fetch_add_nbi(w, at, 1, 8, NULL);
  check_printed(a, true, "1 implicit operations are not complete");
  check_equal(scree_quiet(self), SCREE_OK);
  check_equal(scree_put_value(self, at, 0, 8), SCREE_OK);
  scree_scope *scope = scree_finish(self);
  for (uint64_t i = 0; i < OTHERS; i++) job_spawn(w, a->job, scope, (job_args){at});
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(scree_get(self, got, at, 8), SCREE_OK);
  check_equal(got[0], 3 * OTHERS);
}

/* A task that sleeps until its only request is answered, as another one sees it. */
static uint64_t asked_at; /* ns */
static bool told;         /* a report had it */
static void reports(scree_task *self, actor *a, uint64_t n) {
  static const char line[] = "1 requests are not answered, the oldest, scree_get of rank 0, since ";
  const scree__globals *own = globals_of(self);
  uint64_t asked = 0, age = 0;
  for (uint32_t i = 0; i < own->asked_room; i++) asked += own->asked[i].generation % 2;
  if (!asked) return; /* answered before this task ran */
  char *text = capture_report(a->world);
  const char *at = strstr(text, line);
  if (check_contains(text, line) && check(sscanf(at + sizeof line - 1, "%" SCNu64 " us\n", &age) == 1))
    check(age <= (scree__now(own->me) - asked_at) / 1000);
  free(text);
  told = true;
}
RULE(sleeps_in_a_get, SCREE_OK, "", .nodes = 3, .other = reports) {
  scree_worker *w = scree_task_worker(self);
  const scree_address at = word_of(self);
  uint64_t word;
  told = false;
  for (int times = 0; times < 100 && !told; times++) {
    scree_scope *scope = scree_finish(self);
    job_spawn(w, a->job, scope, (job_args){1});
    asked_at = scree__globals_of(scree__worker_of(w))->tasks->now;
    check_equal(scree_get(self, &word, at, sizeof word), SCREE_OK);
    check_equal(scree_finish_end(self, scope), SCREE_OK);
  }
  check(told);
}

/* Of memory that ranks of a node share, the rank that has reserved it counts it: here all of the heap that is not every
 * rank's, since a heap of this size is less than what is reserved at once. */
enum { RESERVED = RULE_HEAP - 64 };
static void has_reserved(scree_task *self, actor *a, uint64_t bytes) {
  char part[64];
  snprintf(part, sizeof part, "\"global\":{\"heap\":65536,\"reserved\":%" PRIu64 ",", bytes - 1);
  check_printed(a, false, part);
}
RULE(reserved_once, SCREE_OK, "", .other = has_reserved) {
  scree_worker *w = scree_task_worker(self);
  scree_global array = {0};
  check_equal(scree_global_alloc(self, 64, SCREE_GLOBAL_LOCAL, &array), SCREE_OK);
  has_reserved(self, a, 1 + RESERVED);
  scree_scope *scope = scree_finish(self);
  for (uint32_t r = 0; r + 1 < w->ranks; r++) job_spawn_on(w, a->job, scope, r * w->threads, (job_args){1});
  check_equal(scree_finish_end(self, scope), SCREE_OK);
}

/* Tasks of all ranks wait for a completion of the last one, which tasks and operations of all of them are in. */
static scree_address shared; /* one thread runs all ranks: of a sum, and of what is put last */
enum { ADDS = 1, ADDERS = 7 };
static void adds_or_waits(scree_task *self, actor *a, uint64_t number) {
  uint64_t words[2] = {0};
  if (number == ADDS) {
    check_equal(scree_atomic_fetch_add(self, shared, 1, 8, NULL), SCREE_OK);
    return;
  }
  check_equal(scree_completion_wait_at(self, number), SCREE_OK);
  check_equal(scree_get(self, words, shared, sizeof words), SCREE_OK);
  check_equal(words[0], 2 * ADDERS);
  check_equal(words[1], 1);
}
RULE(completion_elsewhere, SCREE_OK, "", .other = adds_or_waits) {
  scree_worker *w = scree_task_worker(self);
  const uint64_t zeros[2] = {0};
  scree_completion *c;
  shared = word_of(self);
  check_equal(scree_put(self, shared, zeros, sizeof zeros), SCREE_OK);
  for (int times = 0; times < 2; times++) { /* a number has one generation each */
    check_equal(scree_completion_open(w, &c), SCREE_OK);
    const uint64_t number = scree_completion_number(c);
    check(number != 0 && number == scree_completion_number(c));
    check_equal(scree_completion_enroll(c, 1), SCREE_OK);
    scree_scope *waiters = scree_finish(self);
    for (uint32_t r = 0; r < w->ranks; r++) job_spawn_on(w, a->job, waiters, r * w->threads, (job_args){number});
    check_equal(scree_put(self, shared, zeros, sizeof zeros), SCREE_OK);
    for (uint32_t i = 0; i < ADDERS; i++) {
      job_spawn_on(w, a->job, c, i % (w->ranks - 1) * w->threads, (job_args){ADDS}); /* elsewhere */
      scree_atomic_fetch_add_in(w, c, shared, 1, 8, NULL);
      check_equal(scree_task_yield(self), SCREE_OK);
    }
    check_equal(scree_put_value(self, shared + 8, 1, 8), SCREE_OK);
    check_equal(scree_completion_complete(c, 1), SCREE_OK);
    for (uint32_t r = 0; r < w->ranks; r++) job_spawn_on(w, a->job, waiters, r * w->threads, (job_args){number});
    check_equal(scree_finish_end(self, waiters), SCREE_OK);
    check_equal(scree_completion_close(c), SCREE_OK);
  }
}
/* What waits for a number that is closed fails the world. */
static void waits_too_late(scree_task *self, actor *a, uint64_t number) {
  check_equal(scree_completion_wait_at(self, number), SCREE_ESTATE);
}
RULE(completion_closed, SCREE_ESTATE, "was closed", .other = waits_too_late) {
  scree_worker *w = scree_task_worker(self);
  scree_completion *c;
  check_equal(scree_completion_open(w, &c), SCREE_OK);
  const uint64_t number = scree_completion_number(c);
  check_equal(scree_completion_close(c), SCREE_OK);
  job_spawn_on(w, a->job, NULL, 0, (job_args){number});
}

HARNESS_MAIN
