/* lock.c - the lock under which the workers of a rank call MPI, without MPI: mutex, ticket and priority.
 *
 * Threads enter, spend some time inside, and leave, without a pause, in turn with high and with low priority. The locks
 * take turns, each for a fixed time, so that a thread that is served rarely does not prolong the run. The time inside
 * is a count of instructions: a thread that loses its core inside stays there for longer, as in a call of MPI. Start it
 * on one rank that is not bound to a core (mpirun -n 1 --bind-to none); further ranks sleep. docs/threads.md, section
 * 10, explains the output. */
#include "thread/lock.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "modes.h"

enum { KINDS = 3, THREADS_MAX = 8, FINE = 16, BUCKETS = 64 * FINE, SPIN = 256, DEFAULT_MS = 50 };
static const char *const names[KINDS] = {"mutex", "ticket", "priority"};
static const double inside_us[] = {0, 0.1, 1, 10};

/* Ticks that entering took: counts by magnitude, FINE buckets for each power of 2. */
typedef struct {
  uint64_t count[BUCKETS], max;
} histogram;

typedef struct {
  scree__lock lock;
  uint64_t loops; /* inside */
  pthread_barrier_t start;
  AO_t stop;
} arena;

typedef struct {
  scree__lock_user user;
  arena *in;
  histogram waits[2]; /* by priority */
} visitor;

typedef struct {
  uint32_t threads, cores; /* cores that this process may use */
  double inside;           /* us */
  double loops_per_us, ticks_per_us;
  int ms;
} setting;

/* What one lock did with so many threads, and as long inside. */
typedef struct {
  const setting *how;
  uint64_t kind;
  bool is_warm; /* the first run is not counted */
  histogram waits[2];
  uint64_t again, fair;
} series;

static void add_ticks(histogram *h, uint64_t ticks) {
  uint32_t log2 = ticks < FINE ? 0 : 60 - (uint32_t)__builtin_clzll(ticks); /* of ticks / FINE, plus 1 */
  h->count[ticks < FINE ? ticks : log2 * FINE + (ticks >> (log2 - 1)) - FINE]++;
  if (ticks > h->max) h->max = ticks;
}

/* The lowest value of a bucket. */
static double ticks_of(uint32_t bucket) {
  uint32_t log2 = bucket / FINE;
  return log2 == 0 ? bucket : (double)((uint64_t)(FINE + bucket % FINE) << (log2 - 1));
}

static double percentile(const histogram *a, const histogram *b, double share) {
  uint64_t all = 0, seen = 0;
  for (int i = 0; i < BUCKETS; i++) all += a->count[i] + b->count[i];
  for (uint32_t i = 0; i < BUCKETS; i++) {
    seen += a->count[i] + b->count[i];
    if ((double)seen >= share * (double)all) return ticks_of(i);
  }
  return 0;
}

static void add_histogram(histogram *to, const histogram *from) {
  for (int i = 0; i < BUCKETS; i++) to->count[i] += from->count[i];
  if (from->max > to->max) to->max = from->max;
}

/* ---- one run ---- */

static uint64_t compute(uint64_t loops) {
  uint64_t x = loops;
  for (uint64_t i = 0; i < loops; i++) {
    bench_draw(&x);
    __asm__ __volatile__("" : "+r"(x)); /* a compiler cannot predict it */
  }
  return x;
}

static void *visit(void *arg) {
  visitor *me = arg;
  arena *in = me->in;
  pthread_barrier_wait(&in->start);
  for (uint64_t i = 0; !AO_load(&in->stop); i++) {
    scree__priority priority = i & 1 ? SCREE__LOW : SCREE__HIGH;
    uint64_t wanted = scree__ticks();
    scree__lock_enter(&in->lock, &me->user, priority);
    uint64_t entered = scree__ticks();
    compute(in->loops);
    scree__lock_leave(&in->lock, priority);
    add_ticks(&me->waits[priority], entered - wanted);
  }
  return NULL;
}

static void add_visitor(series *s, const visitor *v, uint64_t *entries) {
  *entries += v->user.entries;
  s->again += v->user.again;
  s->fair += v->user.fair;
  for (int p = 0; p < 2; p++) add_histogram(&s->waits[p], &v->waits[p]);
}

