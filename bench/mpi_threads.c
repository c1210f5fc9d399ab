/* mpi_threads.c - what threads gain or lose in MPI, and what the lock under which they call it does (Amer, PhD thesis,
 * 2015, figures VI.2, VI.5, VI.7, VI.9 and VI.11), by plain MPI, without a world of scree.
 *
 * throughput: threads of rank 0 send windows of 64 messages to those of rank 1, which acknowledge each window; a
 * message goes to any thread. latency: a thread of rank 0 and one of rank 1 send one message to and fro. n2n: threads
 * of all ranks send windows to, and receive them from, all other ranks. One thread alone, each kind of scree's lock,
 * and `multiple`, where threads call MPI at once, take turns. All of them call an MPI that was initialised with
 * MPI_THREAD_MULTIPLE, so each call also enters MPI's own lock. Then comes one run in which every 64th entry of a
 * thread into the lock looks for dangling requests: it is not timed. Start it on 2 ranks or more that are not bound to
 * single cores (mpirun --bind-to none). docs/threads.md, section 10, explains the output. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"
#include "mpi_team.h"

enum { DATA = 0, ACK = 1, SAMPLE_EVERY = 64 };
static const char *const names[TEAM_KINDS] = {"one thread", "mutex", "ticket", "priority", "multiple"};

/* ---- patterns ---- */

static void throughput_job(team_member *me, uint64_t n) {
  const team *t = me->team;
  const int peer = 1 - t->rank, ack = ACK + (int)me->index;
  for (uint64_t i = 0; i < n; i++) {
    for (int k = 0; k < TEAM_WINDOW; k++) (t->rank == 0 ? team_send : team_receive)(me, peer, DATA, t->bytes);
    team_wait(me);
    (t->rank == 0 ? team_receive : team_send)(me, peer, ack, 1);
    team_wait(me);
  }
}

static uint64_t throughput_received(const team *t) {
  return t->rank == 0 ? 1 : TEAM_WINDOW;
}
static uint64_t throughput_messages(const team *t) {
  return t->threads * TEAM_WINDOW;
}

static void latency_job(team_member *me, uint64_t n) {
  const team *t = me->team;
  const int peer = 1 - t->rank, tag = (int)me->index;
  for (uint64_t i = 0; i < 2 * n; i++) {
    (t->rank == (int)(i & 1) ? team_send : team_receive)(me, peer, tag, t->bytes);
    team_wait(me);
  }
}

static uint64_t one(const team *t) {
  (void)t;
  return 1;
}
static uint64_t latency_messages(const team *t) {
  return 2 * t->threads;
}

/* Returns how many requests of a window go to each other rank. */
static int share(const team *t) {
  const int others = t->ranks - 1;
  return others > TEAM_WINDOW / 2 ? 1 : TEAM_WINDOW / 2 / others;
}

static void n2n_job(team_member *me, uint64_t n) {
  const team *t = me->team;
  for (uint64_t i = 0; i < n; i++) {
    for (int k = 0; k < share(t); k++)
      for (int r = 1; r < t->ranks; r++) {
        team_receive(me, (t->rank + r) % t->ranks, DATA, t->bytes);
        team_send(me, (t->rank + t->ranks - r) % t->ranks, DATA, t->bytes);
      }
    team_wait(me);
  }
}

static uint64_t n2n_received(const team *t) {
  return (uint64_t)share(t) * (uint64_t)(t->ranks - 1);
}
static uint64_t n2n_messages(const team *t) {
  return n2n_received(t) * t->threads * (uint64_t)t->ranks;
}

static const struct {
  const char *name;
  void (*job)(team_member *me, uint64_t n);
  uint64_t (*received)(const team *t); /* by a thread, each time */
  uint64_t (*messages)(const team *t); /* of all, each time */
} patterns[] = {{"throughput", throughput_job, throughput_received, throughput_messages},
                {"latency", latency_job, one, latency_messages},
                {"n2n", n2n_job, n2n_received, n2n_messages}};
