/* request.h - the command line of subcommands that launch jobs, or read their results. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUDY_WORDS = 64 };

typedef struct {
  const char *operands[STUDY_WORDS]; /* sweep: file or preset; report: files of results; bench: what is measured */
  size_t operand_count;
  char *words[STUDY_WORDS]; /* options for the Python package; an axis, or an unknown option, as --axis=NAME=VALUES */
  size_t word_count;
  double budget; /* of tune: seconds */
  bool quiet;
} study_request;

#endif
