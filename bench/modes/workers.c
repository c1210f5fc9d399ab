/* workers.c - as many workers in one rank as there are ranks of one worker: message rate and empty epochs.
 *
 * P ranks of one worker, and then the first of them alone with P workers, take turns. (With SCREE_THREADS=W the first
 * P/W of them with W workers each.) Each worker sends updates of 8 bytes to random workers of the job, whose handler
 * does one read-modify-write in the worker's own table of 2^20 words: a type to workers, so no atomic operation. Then
 * come empty epochs. The ranks that do not take part sleep. Start it with no more ranks than cores, and not bound to
 * single cores (mpirun --bind-to none), which the workers of one rank would share; the option pin (SCREE_PIN) binds
 * them. */
#include <stdlib.h>

#include "message_rate.h"
#include "modes.h"

enum { TABLE_LOG2 = 20, SCALE = 20, EPOCHS = 2000 };

/* One variant; each turn opens a world of its own. */
typedef struct {
  bench *b;
  uint32_t ranks, threads;
  bool empty;     /* epochs, instead of messages */
  double seconds; /* of this turn */
} turn;

static void begin_and_end(scree_worker *w, void *unused) {
  (void)unused;
  for (int i = 0; i < EPOCHS; i++) {
    scree_begin(w);
    scree_end(w, NULL);
  }
}

/* Runs once to warm up, and once for the figures. */
static bool take_turn(bench *b, void *arg) {
  turn *t = arg;
  static update_side s;
  job j = bench_job(b, 8, SCALE, TABLE_LOG2);
  j.items *= t->threads;
  s = (update_side){.to_workers = true, .threads = t->threads};
  bool good = update_open(&s, "shm", &j);
  for (int i = 0; good && i < 2; i++) {
    const double start = bench_now();
    if (t->empty)
      scree_run_workers(s.world, t->threads, begin_and_end, NULL);
    else
      update_run(&s, j.items);
    t->seconds = bench_slowest(bench_now() - start);
    good = bench_all(t->empty ? scree_error(s.world) == SCREE_OK : update_check(&s, j.items));
  }
  return update_close(&s) && good;
}

static double timed(void *arg) {
  turn *t = arg;
  t->seconds = 0; /* ranks that sleep keep it */
  if (!bench_on_ranks(t->b, (int)t->ranks, take_turn, t)) t->seconds = -1;
  return t->seconds;
}

static bool check(void *arg, uint64_t n) {
  (void)n;
  return ((const turn *)arg)->seconds >= 0;
}

static void report(bench *b, const bench_variant *v, const bench_variant *first) {
  const turn *t = v[0].arg;
  bench_row(b, BENCH_CELL("ranks", "%5.0f", t->ranks, 1), BENCH_CELL("workers", " %7.0f", t->threads, 1),
            BENCH_CELL("rate", " %12.2f", 1 / v[0].seconds, 1e-6),
            BENCH_CELL("epoch_seconds", " %9.3f", v[1].seconds, 1e6),
            BENCH_CELL("rate_ratio", " %8.2f", first[0].seconds / v[0].seconds, 1),
            BENCH_CELL("epoch_ratio", " %8.2f", v[1].seconds / first[1].seconds, 1));
}

bool bench_workers(bench *b) {
  const uint32_t ranks = (uint32_t)b->ranks, wanted = (uint32_t)bench_threads(ranks);
  const uint32_t threads = wanted < ranks ? wanted : ranks;
  const uint64_t items = bench_job(b, 8, SCALE, TABLE_LOG2).items;
  turn turns[4];
  bench_variant variants[4];
  for (int i = 0; i < 4; i++) {
    turns[i] = (turn){b, i < 2 ? ranks : ranks / threads, i < 2 ? 1 : threads, i % 2, 0};
    variants[i] = (bench_variant){
        .name = "workers", .timed = timed, .check = check, .arg = &turns[i], .n = i % 2 ? EPOCHS : items};
  }
  if (threads > SCREE_THREADS_MAX || ranks % threads || !bench_rounds(b, variants, 4)) return false;
  if (b->rank == 0)
    printf("%5s %7s %12s %9s %8s %8s\n", "ranks", "workers", "M/s of each", "epoch us", "rate", "epoch");
  for (int i = 0; i < 4; i += 2) report(b, &variants[i], variants);
  return true;
}
