/* stats.h - what a world reports of itself: statistics, timelines, the hang report. Included by scree.h. C11 and
 * C++11. */
#ifndef SCREE_STATS_H
#define SCREE_STATS_H
#include <stdio.h>

#include <scree/world.h>
#ifdef __cplusplus
extern "C" {
#endif

/* All are sums over the workers of this rank since the world was opened; inside scree_run_workers each worker reads its
 * own. The caller sets `size`, as in  scree_stats s = {.size = sizeof s};  Later releases may add fields at the end: of
 * a shorter struct what it has is written, of a longer one the rest is 0. */

/* The messages of one type to one destination, up to the last published block. */
typedef struct {
  size_t size;                                   /* sizeof(scree_lane_stats) */
  uint64_t items, bytes;                         /* messages and their bytes */
  uint64_t blocks_full, blocks_aged, blocks_end; /* blocks published full; by age or flush; at the end of an epoch */
  uint64_t coalesce_bytes;                       /* bytes of records at which a block is published now */
} scree_lane_stats;

typedef struct {
  size_t size;                 /* sizeof(scree_stats) */
  uint64_t epochs;             /* ended */
  uint64_t detection_rounds;   /* in which this rank read counters or took part in a reduction */
  uint64_t created, completed; /* blocks published, blocks handled */
  uint64_t items_handled;      /* messages handled */
  uint64_t batches;            /* handler calls */
  uint64_t waits;              /* sends that had to wait for a block */
  uint64_t overflow_blocks;    /* blocks that handlers took from private memory */
  uint64_t overflow_peak;      /* maximum bytes of such blocks at one time, of each worker */
  uint64_t detection_messages; /* for detection alone: two for each reduction between the leaders, share and result */
  uint64_t passed, stalls;     /* messages that this rank forwarded on routes; progress calls in which a block of them
                                * had to wait */
  uint64_t open_peak;          /* maximum number of lanes with messages in them at one time, of each worker */
} scree_stats;

/* How the workers of this rank took turns in calling MPI, under the lock of the option `lock`: docs/threads.md, section
 * 10. All is 0 with one worker, and where all blocks travel by shared memory. */
typedef struct {
  size_t size;      /* sizeof(scree_lock_stats) */
  uint64_t entries; /* each for one call, or some */
  uint64_t waits;   /* entries that had to wait */
  uint64_t wait_ns; /* nanoseconds that they waited */
  uint64_t wasted;  /* polls that found nothing */
  uint64_t again;   /* entries of the worker that was inside last, while others waited */
  uint64_t fair;    /* millionths: the sum of 1 / T over the entries while others waited, where T is their number plus
                  * one */
  /* With the option lock_sample, else 0: entries from the socket of the worker that was inside last, while others
   * waited; and, in millionths, the sum of the shares of that socket among those that queued. */
  uint64_t socket_again, socket_fair;
  uint64_t samples; /* entries at which the rank's requests of MPI were examined */
  /* Then active, and of these complete, but not noticed yet by their worker (dangling). */
  uint64_t sampled_sends, dangling_sends, sampled_receives, dangling_receives;
} scree_lock_stats;

/* How much the lock favours the worker that was inside last: 1: not at all; 0: it is never next, or none has waited.
 * And the same of its socket; 0: unknown. */
static inline double scree_lock_bias(const scree_lock_stats *stats) {
  return stats->fair ? 1e6 * (double)stats->again / (double)stats->fair : 0;
}
static inline double scree_lock_socket_bias(const scree_lock_stats *stats) {
  return stats->socket_fair ? 1e6 * (double)stats->socket_again / (double)stats->socket_fair : 0;
}

/* Local; owner's thread, any time. Errors, which leave *stats unchanged: SCREE_EINVAL (`size` is not set; type or dest
 * is out of range), SCREE_ESTATE (another thread). */
scree_status scree_stats_read(const scree_world *world, scree_stats *stats);
scree_status scree_stats_lock(const scree_world *world, scree_lock_stats *stats);
scree_status scree_stats_lane(const scree_world *world, uint32_t type, uint32_t dest, scree_lane_stats *stats);
/* Prints the statistics of this rank, and of each worker, as a table or as one JSON object. Local; worker 0's thread,
 * outside of scree_run_workers: elsewhere it prints a line that says so. */
void scree_stats_print(const scree_world *world, FILE *to, bool json);

/* A timeline of epochs, handlers, waits and detection rounds of all workers, for Perfetto (docs/timeline.md). A stream
 * begins a trace, NULL ends it, as does scree_close: rank 0 then writes what all ranks have recorded to its stream,
 * which stays the caller's; those of other ranks are ignored. Each worker keeps its newest events (option
 * trace-events). Collective, idle world or failed one, owner's thread; in a failed one any call ends the trace. Errors,
 * on all ranks: SCREE_ENOMEM (no trace has begun), SCREE_ESTATE (it has begun already; an epoch is open; a handler; the
 * stream reported an error: the trace is incomplete), or the code of a world that has failed. */
scree_status scree_trace(scree_world *world, FILE *to);

/* Prints this worker's part of the hang report (docs/concepts.md, section 4). Local; owner's thread; elsewhere a
 * line. */
void scree_report_print(const scree_world *world, FILE *to);
/* Requests that report, on standard error, from each open world of this process at its next progress, at most once a
 * second. Any thread; safe in a signal handler. */
void scree_report_request(void);

#ifdef __cplusplus
}
#endif
#endif
