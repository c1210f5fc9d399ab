/* mpi_reduce.c - reduced types over real ranks: every route, by shared memory and by MPI, with one and two workers of each rank,
 * small caches and large ones, on one node and two; judged by totals over all workers.
 *
 * MPI: defaults */
#include <mpi.h>
#include <scree/reduced.h>

#include "base/random.h"
#include "harness.h"
#include "setting.h"

enum { EPOCHS = 3, THREADS = 2, KEYS = 50, SETTINGS = 6 * 2 * 2 * 2 };

typedef struct {
  uint64_t weight;
  uint32_t key, dest;
} note;
#define KEY(item)    ((item)->key)
#define WEIGHT(item) ((item)->weight)
static void add(note *kept, const note *item) {
  check_equal(kept->dest, item->dest);
  kept->weight += item->weight;
}
SCREE_MESSAGE_REDUCED(sum, note, KEY, add);
SCREE_MESSAGE_REDUCED(own, note, KEY, add); /* to workers */
SCREE_MESSAGE_FILTERED(least, note, KEY, WEIGHT);

typedef struct job job;

/* One worker's: of weights that add up, sums; of the others, the least of this epoch. */
typedef struct {
  job *all;
  uint64_t random, sent, handled, least_sent, least_handled;
} player;

struct job {
  sum_type sum;
  own_type own;
  least_type least;
  player players[THREADS];
};

static void send_one(scree_worker *w, player *me, uint32_t dest) {
  const uint64_t drawn = scree__draw(&me->random);
  const note n = {1 + (drawn >> 40), (uint32_t)(drawn % KEYS), dest};
  if (drawn >> 8 & 1) {
    if (n.weight < me->least_sent) me->least_sent = n.weight;
    least_send(w, me->all->least, dest, n);
    return;
  }
  me->sent += n.weight;
  if (drawn >> 9 & 1)
    own_send(w, me->all->own, scree_worker_number(w, dest, (uint32_t)(drawn >> 10) % w->threads), n);
  else if (!sum_try_send(w, me->all->sum, dest, n))
    sum_send(w, me->all->sum, dest, n);
}

/* Each is answered by one to the next rank, so that handlers send, unless the least one of all is known here. */
static void on_sum(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  player *me = &((job *)arg)->players[w->index];
  for (uint32_t i = 0; i < batch->count; i++) {
    check_equal(items[i].dest, w->rank);
    me->handled += items[i].weight;
    if (items[i].weight % 4 == 0) send_one(w, me, (w->rank + 1) % w->ranks);
  }
}

static void on_least(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  player *me = &((job *)arg)->players[w->index];
  for (uint32_t i = 0; i < batch->count; i++) {
    check_equal(items[i].dest, w->rank);
    if (items[i].weight < me->least_handled) me->least_handled = items[i].weight;
  }
}
SCREE_HANDLER(sum, note, on_sum);
SCREE_HANDLER(own, note, on_sum);
SCREE_HANDLER(least, note, on_least);

/* The totals of all workers, by the reductions of two empty epochs. */
static void judge(scree_worker *w, player *me) {
  scree_reduce sums = {{me->sent, me->handled}, me->least_sent, 0}, handled = {{0, 0}, me->least_handled, 0};
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &sums), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &handled), SCREE_OK);
  check_equal(sums.sum[0], sums.sum[1]);
  check_equal(sums.min, handled.min);
  check(sums.sum[0] > 0 && sums.min < UINT64_MAX);
  me->sent = me->handled = 0;
  me->least_sent = me->least_handled = UINT64_MAX;
}

static void play(scree_worker *w, void *job_) {
  player *me = &((job *)job_)->players[w->index];
  for (uint32_t e = 0; e < EPOCHS; e++) {
    check_equal(scree_begin(w), SCREE_OK);
    for (uint32_t i = 0; i < 300; i++) send_one(w, me, i % w->ranks);
    while (e == 1 && !scree_test(w, true, NULL)) {
    }
    if (e != 1) check_equal(scree_end(w, NULL), SCREE_OK);
    judge(w, me);
  }
}

static void check_combined(const scree_world *world, uint32_t type) {
  scree_reduced_stats s;
  check_equal(scree_stats_reduced(world, type, &s), SCREE_OK);
  uint64_t combined;
  MPI_Allreduce(&s.combined, &combined, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  check(combined > 0);
}

static void reduced(void **state) {
  const setting *s = *state;
  scree_world *world = setting_open(s);
  job j = {.players = {{.sent = 0}}};
  if (!world) return;
  for (uint32_t i = 0; i < THREADS; i++)
    j.players[i] = (player){
        .all = &j, .random = 100 * (uint64_t)harness_rank + i, .least_sent = UINT64_MAX, .least_handled = UINT64_MAX};
  check_equal(sum_register_with(world, SCREE_ANY_SOURCE, &j, &j.sum), SCREE_OK);
  check_equal(own_register_with(world, SCREE_TO_WORKER, &j, &j.own), SCREE_OK);
  check_equal(least_register(world, &j, &j.least), SCREE_OK);
  check_equal(scree_reduce_type(world, j.sum.id, SCREE_REDUCE_ON), SCREE_OK);
  check_equal(scree_run_workers(world, (uint32_t)s->threads, play, &j), SCREE_OK);
  check_combined(world, j.sum.id);
  check_combined(world, j.least.id);
  check_equal(scree_close(world), SCREE_OK);
}

static void make_setting(setting *s, char name[64], size_t i) {
  static const char *const words[] = {"direct", "rook", "hypercube", "dissemination", "node", "ring"};
  *s = (setting){.name = name, .threads = 1 + i / 12 % 2};
  if (i >= SETTINGS / 2) *s = (setting){.name = name, SETTING_CHAOS(20261124 + i), .threads = s->threads, .nodes = 2};
  s->route = i % 6;
  if (i / 6 % 2) s->transport = SCREE_TRANSPORT_MPI;
  if (i % 2) s->reduce_cache = 512;
  snprintf(name, 64, "%s, %s, %d threads%s%s", words[i % 6], s->transport ? "mpi" : "auto", (int)s->threads,
           s->chaos ? ", chaos, two nodes" : "", s->reduce_cache ? ", 16 entries" : "");
}

int main(int argc, char **argv) {
  struct CMUnitTest tests[SETTINGS];
  setting settings[SETTINGS];
  char names[SETTINGS][64];
  for (size_t i = 0; i < SETTINGS; i++) {
    make_setting(&settings[i], names[i], i);
    tests[i] = (struct CMUnitTest){names[i], reduced, NULL, NULL, &settings[i]};
  }
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv, tests, SETTINGS);
}
