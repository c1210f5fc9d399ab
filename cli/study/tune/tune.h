/* tune.h - the parts of scree tune: search space, cost estimate, race, options file. */
#ifndef STUDY_TUNE_H
#define STUDY_TUNE_H
#include "study/analysis/stats.h"
#include "study/plan/plan.h"
#include "study/run/run.h"
#include "study/study.h"

enum {
  TUNE_KEEP = 3,        /* one of so many candidates goes on to the next rung, where jobs are so many times longer */
  TUNE_FINALISTS = 3,   /* with the default, in the last rung */
  TUNE_ROUNDS = 3,      /* of the last rung, before it says anything */
  TUNE_GOOD_ROUNDS = 5, /* of it, that shorter jobs make room for */
  TUNE_MOST_ROUNDS = 10 /* and at most */
};

/* ---- space.c: candidates ---- */

typedef struct {
  study_setting *settings; /* beside the fixed ones, and other than the default; none: the default */
  size_t count;
  size_t rung;    /* the last that it ran in, from 1 */
  double seconds; /* the median of its jobs there */
  double *runs;   /* of the present rung; room for TUNE_MOST_ROUNDS */
  size_t ran;
  bool failed;
} tune_candidate;

typedef struct {
  const study_request *request;
  study_plan *asked;    /* the command line's axes */
  study_plan *plan;     /* what candidates are drawn from: the same, or with the axes of the kernel's own */
  study_setting *fixed; /* of all candidates */
  size_t fixed_count;
  const char *kernel;         /* of fixed */
  const char *resource;       /* sources or repeat: what a job has more of in a later rung */
  tune_candidate *candidates; /* the first is the default */
  size_t count, illegal;
} tune_space;

/* Reads the request. 0, or -1 with the reason in why[size]. */
int tune_space_open(tune_space *space, const study_request *request, char *why, size_t size);
/* Finds what candidates are drawn from. `delta`: what the default takes; 0: nothing. */
int tune_space_find(tune_space *space, double delta, char *why, size_t size);
/* Draws up to n candidates, each value of an axis about as often as the others. Those that the command line of the
 * subcommand refuses are counted; a value with which all are refused is an error. */
int tune_space_draw(tune_space *space, size_t n, char *why, size_t size);
void tune_space_close(tune_space *space);

/* A candidate as text: "queue=dary spin=0", or "default". The caller frees it. */
char *tune_words(const tune_candidate *candidate);

/* The configuration of a candidate with `amount` of the resource; NULL: no memory. */
study_configuration *tune_configure(const tune_space *space, const tune_candidate *candidate, uint64_t amount);
void tune_configuration_free(study_configuration *c);

/* Is it what the job does if it is not told? */
bool tune_is_default(const char *kernel, const study_setting *setting);

/* Draws configurations of a plan one by one. */
typedef struct tune_cover tune_cover;
tune_cover *tune_cover_open(const study_plan *plan, uint64_t seed); /* NULL: no memory */
size_t tune_cover_next(tune_cover *cover);                          /* its index; SIZE_MAX: all were drawn */
void tune_cover_close(tune_cover *cover);

/* ---- cost.c: what a race will take ---- */

typedef struct {
  double overhead, solve; /* seconds of a job without its sources; of a source */
  double check;           /* of a validated job with one source */
  uint64_t first, max;    /* sources of a job of the first rung; of any */
} tune_price;

uint64_t tune_sources(const tune_price *price, size_t rung); /* of a job of a rung, from 1 */
size_t tune_jobs(const tune_price *price, size_t rung);      /* of a candidate in a rung */
double tune_job_seconds(const tune_price *price, uint64_t sources);
size_t tune_next(size_t n); /* candidates of n that go on */
/* The last rung with n candidates and the default, so many rounds, validation; the whole race. */
double tune_final_seconds(const tune_price *price, size_t n, size_t rounds, uint64_t sources);
double tune_race_seconds(const tune_price *price, size_t n);
/* How many candidates a race may have that takes no longer; 0: none. */
size_t tune_size(const tune_price *price, double seconds, size_t max);

/* ---- race.c: successive halving ---- */

typedef enum { TUNE_DONE, TUNE_STOPPED, TUNE_BROKEN } tune_end; /* BROKEN: why says it */

typedef struct {
  tune_space space;
  tune_price price;
  study_terms terms;
  study_writer *writer; /* NULL: no results are kept */
  uint64_t step;
  double started, budget;                        /* seconds */
  size_t jobs, rung, failures;                   /* failures: of jobs */
  size_t wrong;                                  /* answers of finalists */
  bool cut;                                      /* the budget ended a rung */
  tune_candidate *finalists[TUNE_FINALISTS + 1]; /* the first is the default */
  size_t finalist_count;                         /* 0: the last rung was not reached */
  uint64_t final_sources;
  char message[512]; /* of the first candidate that failed */
  char why[1024];
} tune;

double tune_elapsed(const tune *t);
/* "3 sources", of a job. Returns text. */
const char *tune_amount(const tune *t, uint64_t amount, char *text, size_t size);
/* The default alone: is its answer right, how long does it take, and which delta does it choose? */
tune_end tune_first(tune *t, double *delta);
tune_end tune_race(tune *t);
size_t tune_rounds(const tune *t); /* jobs of every finalist in the last rung */
size_t tune_failed(const tune *t); /* candidates */
/* Why the default is kept, where it is the winner. */
const char *tune_kept(const tune *t);
/* The finalist that is faster than the default beyond the intervals; else the default. */
const tune_candidate *tune_winner(const tune *t, study_interval *gain);

/* ---- write.c: the options file ---- */

/* Can the file be written? 0, or -1 with the reason in t->why. */
int tune_write_check(tune *t, const char *name);
int tune_write(tune *t, const char *name, const tune_candidate *winner, const study_interval *gain);
/* The command line that reads the file. The caller frees it. */
char *tune_command(const tune *t, const tune_candidate *winner, const char *name);

#endif