enum { THROUGHPUT, LATENCY, N2N, PATTERNS };

/* ---- one row for each kind ---- */

typedef struct {
  int pattern;
  size_t bytes;
  uint32_t threads;
  bool multiple; /* MPI serves several threads at once */
  const scree__sockets *sockets;
} setting;

static void run(void *arg, uint64_t n) {
  team_run(arg, n);
}

static int pattern_of(const team *t) {
  int p = THROUGHPUT;
  while (patterns[p].job != t->job) p++;
  return p;
}

static bool check(void *arg, uint64_t n) {
  team *t = arg;
  return team_check(t, n * patterns[pattern_of(t)].received(t));
}

/* Requests that a window of this pattern has at most. */
static int window_of(const setting *s, int ranks) {
  const int both = 2 * (ranks - 1);
  if (s->pattern == LATENCY) return 1;
  return both > TEAM_WINDOW ? both : TEAM_WINDOW;
}

static double ratio(double a, double b) {
  return b > 0 ? a / b : (double)NAN;
}

static void report(bench *b, const setting *s, const bench_variant *v, const bench_variant *one_thread,
                   const scree__lock_user *counts) {
  const team *t = v->arg, *alone = one_thread->arg;
  const double rate = (double)patterns[s->pattern].messages(t) / v->seconds;
  const double alone_rate = (double)patterns[s->pattern].messages(alone) / one_thread->seconds;
  const double requests = (double)counts->samples * t->threads * window_of(s, t->ranks);
  bench_row(
      b, BENCH_TEXT("pattern", "%-10s", patterns[s->pattern].name), BENCH_TEXT("lock", " %-10s", v->name),
      BENCH_CELL("bytes", " %10.0f", (double)s->bytes, 1), BENCH_CELL("threads", " %10.0f", s->threads, 1),
      BENCH_CELL("rate", " %10.0f", rate, 1), BENCH_CELL("one_thread_ratio", " %10.2f", rate / alone_rate, 1),
      BENCH_CELL("latency_us", " %10.2f", s->pattern == LATENCY ? 1e6 * v->seconds / 2 : (double)NAN, 1),
      BENCH_CELL("waited", " %10.2f", ratio((double)counts->waits, (double)counts->entries), 1),
      BENCH_CELL("bias", " %10.2f", ratio(1e6 * (double)counts->again, (double)counts->fair), 1),
      BENCH_CELL("socket_bias", " %10.2f", ratio(1e6 * (double)counts->socket_again, (double)counts->socket_fair), 1),
      BENCH_CELL("dangling", " %10.2f", ratio((double)counts->dangling_sends, requests), 1),
      BENCH_CELL("spread", " %10.2f", v->spread, 1));
}

/* This run is not timed. It keeps what the timed rounds counted of the lock. */
static bool look_for_dangling(team *t, uint64_t n, scree__lock_user *counts) {
  scree__lock_user sampled;
  team_counts(t, counts);
  if (!t->locked) return true;
  t->sample = SAMPLE_EVERY;
  team_run(t, n);
  const bool good = bench_all(check(t, n));
  team_counts(t, &sampled);
  counts->samples = sampled.samples;
  counts->dangling_sends = sampled.dangling_sends;
  return good;
}

static bool measure(bench *b, const setting *s) {
  const int kinds = s->multiple ? TEAM_KINDS : TEAM_MULTIPLE;
  bench_variant variants[TEAM_KINDS] = {{0}};
  bool good = true;
  for (int kind = 0; kind < kinds; kind++) {
    team *t = team_make((team_kind)kind, s->threads, s->bytes, window_of(s, b->ranks), s->sockets);
    if (t) t->job = patterns[s->pattern].job;
    variants[kind] = (bench_variant){.name = names[kind], .run = run, .check = check, .arg = t};
    good = good && t;
  }
  good = bench_all(good) && bench_rounds(b, variants, kinds);
  for (int kind = 0; kind < kinds && good; kind++) {
    scree__lock_user counts;
    good = look_for_dangling(variants[kind].arg, variants[kind].n, &counts);
    if (good) report(b, s, &variants[kind], &variants[0], &counts);
  }
  for (int kind = 0; kind < kinds; kind++) team_free(variants[kind].arg);
  return good;
}

