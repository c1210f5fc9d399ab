/* mpi_worlds.c - worlds and the program around them: communicators, other traffic, several worlds, zero copy.
 *
 * The tests check what a world promises to the MPI program that opens it. */
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "core/world.h"
#include "harness.h"
#include "interpose.h"
#include "open/compare.h"
#include "setting.h"
#include "transport/shm/shm.h"

SCREE_MESSAGE(place, uint64_t);

/* 0: refused with a text that names both processes. */
static int open_in_fork(void) {
  scree_world *world = NULL;
  char expected[200];
  capture_start();
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, NULL, &world);
  char *said = capture_end();
  snprintf(expected, sizeof expected, "process %ld was forked from process %ld after MPI was initialised there",
           (long)getpid(), (long)getppid());
  return status != SCREE_ESTATE || world || !strstr(said, expected);
}

/* The program has initialised MPI, and no world has been opened yet. */
HARNESS_TEST(forked) {
  int code = 1;
  pid_t child = fork();
  if (child == 0) _exit(open_in_fork());
  waitpid(child, &code, 0);
  check_equal(code, 0);
}

/* Each rank sends 1000 * (rank + 1) numbers `value` to each rank. */
static void one_epoch(tally *t, uint64_t value) {
  scree_worker *w = t->w;
  uint64_t ranks = w->ranks, expected = 1000 * (ranks * (ranks + 1) / 2);
  t->sum = t->count = 0;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < 1000 * (w->rank + 1); i++) number_send_all(w, t->number, value);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(t->count, expected);
  check_equal(t->sum, expected * value);
}

/* ---- two worlds, split communicators ---- */

HARNESS_TEST(two_worlds) {
  MPI_Comm reversed;
  tally a, b;
  MPI_Comm_split(MPI_COMM_WORLD, 0, harness_ranks - harness_rank, &reversed);
  if (!tally_in(&a, setting_open(&(setting){0})) ||
      !tally_in(&b, setting_open(&(setting){.comm = &reversed, .transport = SCREE_TRANSPORT_MPI})))
    return;
  check_equal(a.w->rank, harness_rank);
  check_equal(b.w->rank, harness_ranks - 1 - harness_rank);
  for (uint64_t i = 1; i <= 10; i++) {
    one_epoch(&a, i);
    one_epoch(&b, i * i);
  }
  check_equal(scree_close(a.world), SCREE_OK);
  one_epoch(&b, 3);
  check_equal(scree_close(b.world), SCREE_OK);
  MPI_Comm_free(&reversed);
}

HARNESS_TEST(one_open_epoch_a_thread) {
  tally a, b;
  if (!tally_in(&a, setting_open(&(setting){0})) || !tally_in(&b, setting_open(&(setting){0}))) return;
  check_equal(scree_begin(a.w), SCREE_OK);
  check_equal(scree_begin(b.w), SCREE_ESTATE);
  check_contains(scree_error_text(b.world), "open epoch in another world: end it first");
  check_equal(scree_close(b.world), SCREE_ESTATE); /* its last epoch could not be begun */
  check_equal(scree_end(a.w, NULL), SCREE_OK);
  one_epoch(&b, 5);
  check_equal(scree_close(b.world), SCREE_OK);
  check_equal(scree_close(a.world), SCREE_OK);
}

/* The halves continue independently. */
HARNESS_TEST(split_communicator) {
  MPI_Comm half;
  tally t;
  int color = harness_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, harness_rank, &half);
  for (uint64_t transport = 0; transport < 3; transport++) {
    if (!tally_in(&t, setting_open(&(setting){.comm = &half, .transport = transport}))) return;
    for (uint64_t i = 0; i < (color ? 3 : 8); i++) one_epoch(&t, i + 1);
    check_equal(scree_close(t.world), SCREE_OK);
  }
  MPI_Comm_free(&half);
}

/* Ranks of a node share its memory over any transport: each allows the same share of it for overflow. */
HARNESS_TEST(node_is_shared) {
  MPI_Comm node;
  int ranks = 0;
  uint64_t overflow_max[3] = {0};
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  for (uint64_t transport = 0; transport < 3; transport++) {
    scree_world *world = setting_open(&(setting){.transport = transport});
    if (!world) return;
    check_equal(scree_node_ranks(world), ranks);
    overflow_max[transport] = world->overflow_max;
    check_equal(scree_close(world), SCREE_OK);
  }
  check_equal(overflow_max[1], overflow_max[0]);
  check_equal(overflow_max[2], overflow_max[0]);
  MPI_Comm_free(&node);
}