/* Seconds of an entry. */
static double timed(void *arg) {
  series *s = arg;
  const setting *how = s->how;
  arena *in = aligned_alloc(SCREE__LINE, sizeof *in);
  visitor *visitors = aligned_alloc(SCREE__LINE, THREADS_MAX * sizeof *visitors);
  pthread_t thread[THREADS_MAX];
  uint32_t made = 0;
  uint64_t entries = 0;
  if (!in || !visitors) abort();
  memset(in, 0, sizeof *in);
  memset(visitors, 0, THREADS_MAX * sizeof *visitors);
  scree__lock_init(&in->lock, s->kind, how->threads > how->cores ? 0 : SPIN);
  in->loops = (uint64_t)(how->inside * how->loops_per_us);
  pthread_barrier_init(&in->start, NULL, how->threads + 1);
  for (; made < how->threads; made++) {
    visitors[made].in = in;
    if (pthread_create(&thread[made], NULL, visit, &visitors[made])) abort();
  }
  pthread_barrier_wait(&in->start);
  double start = bench_now();
  nanosleep(&(struct timespec){how->ms / 1000, how->ms % 1000 * 1000000L}, NULL);
  AO_store(&in->stop, 1);
  double seconds = bench_now() - start;
  for (uint32_t i = 0; i < made; i++) {
    pthread_join(thread[i], NULL);
    add_visitor(s, &visitors[i], &entries);
  }
  pthread_barrier_destroy(&in->start);
  scree__lock_destroy(&in->lock);
  free(visitors);
  free(in);
  if (!s->is_warm) *s = (series){.how = how, .kind = s->kind, .is_warm = true};
  return seconds / (double)entries;
}

/* ---- rows ---- */

static void report(bench *b, const bench_variant *v, double mutex) {
  static const histogram none;
  const series *s = v->arg;
  const histogram *high = &s->waits[SCREE__HIGH], *low = &s->waits[SCREE__LOW];
  const double us = 1 / s->how->ticks_per_us, max = us * (double)(high->max > low->max ? high->max : low->max);
  const scree_lock_stats counted = {.again = s->again, .fair = s->fair};
  bench_row(b, BENCH_CELL("threads", "%7.0f", s->how->threads, 1), BENCH_CELL("inside_us", " %6.1f", s->how->inside, 1),
            BENCH_TEXT("lock", " %-8s", v->name), BENCH_CELL("rate", " %9.1f", 1 / v->seconds, 1e-3),
            BENCH_CELL("mutex_ratio", " %6.2f", mutex / v->seconds, 1),
            BENCH_CELL("p50_us", " %9.2f", us * percentile(high, low, 0.5), 1),
            BENCH_CELL("p99_us", " %9.2f", us * percentile(high, low, 0.99), 1), BENCH_CELL("max_us", " %9.0f", max, 1),
            BENCH_CELL("bias", " %6.2f", scree_lock_bias(&counted), 1),
            BENCH_CELL("high_p99_us", " %9.2f", us * percentile(high, &none, 0.99), 1),
            BENCH_CELL("spread", " %5.0f%%", v->spread, 100));
}

static bool measure(bench *b, const setting *how) {
  static series all[KINDS];
  bench_variant v[KINDS];
  for (uint64_t kind = 0; kind < KINDS; kind++) {
    all[kind] = (series){.how = how, .kind = kind};
    v[kind] = (bench_variant){.name = names[kind], .timed = timed, .arg = &all[kind], .n = 1};
  }
  if (!bench_rounds(b, v, KINDS)) return false;
  for (int kind = 0; kind < KINDS; kind++) report(b, &v[kind], v[0].seconds);
  return true;
}

/* The best of some: others may take the core. */
static void calibrate(setting *how) {
  const uint64_t loops = 1000000;
  double min = 1;
  for (int i = 0; i < 20; i++) {
    double start = bench_now();
    compute(loops);
    double seconds = bench_now() - start;
    if (seconds < min) min = seconds;
  }
  how->loops_per_us = (double)loops / (1e6 * min);
  double start = bench_now();
  uint64_t ticks = scree__ticks();
  while (bench_now() - start < 0.05) sched_yield();
  how->ticks_per_us = (double)(scree__ticks() - ticks) / (1e6 * (bench_now() - start));
}

static bool run_all(bench *b, void *unused) {
  cpu_set_t mine;
  setting how = {.ms = b->scale ? b->scale : DEFAULT_MS};
  bool good = true;
  (void)unused;
  how.cores = sched_getaffinity(0, sizeof mine, &mine) ? 1 : (uint32_t)CPU_COUNT(&mine);
  calibrate(&how);
  printf("%7s %6s %-8s %9s %6s %9s %9s %9s %6s %9s %6s   on %u cores\n", "threads", "inside", "lock", "1000/s", "rate",
         "p50 us", "p99 us", "max us", "bias", "high p99", "spread", how.cores);
  for (how.threads = 1; good && how.threads <= THREADS_MAX; how.threads = b->full ? how.threads + 1 : 2 * how.threads)
    for (size_t i = 0; good && i < sizeof inside_us / sizeof inside_us[0]; i++) {
      how.inside = inside_us[i];
      good = measure(b, &how);
    }
  return good;
}

bool bench_lock(bench *b) {
  return bench_on_ranks(b, 1, run_all, NULL);
}