/* ---- all ---- */

static bool measure_sizes(bench *b, setting *s) {
  static const size_t few[] = {1, 64, 1024, 4096, 32768, 65536};
  bool good = true;
  if (b->scale > 0) {
    s->bytes = (size_t)1 << b->scale;
    return measure(b, s);
  }
  for (size_t i = 0; !b->full && good && i < sizeof few / sizeof few[0]; i++) {
    s->bytes = few[i];
    good = measure(b, s);
  }
  for (s->bytes = 1; b->full && good && s->bytes <= 65536; s->bytes *= 2) good = measure(b, s);
  return good;
}

static bool run_pattern(bench *b, void *arg) {
  setting *s = arg;
  bool good = true;
  for (s->threads = 1; good && s->threads <= TEAM_THREADS_MAX; s->threads = b->full ? s->threads + 1 : 2 * s->threads)
    good = measure_sizes(b, s);
  return good;
}

static void print_head(const setting *s) {
  static const char *const heads[] = {"bytes",  "threads", "messages/s", "of 1",     "latency us",
                                      "waited", "bias",    "socket",     "dangling", "spread"};
  printf("%-10s %-10s", "pattern", "lock");
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) printf(" %10s", heads[i]);
  printf("   ");
  if (!s->sockets)
    printf("sockets unknown");
  else if (s->sockets->count == 1)
    printf("one socket, so no bias by socket");
  else
    printf("%u sockets", s->sockets->count);
  printf("%s\n", s->multiple ? "" : "; MPI provides less than MPI_THREAD_MULTIPLE, so 'multiple' is left out");
}

static bool run_patterns(bench *b) {
  int level;
  bool good = true;
  MPI_Query_thread(&level);
  if (b->ranks < 2 || level < MPI_THREAD_SERIALIZED || b->scale > 16) {
    if (b->rank == 0)
      fprintf(stderr, "mpi_threads: %s\n",
              b->ranks < 2    ? "start it on 2 ranks or more"
              : b->scale > 16 ? "--scale: legal are 1 to 16, the logarithm of the bytes of a message"
                              : "MPI provides less than MPI_THREAD_SERIALIZED: use one that serves several threads");
    return false;
  }
  scree__sockets *sockets = scree__sockets_find();
  setting s = {.multiple = level == MPI_THREAD_MULTIPLE, .sockets = sockets};
  if (b->rank == 0) print_head(&s);
  for (s.pattern = 0; good && s.pattern < PATTERNS; s.pattern++)
    good = bench_on_ranks(b, s.pattern == N2N ? b->ranks : 2, run_pattern, &s);
  free(sockets);
  return good;
}

const bench_mode bench_modes[] = {
    {.name = "mpi_threads",
     .what =
         "1, 2, 4, 8 threads (--full: 1 to 8) in each of 2 ranks that exchange windows of 64 messages of 1 B to 64 "
         "KiB, or one message to and fro, and in all ranks (n2n), by plain MPI: one thread, mutex, ticket, priority, "
         "and MPI_THREAD_MULTIPLE; --scale N: messages of 2^N bytes alone",
     .run = run_patterns,
     .thread_level = MPI_THREAD_MULTIPLE,
     .needs_mpi = true},
    {.name = "lock",
     .what =
         "1, 2, 4, 8 threads (--full: 1 to 8) that enter mutex, ticket and priority lock, without MPI, and stay "
         "inside for 0, 0.1, 1, 10 us: entries per second, the ratio to the mutex's, microseconds from the request to "
         "enter to being inside, bias; --scale: milliseconds of a round, default 50",
     .run = bench_lock},
    {0}};
