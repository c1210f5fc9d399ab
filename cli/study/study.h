/* study.h - the subcommands that launch others, or read what they left.
 *
 * Room: what the command line says to them, and their entries. They are plain processes: no MPI is begun. */
#ifndef STUDY_H
#define STUDY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUDY_WORDS = 64 };

/* What the command line says. Unset: NULL, 0, false. */
typedef struct {
  const char *operands[STUDY_WORDS]; /* sweep: file or preset; report: files of results */
  size_t operand_count;
  const char *axes[STUDY_WORDS]; /* NAME=VALUES: of --axis, and of every option that sweep and tune do not know */
  size_t axis_count;
  const char *set[STUDY_WORDS]; /* repeat=N and the like */
  size_t set_count;
  const char *results;
  bool resume, dry_run;
  const char *html, *plots, *csv;
  double budget;         /* seconds */
  const char *best_file; /* options file that tune writes */
} study_request;

/* Each returns the exit code: 0 all well; 1 something failed (of a sweep: at least one run); 2 bad usage or input;
 * 130 stopped by Ctrl-C. */
int study_sweep(const study_request *request);
int study_report(const study_request *request);
int study_tune(const study_request *request);

#endif
