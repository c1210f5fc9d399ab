/* tune.h - the parts of scree tune: search space, cost estimate, race, options file. */
#ifndef STUDY_TUNE_H
#define STUDY_TUNE_H
#include "study/analysis/stats.h"
#include "study/plan/plan.h"
#include "study/run/run.h"
#include "study/study.h"

enum {
  TUNE_KEEP = 3,        /* one in three candidates is promoted to the next rung, with three times the work */
  TUNE_FINALISTS = 3,   /* candidates in the last rung, besides the default */
  TUNE_ROUNDS = 3,      /* minimum rounds of the last rung for a decision */
  TUNE_GOOD_ROUNDS = 5, /* rounds for which the jobs of the last rung are shortened if necessary */
  TUNE_MAX_ROUNDS = 10  /* maximum rounds of the last rung */
};

/* ---- space.c: candidates ---- */

typedef struct {
  study_setting *settings; /* besides the fixed ones and different from the default; none: the default */
  size_t count;
  size_t rung;    /* the last one that it ran in, from 1 */
  double seconds; /* the median of its jobs there */
  double *runs;   /* of the current rung; TUNE_MAX_ROUNDS elements */
  size_t ran;
  bool failed;
} tune_candidate;

typedef struct {
  const study_request *request;
  study_plan *asked;    /* the axes of the command line */
  study_plan *plan;     /* the source of candidates: `asked`, or the axes of the kernel */
  study_setting *fixed; /* common to all candidates */
  size_t fixed_count;
  const char *kernel;         /* among fixed */
  const char *resource;       /* sources or repeat: what later rungs increase */
  tune_candidate *candidates; /* the first is the default */
  size_t count, illegal;
} tune_space;

/* Reads the request. 0, or -1 with the reason in why[size]. */
int tune_space_open(tune_space *space, const study_request *request, char *why, size_t size);
/* Makes the plan from which candidates are drawn. `delta`: the one that the default chose; 0: none. */
int tune_space_find(tune_space *space, double delta, char *why, size_t size);
/* Draws up to n candidates such that the values of each axis occur about equally often. Candidates that the subcommand
 * rejects are counted; a value whose candidates are all rejected is an error. */
int tune_space_draw(tune_space *space, size_t n, char *why, size_t size);
void tune_space_close(tune_space *space);

/* A candidate as text: "queue=dary spin=0", or "default". The caller frees it. */
char *tune_settings(const tune_candidate *candidate);

/* The configuration of a candidate with this amount of the resource. NULL: no memory. */
study_configuration *tune_configure(const tune_space *space, const tune_candidate *candidate, uint64_t amount);
void tune_configuration_free(study_configuration *c);

/* True if the setting is the default of the kernel. */
bool tune_is_default(const char *kernel, const study_setting *setting);

/* Draws configurations of a plan one at a time. */
typedef struct tune_cover tune_cover;
tune_cover *tune_cover_open(const study_plan *plan, uint64_t seed); /* NULL: no memory */
size_t tune_cover_next(tune_cover *cover);                          /* its index; SIZE_MAX: all are drawn */
void tune_cover_close(tune_cover *cover);

/* ---- cost.c: estimates ---- */

typedef struct {
  double overhead, solve; /* seconds of a job without its sources; of one source */
  double check;           /* seconds of a validated job with one source */
  uint64_t first, max;    /* sources of a job in the first rung; in any rung */
} tune_cost;

uint64_t tune_sources(const tune_cost *cost, size_t rung); /* of a job in a rung, from 1 */
size_t tune_jobs(const tune_cost *cost, size_t rung);      /* per candidate in a rung */
double tune_job_seconds(const tune_cost *cost, uint64_t sources);
size_t tune_next(size_t n); /* the number of n candidates that are promoted */
/* Seconds of the last rung with n candidates and the default, including validation; of the whole race. */
double tune_final_seconds(const tune_cost *cost, size_t n, size_t rounds, uint64_t sources);
double tune_race_seconds(const tune_cost *cost, size_t n);
/* The largest number of candidates, up to max, whose race fits into `seconds`; 0: none. */
size_t tune_size(const tune_cost *cost, double seconds, size_t max);

/* ---- race.c: successive halving ---- */

typedef enum { TUNE_DONE, TUNE_STOPPED, TUNE_BROKEN } tune_end; /* BROKEN: tune.why has the reason */

typedef struct {
  tune_space space;
  tune_cost cost;
  study_terms terms;
  study_writer *writer; /* NULL: results are not stored */
  uint64_t step;
  double started, budget;                        /* seconds */
  size_t jobs, rung, failures;                   /* failures: failed jobs */
  size_t wrong;                                  /* wrong answers of finalists */
  bool cut;                                      /* the budget cut a rung short */
  tune_candidate *finalists[TUNE_FINALISTS + 1]; /* the first is the default */
  size_t finalist_count;                         /* 0: the last rung was not reached */
  uint64_t final_sources;
  char message[512]; /* of the first failure */
  char why[1024];
} tune;

double tune_elapsed(const tune *t);
/* Prints to standard error, unless --quiet. */
void tune_progress(const tune *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the amount of a job, "3 sources". Returns text. */
const char *tune_amount(const tune *t, uint64_t amount, char *text, size_t size);
/* Runs the default alone: validates it, measures its cost, and finds the delta that it chose (0: none). */
tune_end tune_first(tune *t, double *delta);
tune_end tune_race(tune *t);
size_t tune_rounds(const tune *t); /* jobs of each finalist in the last rung */
size_t tune_failed(const tune *t); /* number of failed candidates */
/* The reason for keeping the default, if it is the winner. */
const char *tune_kept(const tune *t);
/* The fastest finalist whose interval against the default is below 1; else the default. */
const tune_candidate *tune_winner(const tune *t, study_interval *gain);

/* ---- write.c: the options file ---- */

/* Checks that the file can be written. 0, or -1 with the reason in t->why. */
int tune_write_check(tune *t, const char *name);
int tune_write(tune *t, const char *name, const tune_candidate *winner, const study_interval *gain);
/* A command line that uses the file. The caller frees it. */
char *tune_command(const tune *t, const tune_candidate *winner, const char *name);

#endif
