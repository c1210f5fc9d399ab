/* sim_nothing.c - NULL, 0 and -1 as each argument of each public function of libscree. */
#include <scree/distribution.h>
#include <scree/local.h>
#include <scree/memory.h>
#include <scree/reduced.h>
#include <scree/scree_mpi.h>
#include <scree/scree_sim.h>

#include "harness.h"
#include "nothing.h"

static scree_options options = SCREE_OPTIONS_INIT;
static scree_bijection bijection;
static scree_distribution distribution;
static scree_world *no_world;
static uint64_t item;
static uint32_t id;
static char text[256];
static char from[256];
static scree_stats stats = {.size = sizeof stats};
static scree_lane_stats lane = {.size = sizeof lane};
static scree_lock_stats lock = {.size = sizeof lock};
static scree_reduced_stats reduced = {.size = sizeof reduced};
static const scree_node_array *array;

static void on_batch(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {}
static bool on_idle(scree_worker *w, void *arg) {
  return false;
}
static void on_hang(scree_world *world, scree_status status, void *arg) {}
static void work(scree_worker *w, void *arg) {}
static scree_status rank(scree_world *world, void *arg) {
  return SCREE_OK;
}
static void virtual_rank(scree_world *world, void *arg) {}
static const scree_type_desc desc = {.size = sizeof desc, .name = "more", .item = 8, .fn = on_batch};
static const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .quiet = true};

#define EXCEPT(name, why)
EXCEPT(scree_version, "it takes nothing")
EXCEPT(scree_option_count, "it takes nothing")
EXCEPT(scree_report_request, "it takes nothing")

/* scree_open and scree_open_mpi: `options` may be NULL, and opens a world of MPI. scree_close: the simulator closes its
 * world. scree_huge_free, scree_huge_bytes: NULL is legal. */
