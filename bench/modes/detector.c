/* detector.c - what the detectors cost: an empty epoch, and one in which each rank sends one message.
 *
 * On shared memory and on MPI, with node and flat, interleaved; on 2, 4, 8 ... ranks up to all that were started,
 * while the others sleep. By each: messages for detection per epoch and rank, as the statistics count them. Rank 0 also
 * counts them in the simulator, on 16 virtual nodes, for 16, 64 and 256 ranks, and with --full up to 1,024. */
#include <scree/scree_mpi.h>
#include <scree/scree_sim.h>

#include "epoch_jobs.h"
#include "modes.h"

enum { DETECTORS = 2, JOBS = 2, SIM_NODES = 16, SIM_EPOCHS = 10 };
static const char *const detectors[DETECTORS] = {"node", "flat"};
static const char *const jobs[JOBS] = {"empty epoch", "epoch, a message"};

/* ---- the jobs ---- */

static void (*const runs[JOBS])(void *, uint64_t) = {epoch_empty, epoch_message};

/* ---- reports ---- */

static void report(bench *b, int job, int detector, const char *where, uint32_t ranks, double seconds, double spread,
                   double messages) {
  if (b->rank == 0 && seconds > 0)
    printf("%-18s %-5s %-4s %6u %10.3f %10.2f %6.0f%%\n", jobs[job], detectors[detector], where, ranks, 1e6 * seconds,
           messages, 100 * spread);
  else if (b->rank == 0)
    printf("%-18s %-5s %-4s %6u %10s %10.2f\n", jobs[job], detectors[detector], where, ranks, "", messages);
  cJSON *record = bench_record(b);
  cJSON_AddStringToObject(record, "operation", jobs[job]);
  cJSON_AddStringToObject(record, "detector", detectors[detector]);
  cJSON_AddStringToObject(record, "transport", where);
  cJSON_AddNumberToObject(record, "ranks", ranks);
  cJSON_AddNumberToObject(record, "messages_per_epoch_and_rank", messages);
  if (seconds <= 0) return;
  cJSON_AddNumberToObject(record, "seconds", seconds);
  cJSON_AddNumberToObject(record, "spread", spread);
}

/* ---- on MPI ---- */

/* One for each job: each has its own counts. */
static bool open_context(epoch_context *s, uint64_t transport, int detector) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.transport = transport;
  options.detector = (uint64_t)detector;
  return scree_open_mpi(bench_comm, &options, &s->world) == SCREE_OK && epoch_open(s);
}

static double mean_over_ranks(double mine, int ranks) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, bench_comm);
  return sum / ranks;
}

/* Interleaved: all detectors and jobs over one transport. */
static bool run_transport(bench *b, uint64_t transport) {
  epoch_context contexts[DETECTORS * JOBS] = {{.world = NULL}};
  bench_variant variants[DETECTORS * JOBS];
  bool good = true;
  for (int i = 0; i < DETECTORS * JOBS; i++) {
    good = bench_all(good && open_context(&contexts[i], transport, i / JOBS));
    variants[i] = (bench_variant){.name = jobs[i % JOBS],
                                  .run = runs[i % JOBS],
                                  .check = i % JOBS ? epoch_check_message : epoch_check_empty,
                                  .arg = &contexts[i]};
  }
  good = good && bench_rounds(b, variants, DETECTORS * JOBS);
  for (int i = 0; good && i < DETECTORS * JOBS; i++)
    report(b, i % JOBS, i / JOBS, bench_transport(transport), (uint32_t)b->ranks, variants[i].seconds,
           variants[i].spread, mean_over_ranks(contexts[i].per_epoch, b->ranks));
  for (int i = 0; i < DETECTORS * JOBS; i++)
    if (contexts[i].world) good &= scree_close(contexts[i].world) == SCREE_OK;
  return good;
}

static bool run_ranks(bench *b, void *unused) {
  (void)unused;
  return run_transport(b, SCREE_TRANSPORT_SHM) && run_transport(b, SCREE_TRANSPORT_MPI);
}

/* ---- in the simulator ---- */

typedef struct {
  int job;
  uint64_t messages;
  bool bad;
} sim_row;

/* The first epoch is not counted: see decision 35. */
static void sim_rank(scree_world *world, void *row_) {
  sim_row *row = row_;
  epoch_context s = {.world = world};
  if (!epoch_open(&s)) {
    row->bad = true;
    return;
  }
  epoch_empty(&s, 1);
  row->bad |= !epoch_check_empty(&s, 1);
  const uint64_t before = s.messages;
  runs[row->job](&s, SIM_EPOCHS);
  row->bad |= !(row->job ? epoch_check_message : epoch_check_empty)(&s, SIM_EPOCHS);
  row->messages += s.messages - before;
}

static bool run_sim(bench *b, uint32_t ranks, int job, int detector) {
  const scree_sim_config config = {
      .seed = 1, .ranks = ranks, .nodes = SIM_NODES, .max_steps = UINT64_C(1) << 40, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  sim_row row = {.job = job};
  options.detector = (uint64_t)detector;
  options.memory = 1 << 16;
  if (scree_sim_run(&config, &options, sim_rank, &row, NULL) != SCREE_OK || row.bad) return false;
  report(b, job, detector, "sim", ranks, 0, 0, (double)row.messages / SIM_EPOCHS / ranks);
  return true;
}

static bool run_sims(bench *b) {
  bool good = true;
  for (uint32_t ranks = 16; ranks <= (b->full ? 1024 : 256); ranks *= b->full ? 2 : 4)
    for (int i = 0; good && i < DETECTORS * JOBS; i++) good = run_sim(b, ranks, i % JOBS, i / JOBS);
  return good;
}

bool bench_detector(bench *b) {
  if (b->rank == 0) printf("%-18s %-5s %-4s %6s %10s %10s %7s\n", "", "", "", "ranks", "us", "messages", "spread");
  bool good = epoch_on_ranks(b, run_ranks);
  if (b->rank == 0 && good) good = run_sims(b);
  if (b->rank == 0 && !good) fprintf(stderr, "detector: a world failed, or messages are missing\n");
  return good;
}