/* MPI stays the caller's, and its error handler too. */
HARNESS_TEST(mpi_is_left_alone) {
  tally t;
  MPI_Errhandler before, after;
  scree_world *world = NULL;
  int finalized = 1;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  check_equal(scree_open(NULL, &world), SCREE_OK);
  if (!tally_in(&t, world)) return;
  one_epoch(&t, 2);
  check_equal(scree_close(world), SCREE_OK);
  MPI_Finalized(&finalized);
  check(!finalized);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
  check(before == after);
  MPI_Errhandler_free(&before);
  MPI_Errhandler_free(&after);
}

/* ---- the program's own traffic ---- */

enum { TOKENS = 50 };

/* Passes a token round the ring TOKENS times, by MPI's own messages on the program's communicator with wildcards, and
 * waits only by scree_progress. */
static void pass_tokens(MPI_Comm comm, scree_worker *w) {
  int right = (harness_rank + 1) % harness_ranks, left = (harness_rank + harness_ranks - 1) % harness_ranks;
  for (int i = 0; i < TOKENS; i++) {
    int out[2] = {harness_rank, i}, in[2] = {-1, -1}, done = 0;
    MPI_Request both[2];
    MPI_Status statuses[2];
    MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &both[0]);
    MPI_Isend(out, 2, MPI_INT, right, 1 + i, comm, &both[1]);
    while (!done) {
      scree_progress(w);
      MPI_Testall(2, both, &done, statuses);
    }
    check_equal(in[0], left);
    check_equal(statuses[0].MPI_SOURCE, left);
    check_equal(in[1], i);
  }
}

HARNESS_TEST(traffic_beside_an_epoch) {
  MPI_Comm comm;
  tally t;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (uint64_t transport = 0; transport < 3; transport++) {
    if (!tally_in(&t, setting_open(&(setting){.comm = &comm, .transport = transport}))) return;
    check_equal(scree_begin(t.w), SCREE_OK);
    for (uint32_t i = 0; i < 40000; i++) {
      if (i == 20000) pass_tokens(comm, t.w);
      number_send(t.w, t.number, (t.w->rank + i) % t.w->ranks, 1);
    }
    check_equal(scree_end(t.w, NULL), SCREE_OK);
    check_equal(t.count, 40000);
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm); /* idle world: waiting in MPI is legal */
    check_equal(sum, harness_ranks);
    check_equal(scree_close(t.world), SCREE_OK);
  }
  MPI_Comm_free(&comm);
}

/* ---- options ---- */

/* No world opens, and rank 0 prints the reason. */
static void refused(const setting *s, scree_status expected, const char *why) {
  scree_world *world;
  scree_status status;
  char *said = setting_said(s, &world, &status);
  check_equal(status, expected);
  if (harness_rank == 0) check_contains(said, why);
  free(said);
  check(world == NULL);
}

HARNESS_TEST(options_are_agreed) {
  static const char *const expected[] = {"option 'in-flight' is 3 on some ranks and 4 on others: give all",
                                         "option 'route' is direct on some ranks and rook on others: give all",
                                         "option 'test-receives' is 3 on some ranks and 4 on others: give all"};
  setting s = {.in_flight = harness_rank == harness_ranks - 1 ? 65 : 4}; /* wrong on one rank */
  refused(&s, SCREE_EINVAL, "");
  s.in_flight = harness_rank == 0 ? 3 : 4; /* legal, and different */
  s.route = harness_rank == harness_ranks - 1 ? SCREE_ROUTE_ROOK : SCREE_ROUTE_DIRECT;
  setenv("SCREE_TEST_RECEIVES", harness_rank == 0 ? "3" : "4", 1);
  for (size_t i = 0; i < sizeof expected / sizeof *expected && harness_ranks > 1; i++) {
    refused(&s, SCREE_EINVAL, expected[i]);
    s.in_flight = 4;
    if (i) s.route = SCREE_ROUTE_DIRECT;
  }
  setenv("SCREE_TEST_RECEIVES", harness_rank == harness_ranks - 1 ? "0" : "4", 1);
  refused(&(setting){0}, SCREE_EINVAL, "");
  unsetenv("SCREE_TEST_RECEIVES");
}

/* ---- builds ---- */

/* The last rank gives this one of the compared words another value. */
static int changed_word;

