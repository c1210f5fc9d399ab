/* mpi_route.c - routed types over real ranks: every route, by shared memory and by MPI, with one and two workers of each rank,
 * without chaos, and with it and with messages to workers dealt out by their ranks, on one node and two; judged by totals over all workers, and by who has sent each message.
 *
 * MPI: defaults */
#include <mpi.h>

#include "base/random.h"
#include "harness.h"
#include "setting.h"

enum { EPOCHS = 3, THREADS = 2, DEPTH = 2, SETTINGS = 5 * 2 * 2 * 3 };

typedef struct {
  uint64_t value;
  uint32_t source, worker, dest, depth;
} note;

SCREE_MESSAGE_ROUTED(near, note);
SCREE_MESSAGE_ROUTED(serial, note);
SCREE_MESSAGE_ROUTED(own, note); /* to workers */
SCREE_MESSAGE_ROUTED(bit, uint32_t);
SCREE_MESSAGE(plain, note);

typedef struct job job;

/* One worker's. */
typedef struct {
  job *all;
  uint64_t random, sent, handled; /* sums of values, in this epoch */
} player;

struct job {
  near_type near;
  serial_type serial;
  own_type own;
  bit_type bit;
  plain_type plain;
  player players[THREADS];
};

static void send_one(scree_worker *w, player *me, uint32_t dest, uint32_t depth) {
  const note n = {scree__draw(&me->random) >> 20, w->rank, w->index, dest, depth};
  const uint64_t kind = scree__draw(&me->random) % 8;
  if (kind == 0) {
    bit_send(w, me->all->bit, dest, (uint32_t)n.value);
    me->sent += (uint32_t)n.value;
    return;
  }
  me->sent += n.value;
  if (kind == 1)
    plain_send(w, me->all->plain, dest, n);
  else if (kind == 2)
    serial_send(w, me->all->serial, dest, n);
  else if (kind == 3)
    own_send(w, me->all->own, scree_worker_number(w, dest, (uint32_t)n.value % w->threads), n);
  else if (kind > 4 || !near_try_send(w, me->all->near, dest, n))
    near_send(w, me->all->near, dest, n);
}

static void on_note(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  player *me = &((job *)arg)->players[w->index];
  for (uint32_t i = 0; i < batch->count; i++) {
    check_equal(items[i].dest, w->rank);
    check_equal(items[i].source, batch->source);
    check_equal(items[i].worker, batch->worker);
    me->handled += items[i].value;
    if (items[i].depth > 0) send_one(w, me, batch->source, items[i].depth - 1);
    if (items[i].depth > 1) send_one(w, me, (uint32_t)(scree__draw(&me->random) % w->ranks), 0);
  }
}

static void on_serial(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  check_equal(w->index, 0);
  on_note(w, batch, items, arg);
}

static void on_own(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) check_equal((uint32_t)items[i].value % w->threads, w->index);
  on_note(w, batch, items, arg);
}

/* Asks for no source. */
static void on_bit(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) ((job *)arg)->players[w->index].handled += items[i];
}

SCREE_HANDLER(near, note, on_note);
SCREE_HANDLER(plain, note, on_note);
SCREE_HANDLER(serial, note, on_serial);
SCREE_HANDLER(own, note, on_own);
SCREE_HANDLER(bit, uint32_t, on_bit);

/* The totals of all workers, by the reduction of an epoch of its own. */
static void judge(scree_worker *w, player *me) {
  scree_reduce sums = {{me->sent, me->handled}, 0, 0};
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &sums), SCREE_OK);
  check_equal(sums.sum[0], sums.sum[1]);
  check(sums.sum[0] > 0);
  me->sent = me->handled = 0;
}

