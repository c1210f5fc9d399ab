/* soak.c - plays random programs (test/traffic) one after the other on the ranks of one launch. Started by
 * test/soak.sh.
 *   soak BOARD --seed N [--program N | --seconds N] [--default] [--set NAME=VALUE]...
 *   soak --show BOARD          prints the counters, while the ranks play or after
 * Options are drawn over their whole range, so that a program may run out of memory; --set fixes one, or a word of the
 * shape. Rank 0's last line is "soak: done" if all programs were played and judged. The exit code is 0 if nothing was
 * lost. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ranks.h"
#include "soak.h"
#include "traffic_ranks.h"

typedef struct {
  const char *board;
  uint64_t seed, program, seconds;
  bool one, defaults;
  char fixed[ROW / 2]; /* words */
} request;

static bool parse_number(const char *text, uint64_t *n) {
  char *end;
  *n = strtoull(text, &end, 10);
  return text[0] && !*end;
}

static bool parse_pair(request *r, const char *name, const char *value) {
  const size_t used = strlen(r->fixed);
  if (strcmp(name, "--seed") == 0) return parse_number(value, &r->seed);
  if (strcmp(name, "--program") == 0) return r->one = true, parse_number(value, &r->program);
  if (strcmp(name, "--seconds") == 0) return parse_number(value, &r->seconds);
  if (strcmp(name, "--set") != 0 || !strchr(value, '=')) return false;
  return snprintf(r->fixed + used, sizeof r->fixed - used, " %s", value) < (int)(sizeof r->fixed - used);
}

static bool parse(request *r, int argc, char **argv) {
  if (argc < 2) return false;
  r->board = argv[1];
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--default") == 0)
      r->defaults = true;
    else if (i + 1 == argc || !parse_pair(r, argv[i], argv[i + 1]))
      return fprintf(stderr, "soak: '%s' is not understood\n", argv[i]), false;
    else
      i++;
  }
  return true;
}

static void on_usr1(int number) {
  (void)number;
  scree_report_request();
}

/* ---- what the engine reports of a program ---- */

static struct {
  uint64_t stop_at; /* clock after which no rank sends more, except what is in flight */
  uint64_t nanoseconds;
  char error[320];
} playing;

static void opened(home *h) {
  playing.stop_at = scree__clock_ns() + playing.nanoseconds;
  board_world(h->world);
}
static void ended(home *h) {
  board_world(NULL);
  snprintf(playing.error, sizeof playing.error, "%s", scree_error_text(h->world));
}
static void left(player *me) {
  if (me->w->index == 0) board_epoch();
}
static bool tick(player *me, uint64_t handled) {
  if (handled && me->handled % 64 == 0) board_messages(64);
  return (me->handled + me->bytes / 16) % 64 == 0 && scree__clock_ns() >= playing.stop_at;
}

/* Small programs and large ones; many ranks have few workers. */
static void write_row(const request *r, uint64_t number, uint32_t ranks, char *row, size_t size) {
  uint64_t random = scree__hash_draw(r->seed, number);
  const uint64_t seed = scree__draw(&random) >> 1;
  const uint32_t scale = r->defaults ? 12 + below(&random, 9) : below(&random, 18), few = below(&random, 8);
  snprintf(row, size, "seed=%" PRIu64 " wide=1 faults=0 scale=%u%s%s%s ranks=%u", seed, scale,
           r->defaults ? " options=0" : "", few && ranks > 4 ? " threads=1" : "", r->fixed, ranks);
  if (ranks_are_local) strncat(row, " mpi=0", size - strlen(row) - 1);
}

/* What --set was given, for the next replay. */
static void write_replay(const request *r, uint64_t number, char *text, size_t size) {
  int at = snprintf(text, size, "--seed %" PRIu64 " --program %" PRIu64 "%s", r->seed, number,
                    r->defaults ? " --default" : "");
  for (const char *word = r->fixed; *word && at < (int)size; word += strcspn(word, " ")) {
    word++;
    at += snprintf(text + at, size - (size_t)at, " --set %.*s", (int)strcspn(word, " "), word);
  }
}

static verdict verdict_of(const program *p, const account *all, bool right) {
  verdict v = {.messages = all->sum.totals.messages, .losses = !right};
  for (uint32_t k = 0; k < p->epochs; k++) v.epochs += all->sum.epoch[k].left > 0;
  v.refused = right && all->max.status.max != SCREE_OK;
  return v;
}

/* False: something was lost, or the row is wrong. */
static bool play_one(const request *r, uint64_t number, uint32_t rank, uint32_t ranks) {
  static const driver hooks = {.opened = opened, .ended = ended, .left = left, .tick = tick};
  static account all;
  static program p;
  char row[ROW + 100], why[WHY] = "", replay[ROW];
  write_row(r, number, ranks, row, sizeof row);
  write_replay(r, number, replay, sizeof replay);
  board_program(replay);
  if (!traffic_draw(&p, row, why)) return fprintf(stderr, "soak: %s\n", why), false;
  playing.nanoseconds = r->defaults ? UINT64_C(5000000000) : 1000000000;
  playing.error[0] = 0;
  const bool right = traffic_over_ranks(&p, &hooks, &all, why);
  const verdict v = verdict_of(&p, &all, right);
  board_verdict(&v);
  if (!right && (rank == 0 || playing.error[0]))
    printf("soak: program %" PRIu64 ", %s (%s): ended on rank %u: %s\n", number, why, row, rank, playing.error);
  fflush(stdout);
  return right;
}

static int play_all(void *request_, int rank, int ranks) {
  request *r = request_;
  bool right = true, over = false;
  if (!board_open(r->board, (uint32_t)rank, (uint32_t)ranks)) return 2;
  signal(SIGUSR1, on_usr1);
  const uint64_t end = scree__clock_ns() + r->seconds * UINT64_C(1000000000);
  for (; right && !over; r->program++) {
    right = play_one(r, r->program, (uint32_t)rank, (uint32_t)ranks);
    over = right && traffic_max(r->one || (rank == 0 && scree__clock_ns() >= end));
  }
  if (rank == 0) printf("soak: done\n");
  fflush(stdout);
  if (!ranks_are_local) MPI_Finalize();
  return !right;
}

int main(int argc, char **argv) {
  request r = {.seconds = 1};
  if (argc == 3 && strcmp(argv[1], "--show") == 0) return board_show(argv[2]);
  if (!parse(&r, argc, argv)) return 2;
  setenv("SCREE_TEST_FIRST_COUNTS", "1", 0); /* of options that are not drawn: counters begin near their ends */
  return ranks_run(&argc, &argv, MPI_THREAD_MULTIPLE, false, play_all, &r);
}
