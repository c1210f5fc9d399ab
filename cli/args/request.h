/* request.h - the command line of subcommands that launch jobs, or read their results. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H
#include <stdbool.h>
#include <stddef.h>

enum { STUDY_WORDS = 64 };

/* The values from the command line. Unset: NULL, 0, false. */
typedef struct {
  const char *operands[STUDY_WORDS]; /* sweep: file or preset; report: files of results */
  size_t operand_count;
  const char *axes[STUDY_WORDS]; /* NAME=VALUES: of --axis, and of every option that sweep and tune do not know */
  size_t axis_count;
  const char *set[STUDY_WORDS]; /* repeat=N and the like */
  size_t set_count;
  const char *results;
  bool resume, mix, dry_run, quiet;
  bool report_flag; /* the Python package reads the arguments of report */
  const char *report_text;
  double budget;         /* seconds */
  const char *best_file; /* options file that tune writes */
} study_request;

#endif