static void play(scree_worker *w, void *job_) {
  player *me = &((job *)job_)->players[w->index];
  for (uint32_t e = 0; e < EPOCHS; e++) {
    check_equal(scree_begin(w), SCREE_OK);
    for (uint32_t i = 0; i < 4 * w->ranks; i++) send_one(w, me, i % w->ranks, DEPTH);
    for (uint32_t i = 0; i < 50; i++) send_one(w, me, w->ranks - 1, 0);
    while (e == 1 && !scree_test(w, true, NULL)) {
    }
    if (e != 1) check_equal(scree_end(w, NULL), SCREE_OK);
    judge(w, me);
  }
}

/* What ranks pass on, over all: nothing where each is the next one of the others. By `node` only where nodes have several
 * ranks and there are several nodes. */
static void check_passed(const scree_world *world, const setting *is) {
  scree_stats s;
  uint64_t passed;
  scree_stats_read(world, &s);
  MPI_Allreduce(&s.passed, &passed, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  /* by MPI alone each rank is a node of its own to the routes, whoever shares its memory */
  uint32_t on_node = is->transport == SCREE_TRANSPORT_MPI ? 1 : scree_node_ranks(world), most;
  MPI_Allreduce(&on_node, &most, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
  const bool useless = is->route == SCREE_ROUTE_NODE && (most == 1 || most == (uint32_t)harness_ranks);
  const bool dealt = is->aggregate == SCREE_AGGREGATE_RANK && is->threads > 1;
  if ((harness_ranks < 3 || useless) && !dealt)
    check_equal(passed, 0);
  else if (harness_ranks > 3 || (dealt && harness_ranks > 1))
    check(passed > 0);
}

static void routed(void **state) {
  const setting *s = *state;
  scree_world *world = setting_open(s);
  job j = {.players = {{.sent = 0}}};
  if (!world) return;
  for (uint32_t i = 0; i < THREADS; i++) j.players[i] = (player){.all = &j, .random = 100 * (uint64_t)harness_rank + i};
  check_equal(near_register(world, &j, &j.near), SCREE_OK);
  check_equal(plain_register(world, &j, &j.plain), SCREE_OK);
  check_equal(serial_register_with(world, SCREE_SERIAL, &j, &j.serial), SCREE_OK);
  check_equal(own_register_with(world, SCREE_TO_WORKER, &j, &j.own), SCREE_OK);
  check_equal(bit_register_with(world, SCREE_ANY_SOURCE, &j, &j.bit), SCREE_OK);
  check_equal(scree_run_workers(world, (uint32_t)s->threads, play, &j), SCREE_OK);
  check_passed(world, s);
  check_equal(scree_close(world), SCREE_OK);
}

/* Without chaos, with it, and with it on two nodes. */
static void make_setting(setting *s, char name[64], size_t i) {
  static const char *const words[] = {"rook", "hypercube", "dissemination", "node", "ring"};
  static const char *const ways[] = {"", ", chaos", ", chaos, two nodes"};
  const size_t way = i / 20;
  *s = (setting){.name = name, .threads = THREADS};
  if (way > 0) *s = (setting){.name = name, SETTING_CHAOS(20261123 + i), .threads = THREADS, .nodes = way == 2 ? 2 : 0};
  s->route = SCREE_ROUTE_ROOK + i % 5;
  if (i / 5 % 2) s->transport = SCREE_TRANSPORT_MPI;
  if (i / 10 % 2) s->threads = 1;
  if (way > 0) s->aggregate = SCREE_AGGREGATE_RANK;
  snprintf(name, 64, "%s, %s, %d threads%s", words[i % 5], s->transport ? "mpi" : "auto", (int)s->threads, ways[way]);
}

int main(int argc, char **argv) {
  struct CMUnitTest tests[SETTINGS];
  setting settings[SETTINGS];
  char names[SETTINGS][64];
  for (size_t i = 0; i < SETTINGS; i++) {
    make_setting(&settings[i], names[i], i);
    tests[i] = (struct CMUnitTest){names[i], routed, NULL, NULL, &settings[i]};
  }
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv, tests, SETTINGS);
}
