/* progress.c - progress of a sweep: runs done, runs left, estimated time, and its display. */
#include "study/sweep/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "study/run/run.h"
#include "study/util/format.h"

enum { BAR = 20 };

/* Runs of one configuration. */
typedef struct {
  double wall, seconds; /* sums; seconds: of ok runs that are neither warm-up nor control */
  size_t walls, oks, left;
} tally;

struct study_progress {
  const study_plan *plan;
  const study_step *steps;
  size_t count, done;
  tally *of;    /* of each configuration */
  tally all;    /* wall and walls */
  bool *varies; /* of each axis of the plan */
  bool terminal, quiet;
  double started, left; /* of the current run; the estimate when it began */
};

static void find_varying(study_progress *p) {
  for (size_t a = 0; a < p->plan->axis_count; a++)
    for (size_t i = 0; i < p->plan->count && !p->varies[a]; i++) {
      const char *first = study_value(&p->plan->configurations[0], p->plan->axes[a].name);
      const char *value = study_value(&p->plan->configurations[i], p->plan->axes[a].name);
      p->varies[a] = !first != !value || (first && strcmp(first, value) != 0);
    }
}

study_progress *study_progress_make(const study_plan *plan, const study_step *steps, size_t count, bool quiet) {
  study_progress *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  const char *kind = getenv("TERM");
  *p = (study_progress){.plan = plan, .steps = steps, .count = count, .quiet = quiet};
  p->terminal = !quiet && isatty(STDERR_FILENO) && !(kind && strcmp(kind, "dumb") == 0);
  p->of = calloc(plan->count + 1, sizeof *p->of);
  p->varies = calloc(plan->axis_count + 1, sizeof *p->varies);
  if (!p->of || !p->varies) {
    study_progress_free(p);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) p->of[steps[i].configuration].left++;
  find_varying(p);
  return p;
}

void study_progress_free(study_progress *p) {
  if (!p) return;
  free(p->of);
  free(p->varies);
  free(p);
}

void study_progress_count(study_progress *p, size_t step, const cJSON *record, bool done) {
  const cJSON *wall = cJSON_GetObjectItemCaseSensitive(record, "wall_seconds");
  const study_step *s = &p->steps[step];
  tally *t = &p->of[s->configuration];
  if (cJSON_IsNumber(wall)) {
    t->wall += wall->valuedouble;
    p->all.wall += wall->valuedouble;
    t->walls++;
    p->all.walls++;
  }
  if (!done) return;
  p->done++;
  t->left--;
  if (study_run_status(record) != STUDY_OK || s->control || s->repetition == 0) return;
  t->seconds += study_run_seconds(record);
  t->oks++;
}

double study_progress_left(const study_progress *p, size_t *measured) {
  double mean = p->all.walls ? p->all.wall / (double)p->all.walls : STUDY_ROUGH_SECONDS, left = 0;
  for (size_t i = 0; i < p->plan->count; i++) {
    const tally *t = &p->of[i];
    left += (double)t->left * (t->walls ? t->wall / (double)t->walls : mean);
  }
  if (measured) *measured = p->all.walls;
  return left;
}

/* ---- lines ---- */

/* The settings of the axes that vary: "algorithm=dc ranks=2". */
static void print_key(const study_progress *p, size_t configuration, char *text, size_t size) {
  const study_configuration *c = &p->plan->configurations[configuration];
  size_t n = 0;
  *text = 0;
  for (size_t a = 0; a < p->plan->axis_count && n < size; a++) {
    const char *value = p->varies[a] ? study_value(c, p->plan->axes[a].name) : NULL;
    if (value) n += (size_t)snprintf(text + n, size - n, "%s%s=%s", n ? " " : "", p->plan->axes[a].name, value);
  }
  if (!*text) snprintf(text, size, "%s", c->key);
}

/* The configuration with the smallest mean; false: none has an ok run. */
static bool find_best(const study_progress *p, size_t *best, double *seconds) {
  bool found = false;
  for (size_t i = 0; i < p->plan->count; i++) {
    const tally *t = &p->of[i];
    double mean = t->oks ? t->seconds / (double)t->oks : 0;
    if (t->oks == 0 || (found && mean >= *seconds)) continue;
    found = true;
    *best = i;
    *seconds = mean;
  }
  return found;
}

static void draw(const study_progress *p) {
  static const char bar[] = "####################....................";
  char line[512], left[32], key[256], seconds[32];
  double rest = p->left - (scree__seconds() - p->started), min = 0;
  size_t best = 0, full = BAR * p->done / p->count;
  struct winsize w = {0};
  study_print_duration(left, sizeof left, rest > 0 ? rest : 0);
  int n = snprintf(line, sizeof line, "[%.*s] %zu of %zu runs, about %s left", BAR, bar + BAR - full, p->done, p->count,
                   left);
  if (find_best(p, &best, &min)) {
    print_key(p, best, key, sizeof key);
    study_print_seconds(seconds, sizeof seconds, min);
    snprintf(line + n, sizeof line - (size_t)n, "; best so far %s: %s", key, seconds);
  }
  int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col - 1 : 79;
  fprintf(stderr, "\r\033[K%.*s", columns, line);
  fflush(stderr);
}

void study_progress_clear(const study_progress *p) {
  if (p->terminal) fputs("\r\033[K", stderr);
}

void study_progress_begin(study_progress *p) {
  p->started = scree__seconds();
  p->left = study_progress_left(p, NULL);
  if (p->terminal) draw(p);
}

void study_progress_tick(void *progress) {
  study_progress *p = progress;
  if (p->terminal) draw(p);
}

static void print_run(const study_progress *p, size_t step, const cJSON *record) {
  const study_step *s = &p->steps[step];
  const char *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "message"));
  study_status status = study_run_status(record);
  char key[256], seconds[32];
  print_key(p, s->configuration, key, sizeof key);
  study_print_seconds(seconds, sizeof seconds, study_run_seconds(record));
  if (!message) message = "";
  fprintf(stderr, "[%zu/%zu] %s ", p->done, p->count, key);
  if (s->repetition == 0)
    fputs("warm-up: ", stderr);
  else
    fprintf(stderr, "%s#%llu: ", s->control ? "control " : "", (unsigned long long)s->repetition);
  if (status == STUDY_OK)
    fprintf(stderr, "%s\n", seconds);
  else
    fprintf(stderr, "%s: %.*s\n", study_status_word(status), (int)strcspn(message, "\n"), message);
}

void study_progress_end(study_progress *p, size_t step, const cJSON *record) {
  study_progress_count(p, step, record, true);
  study_progress_clear(p);
  if (!(p->terminal || p->quiet) || study_run_status(record) != STUDY_OK) print_run(p, step, record);
}
