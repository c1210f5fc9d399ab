/* progress.c - the line of progress, and the thread that draws it. */
#include "commands/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/real.h"

enum { CELLS = 40, STEP = 100 /* milliseconds between two drawings */, AFTER = 2000 };

static void draw_share(const cli_progress *p, double gone) {
  const double part = p->done < p->total ? (double)p->done / (double)p->total : 1;
  char cells[CELLS + 1] = "";
  for (int i = 0; i < CELLS; i++) cells[i] = i < (int)(part * CELLS) ? '#' : '.';
  fprintf(stderr, "\rscree: %s [%s] %3.0f %%", p->what, cells, 100 * part);
  if (p->done) fprintf(stderr, ", %.0f s left", gone * (1 - part) / part);
  fputs(" \033[K", stderr);
}

static void draw(cli_progress *p) {
  const double now = scree__seconds(), gone = now - p->since;
  if (gone < p->after) return;
  p->drawn = true;
  p->last = now;
  if (p->total)
    draw_share(p, gone);
  else if (p->done)
    fprintf(stderr, "\rscree: %s, %.0f MiB unpacked, %.0f s \033[K", p->what, (double)p->done / (1 << 20), gone);
  else
    fprintf(stderr, "\rscree: %s, %.0f s \033[K", p->what, gone);
  fflush(stderr); /* no line */
}

static void clear(cli_progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr), fflush(stderr);
  p->drawn = false;
}

static void *run(void *arg) {
  cli_progress *p = arg;
  pthread_mutex_lock(&p->lock);
  while (!p->over) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += STEP * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&p->ended, &p->lock, &until);
    if (!p->over) draw(p);
  }
  clear(p);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

void cli_progress_begin(cli_progress *p, const cli_args *args, const scree_graphs *graphs, const char *what,
                        const char *then) {
  const char *after = getenv("SCREE_TEST_PROGRESS_MS");
  *p = (cli_progress){.what = what,
                      .then = then,
                      .since = scree__seconds(),
                      .after = 1e-3 * (after ? scree__real_parse(after, NULL) : AFTER)};
  if (scree_graphs_worker(graphs)->rank || args->study.quiet || !isatty(STDERR_FILENO)) return;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->ended, NULL);
  p->shown = pthread_create(&p->thread, NULL, run, p) == 0;
}

/* Sets the next phase; the caller holds the lock. */
static void restart(cli_progress *p, const char *what) {
  draw(p);
  clear(p);
  p->then = NULL;
  p->what = what;
  p->since = scree__seconds();
  p->done = p->total = 0;
}

void cli_progress_enter(cli_progress *p, const char *what) {
  if (!p->shown) return;
  pthread_mutex_lock(&p->lock);
  restart(p, what);
  pthread_mutex_unlock(&p->lock);
}

void cli_progress_set(uint64_t done, uint64_t total, void *progress) {
  cli_progress *p = progress;
  if (!p->shown) return;
  pthread_mutex_lock(&p->lock);
  p->done = done;
  p->total = total;
  if (total && done >= total && p->then) restart(p, p->then);
  pthread_mutex_unlock(&p->lock);
}

void cli_progress_end(cli_progress *p) {
  if (!p->shown) return;
  pthread_mutex_lock(&p->lock);
  draw(p);
  p->over = true;
  pthread_cond_signal(&p->ended);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  pthread_cond_destroy(&p->ended);
  pthread_mutex_destroy(&p->lock);
  p->shown = false;
}
