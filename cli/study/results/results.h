/* results.h - result files: JSON Lines, one header and then one record per run.
 *
 * A kill at any moment loses at most the line that is being written.
 *
 * docs/sweeps.md lists the fields, docs/schema has them as JSON Schemas.
 * seconds: the mean over the runs of the job; teps: their harmonic mean; work: the means of the counters. All three are
 * absent unless status is ok. message: readable text, including the hang report if there was one; may be absent. */
#ifndef STUDY_RESULTS_H
#define STUDY_RESULTS_H
#include <cjson/cJSON.h>

#include "study/plan/plan.h"

/* X(id, word) */
#define STUDY_STATUSES(X)                                                                                              \
  X(OK, "ok")                                                                                                          \
  X(INVALID, "invalid") /* a result is wrong */                                                                        \
  X(FAILED, "failed")                                                                                                  \
  X(TIMEOUT, "timeout")                                                                                                \
  X(RANKS, "ranks") /* the job had another number of ranks than requested */
typedef enum {
#define STUDY__STATUS(id, word) STUDY_##id,
  STUDY_STATUSES(STUDY__STATUS)
#undef STUDY__STATUS
} study_status;
const char *study_status_word(study_status status);
/* Reads the status of a record; false: it has none. */
bool study_status_read(const cJSON *record, study_status *status);

/* What a run is for: its time counts; it warms up the machine; it repeats the control configuration. */
const char *study_role_word(uint64_t repetition, bool control);
/* Adds repetition, control and role. False: no memory. */
bool study_add_role(cJSON *record, uint64_t repetition, bool control);

/* The version of the format that is written; older ones are read. */
enum { STUDY_FORMAT = 2 };

/* Counters of a run, in the order of study_record.work. */
/* clang-format off */
#define STUDY_WORKS(X)                                                                                                 \
  X(messages)                                                                                                          \
  X(direct)                                                                                                            \
  X(useful)                                                                                                            \
  X(superseded)                                                                                                        \
  X(rejected)                                                                                                          \
  X(pruned)                                                                                                            \
  X(edges)                                                                                                             \
  X(epochs)                                                                                                            \
  X(rounds)                                                                                                            \
  X(blocks)                                                                                                            \
  X(bytes)                                                                                                             \
  X(handler_seconds)                                                                                                   \
  X(queue_seconds)                                                                                                     \
  X(wait_seconds)
/* clang-format on */
enum {
#define STUDY__WORK(name) STUDY_WORK_##name,
  STUDY_WORKS(STUDY__WORK)
#undef STUDY__WORK
      STUDY_WORK_COUNT
};
extern const char *const study_work_names[STUDY_WORK_COUNT];

typedef struct {
  const char *key;
  study_setting *settings;
  size_t count;
  uint64_t step, repetition;
  bool control, validated;
  study_status status;
  double seconds, teps; /* 0 unless status is ok */
  double work[STUDY_WORK_COUNT];
  const char *started, *message; /* message: may be "" */
  const cJSON *json;             /* the record */
} study_record;

typedef struct {
  char *name;
  const cJSON *header;
  const char *title, *plan;
  uint64_t steps; /* of the whole sweep; 0: unknown */
  study_record *records;
  size_t count;
  bool torn; /* the last line was incomplete and is not among the records */
} study_results;

/* Reads a file. NULL with the reason in why[size]: no such file, not a result file, or the line that is malformed. */
study_results *study_results_read(const char *name, char *why, size_t size);
void study_results_free(study_results *results);

/* The current time in UTC: "2026-01-31T12:00:00Z". */
void study_now(char text[21]);

/* ---- writing ---- */

typedef struct study_writer study_writer;

/* Creates a file with the header or, with `resume`, opens one after study_results_read and removes an incomplete last
 * line. Takes an exclusive lock: a second sweep on the same file is an error. NULL with the reason in why[size]. */
study_writer *study_writer_open(const char *name, const cJSON *header, bool resume, char *why, size_t size);
/* Writes one line, with fsync. 0, or -1 with the reason in why[size]; then the file ends before that line. */
int study_writer_add(study_writer *writer, const cJSON *record, char *why, size_t size);
void study_writer_close(study_writer *writer);

#endif
