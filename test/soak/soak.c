/* soak.c - plays generated programs one after the other on the ranks of one launch. Started by test/soak.sh.
 *   soak BOARD --seed N [--program N | --seconds N] [--default] [--set OPTION=VALUE]...
 *   soak --show BOARD          prints the counters, while the ranks play or after
 * Rank 0's last line is "soak: done" if all programs were played and judged. The exit code is 0 if nothing was lost. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "soak.h"

typedef struct {
  const char *board;
  uint64_t seed, program, seconds;
  bool one, defaults;
  fixed_options fixed;
} request;

static bool parse_number(const char *text, uint64_t *n) {
  char *end;
  *n = strtoull(text, &end, 10);
  return text[0] && !*end;
}

static bool parse_pair(request *r, const char *name, const char *value) {
  if (strcmp(name, "--seed") == 0) return parse_number(value, &r->seed);
  if (strcmp(name, "--program") == 0) return r->one = true, parse_number(value, &r->program);
  if (strcmp(name, "--seconds") == 0) return parse_number(value, &r->seconds);
  if (strcmp(name, "--set") != 0 || r->fixed.count == sizeof r->fixed.set / sizeof r->fixed.set[0]) return false;
  r->fixed.set[r->fixed.count++] = value;
  return true;
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

static void prepare_player(player *me, const plan *p, MPI_Comm mail) {
  memset(me, 0, sizeof *me);
  me->plan = p;
  me->mail = mail;
  me->letter_box = MPI_REQUEST_NULL;
}

/* On one rank nothing travels by MPI: a thread that calls it is refused. */
static void fit_to_ranks(plan *p, MPI_Comm all) {
  int ranks;
  MPI_Comm_size(all, &ranks);
  if (ranks == 1 && p->options.progress == SCREE_PROGRESS_COMM) p->options.progress = SCREE_PROGRESS_NONE;
}

/* Returns what was lost. */
static uint64_t play_all(const request *r, MPI_Comm judges, MPI_Comm mail) {
  static player me;
  static plan p;
  const uint64_t end = scree__clock_ns() + r->seconds * UINT64_C(1000000000);
  uint64_t losses = 0;
  verdict v = {.is_over = false};
  for (uint64_t i = r->program; !v.is_over; i++) {
    if (!plan_draw(&p, r->seed, i, r->defaults, &r->fixed)) return 1;
    fit_to_ranks(&p, judges);
    board_program(&p);
    prepare_player(&me, &p, mail);
    play(&me);
    v = judge(&me, judges, r->one || scree__clock_ns() >= end);
    board_verdict(&v);
    losses += v.losses;
    if (v.losses) break;
  }
  return losses;
}

int main(int argc, char **argv) {
  request r = {.seconds = 1};
  int rank, ranks, given;
  MPI_Comm judges, mail;
  if (argc == 3 && strcmp(argv[1], "--show") == 0) return board_show(argv[2]);
  if (!parse(&r, argc, argv)) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &judges);
  MPI_Comm_dup(MPI_COMM_WORLD, &mail);
  if (!board_open(r.board, (uint32_t)rank, (uint32_t)ranks)) return 2;
  signal(SIGUSR1, on_usr1);
  const uint64_t losses = play_all(&r, judges, mail);
  MPI_Comm_free(&judges);
  MPI_Comm_free(&mail);
  if (rank == 0) printf("soak: done\n");
  fflush(stdout);
  MPI_Finalize();
  return losses != 0;
}
