/* json.h - a timeline in the Trace Event format, which Perfetto and chrome://tracing open: a process for each rank, in
 * it a thread for each worker. One event a line. Failed writes are ferror's. */
#ifndef SCREE__TRACE_JSON_H
#define SCREE__TRACE_JSON_H
#include <stdio.h>

#include "trace/ring.h"

/* A JSON string. Names may hold anything: bytes that are no UTF-8 become U+FFFD. */
void scree__json_string(const char *text, FILE *to);

/* Where an event was recorded. */
typedef struct {
  uint32_t rank, worker, threads; /* threads: of each rank */
} scree__track;

/* What is known of an endpoint's events. */
typedef struct {
  scree__track track;
  const char *host;
  uint64_t events, dropped; /* dropped: overwritten by newer ones */
  int64_t clock_offset;     /* ns by which its clock was ahead of rank 0's when the trace ended */
  uint64_t clock_error;     /* ns: maximum error of that */
  bool progress;            /* of the progress thread */
  bool leader;              /* took part in the detection rounds between nodes */
} scree__endpoint_trace;

void scree__trace_begin(FILE *to);
/* Names the process and the threads of an endpoint, before or after its events. */
void scree__trace_endpoint(const scree__endpoint_trace *endpoint, FILE *to);
/* begin, end: ns since the trace began, by rank 0's clock. `type` names the messages of a BATCH. */
void scree__trace_event(const scree__event *event, scree__track track, int64_t begin, int64_t end, const char *type,
                        FILE *to);
/* failure, missing: why the world failed, and why events of other ranks are missing; "" where there is no such
 * reason. */
void scree__trace_end(uint32_t ranks, uint32_t threads, const char *failure, const char *missing, FILE *to);
#endif