#define ROWS(X)                                                                                                        \
  X(NOWHERE, TRUTH, scree_status_text, "..", NUMBER(0, (scree_status)SCREE_OK))                                        \
  X(NOWHERE, VOID, scree_bijection_init, ". .. ..", POINTER(0, &bijection), NUMBER(1, (uint64_t)8),                    \
    NUMBER(2, (uint64_t)1))                                                                                            \
  X(NOWHERE, VOID, scree_distribution_init, ". .. .. ..", POINTER(0, &distribution),                                   \
    NUMBER(1, (scree_distribution_kind)SCREE_DISTRIBUTION_BLOCK), NUMBER(2, (uint64_t)8), NUMBER(3, 2U))               \
  X(NOWHERE, TRUTH, scree_option_at, ".!", NUMBER(0, (size_t)0))                                                       \
  X(NOWHERE, STATUS, scree_options_set, "! ! ! . ..", POINTER(0, &options), POINTER(1, "memory"), POINTER(2, "1M"),    \
    POINTER(3, text), NUMBER(4, sizeof text))                                                                          \
  X(NOWHERE, STATUS, scree_options_resolve, "! . . ..", POINTER(0, &options), POINTER(1, from), POINTER(2, text),      \
    NUMBER(3, sizeof text))                                                                                            \
  X(NOWHERE, VOID, scree_option_format, ". .. . .-", POINTER(0, &options), NUMBER(1, (size_t)0), POINTER(2, text),     \
    NUMBER(3, sizeof text))                                                                                            \
  X(NOWHERE, STATUS, scree_open, "- !", POINTER(0, &options), POINTER(1, &no_world))                                   \
  X(NOWHERE, STATUS, scree_open_mpi, "! - !", c->argument == 0 ? (MPI_Comm)0 : MPI_COMM_WORLD, POINTER(1, &options),   \
    POINTER(2, &no_world))                                                                                             \
  X(PLAIN, STATUS, scree_close, "!", POINTER(0, c->world))                                                             \
  X(PLAIN, TRUTH, scree_worker_of, "! .t", POINTER(0, c->world), NUMBER(1, 0U))                                        \
  X(PLAIN, TRUTH, scree_world_of, "!", POINTER(0, c->w))                                                               \
  X(PLAIN, TRUTH, scree_options_of, "!", POINTER(0, c->world))                                                         \
  X(PLAIN, TRUTH, scree_node_ranks, "!", POINTER(0, c->world))                                                         \
  X(OPEN, VOID, scree_fail, ". tt t", POINTER(0, c->w), NUMBER(1, (scree_status)SCREE_EPEER), POINTER(2, "words"))     \
  X(PLAIN, STATUS, scree_error, "!", POINTER(0, c->world))                                                             \
  X(PLAIN, VOID, scree_error_text, ".", POINTER(0, c->world))                                                          \
  X(PLAIN, VOID, scree_error_rank, ".", POINTER(0, c->world))                                                          \
  X(PLAIN, VOID, scree_hang_hook, ". . .", POINTER(0, c->world), POINTER(1, on_hang), POINTER(2, c))                   \
  X(PLAIN, STATUS, scree_register, "! t t", POINTER(0, c->world), POINTER(1, &desc), POINTER(2, &id))                  \
  X(PLAIN, STATUS, scree_register_all, "! t .- t", POINTER(0, c->world), POINTER(1, &desc), NUMBER(2, 1U),             \
    POINTER(3, &id))                                                                                                   \
  X(OPEN, VOID, scree_send, ". tt .t t", POINTER(0, c->w), NUMBER(1, c->type), NUMBER(2, 0U), POINTER(3, &item))       \
  X(OPEN, VOID, scree_try_send, ". tt .t t", POINTER(0, c->w), NUMBER(1, c->type), NUMBER(2, 0U), POINTER(3, &item))   \
  X(OPEN, VOID, scree_send_bytes, ". tt .t t .t", POINTER(0, c->w), NUMBER(1, c->words), NUMBER(2, 0U),                \
    POINTER(3, &item), NUMBER(4, sizeof item))                                                                         \
  X(PLAIN, STATUS, scree_begin, "!", POINTER(0, c->w))                                                                 \
  X(OPEN, STATUS, scree_end, "! .", POINTER(0, c->w), POINTER(1, &(scree_reduce)SCREE_REDUCE_INIT))                    \
  X(OPEN, VOID, scree_test, ". .. .", POINTER(0, c->w), NUMBER(1, false), POINTER(2, NULL))                            \
  X(OPEN, TRUTH, scree_progress, "!", POINTER(0, c->w))                                                                \
  X(OPEN, VOID, scree_flush, ". t.", POINTER(0, c->w), NUMBER(1, c->type))                                             \
  X(OPEN, VOID, scree_flush_lane, ". tt .t", POINTER(0, c->w), NUMBER(1, c->type), NUMBER(2, 0U))                      \
  X(OPEN, VOID, scree_hold, ". ..", POINTER(0, c->w), NUMBER(1, 1U))                                                   \
  X(OPEN, VOID, scree_release, ". .t", POINTER(0, c->w), NUMBER(1, 1U))                                                \
  X(PLAIN, STATUS, scree_on_idle, "! t .", POINTER(0, c->world), POINTER(1, on_idle), POINTER(2, c))                   \
  X(PLAIN, STATUS, scree_stats_read, "! !", POINTER(0, c->world), POINTER(1, &stats))                                  \
  X(PLAIN, STATUS, scree_stats_lock, "! !", POINTER(0, c->world), POINTER(1, &lock))                                   \
  X(PLAIN, STATUS, scree_stats_lane, "! !! .! !", POINTER(0, c->world), NUMBER(1, c->type), NUMBER(2, 0U),             \
    POINTER(3, &lane))                                                                                                 \
  X(PLAIN, STATUS, scree_stats_reduced, "! !! !", POINTER(0, c->world), NUMBER(1, c->type), POINTER(2, &reduced))      \
  X(PLAIN, VOID, scree_stats_print, ". . ..", POINTER(0, c->world), POINTER(1, stdout), NUMBER(2, false))              \
  X(PLAIN, STATUS, scree_trace, "! .", POINTER(0, c->world), POINTER(1, stdout))                                       \
  X(PLAIN, VOID, scree_report_print, ". .", POINTER(0, c->world), POINTER(1, stdout))                                  \
  X(PLAIN, VOID, scree_thread_level, ".", POINTER(0, c->world))                                                        \
  X(PLAIN, STATUS, scree_run_workers, "! tt t .", POINTER(0, c->world), NUMBER(1, 1U), POINTER(2, work),               \
    POINTER(3, c))                                                                                                     \
  X(PLAIN, STATUS, scree_join_workers, "! !! !! ! !", POINTER(0, c->world), NUMBER(1, 1U), NUMBER(2, 0U),              \
    POINTER(3, work), POINTER(4, c))                                                                                   \
  X(PLAIN, STATUS, scree_combine_type, "! tt .t", POINTER(0, c->world), NUMBER(1, c->type),                            \
    NUMBER(2, (uint64_t)SCREE_COMBINE_OFF))                                                                            \
  X(NOWHERE, STATUS, scree_local_run, ". !! ! .", POINTER(0, &options), NUMBER(1, 1U), POINTER(2, rank),               \
    POINTER(3, c))                                                                                                     \
  X(NOWHERE, VOID, scree_local_ranks, ".", POINTER(0, &options))                                                       \
  X(NOWHERE, STATUS, scree_sim_run, "! . ! . .", POINTER(0, &config), POINTER(1, &options), POINTER(2, virtual_rank),  \
    POINTER(3, c), POINTER(4, &item))                                                                                  \
  X(NOWHERE, TRUTH, scree_huge_alloc, ".!", NUMBER(0, (size_t)4096))                                                   \
  X(NOWHERE, VOID, scree_huge_free, ".", POINTER(0, text))                                                             \
  X(NOWHERE, TRUTH, scree_huge_bytes, "!", POINTER(0, text))                                                           \
  X(PLAIN, STATUS, scree_node_array_open, "! .t t", POINTER(0, c->world), NUMBER(1, (size_t)4096), POINTER(2, &array)) \
  X(PLAIN, VOID, scree_node_array_close, ". .", POINTER(0, c->world), POINTER(1, array))

ROWS(NOTHING_FUNCTION)
static const nothing_row rows[] = {ROWS(NOTHING_ROW)};

int main(int argc, char **argv) {
  return nothing_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