static int change_word(mpi_call *c) {
  scree__compared words;
  if (c->kind != CALL_Allreduce || harness_rank < harness_ranks - 1 || c->count != (int)(sizeof words / 8))
    return c->make(c);
  memcpy(&words, c->in, sizeof words);
  words.min[changed_word] = ~++words.max[changed_word];
  c->in = &words;
  return c->make(c);
}

HARNESS_TEST(builds_are_the_same) {
  char expected[4][200];
  if (harness_ranks == 1) harness_skip("one rank differs from none");
  snprintf(expected[0], sizeof *expected, "the version of scree is %s on some ranks and %d.%d.%d on others",
           SCREE_VERSION, SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH + 1);
  snprintf(expected[1], sizeof *expected, "the record of options has %zu bytes", sizeof(scree__options));
  snprintf(expected[2], sizeof *expected, "a block's header has %zu bytes on some ranks and %zu on others",
           sizeof(scree__block), sizeof(scree__block) + 1);
  snprintf(expected[3], sizeof *expected, "the part of it that travels has 32 bytes on some ranks and 33 on others");
  for (int word = 0; word < 4; word++) {
    changed_word = word;
    mpi_hook = change_word;
    refused(&(setting){0}, SCREE_EINVAL, expected[word]);
    mpi_hook = NULL;
  }
}

/* ---- zero copy ---- */

typedef struct {
  scree__shm *shm;
  place_type place;
  uint64_t handled, known;
} mapper;

/* An item holds its own offset in the segment, as its sender saw it when it was sent; 0: not known. */
static void on_place(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  mapper *m = arg;
  m->handled += batch->count;
  if (batch->source == w->rank) return;
  const char *arena = scree__shm_segment_arena(m->shm->segment, m->shm->area_of[batch->source]),
             *at = (const char *)items;
  check(at >= arena && at + 8 * (size_t)batch->count <= arena + m->shm->segment->arena_bytes);
  for (uint32_t i = 0; i < batch->count; i++) {
    if (items[i]) check_equal(items[i], (uint64_t)((const char *)&items[i] - m->shm->segment->map));
    m->known += items[i] != 0;
  }
}
SCREE_HANDLER(place, uint64_t, on_place);

static void send_place(scree_worker *w, mapper *m, uint32_t dest) {
  scree__lane l = w->row[m->place.id].lane[dest];
  bool room = (size_t)(l.limit - l.next) >= sizeof(uint64_t) && dest != w->rank;
  place_send(w, m->place, dest, room ? (uint64_t)(l.next - m->shm->segment->map) : 0);
}

HARNESS_TEST(zero_copy) {
  scree_world *world = setting_open(&(setting){.transport = SCREE_TRANSPORT_SHM});
  if (!world) return;
  if (world->worker[0]->transport->topology->nodes > 1) {
    check_equal(scree_close(world), SCREE_OK);
    harness_skip("the ranks are on several nodes");
  }
  mapper m = {.shm = (scree__shm *)world->worker[0]->transport};
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(place_register(world, &m, &m.place), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < 5000 * w->ranks; i++) send_place(w, &m, i % w->ranks);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(m.handled, 5000 * w->ranks);
  if (w->ranks > 1) check(m.known > 5000 * (w->ranks - 1) * 9 / 10); /* the fast path's */
  check_equal(scree_close(world), SCREE_OK);
}

/* MPI was initialised for calls by one thread. An explicit request is an error too where MPI provides less. */
HARNESS_TEST(levels_are_compared) {
  static const struct {
    setting setting;
    int needed;
    const char *why;
  } rows[] = {
      {{.threads = 2}, MPI_THREAD_SERIALIZED, "2 workers need MPI's thread level serialized or higher, it is funneled"},
      {{.thread_level = SCREE_THREAD_LEVEL_MULTIPLE},
       MPI_THREAD_MULTIPLE,
       "the option thread_level=multiple needs MPI's thread level multiple or higher, it is funneled: "
       "initialise MPI with that level, or set the option to auto"}};
  int level = MPI_THREAD_SINGLE;
  scree_world *world;
  MPI_Query_thread(&level);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (level < rows[i].needed)
      refused(&rows[i].setting, SCREE_EMPI, rows[i].why);
    else if ((world = setting_open(&rows[i].setting)))
      check_equal(scree_close(world), SCREE_OK);
}

HARNESS_MPI_MAIN
