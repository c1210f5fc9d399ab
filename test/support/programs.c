/* programs.c - runs a program and judges the ledger.
 *
 * It judges a whole run; programs_play.c judges what one rank sees. */
#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_inside.h"

/* A failure ends the same epoch on every rank, with the highest code raised. */
static void judge_failure(program *p, scree_status status) {
  const player *first = &p->players[0][0];
  if (status != p->raised) WRONG(p, "code %d was raised, the run ended with %d", (int)p->raised, (int)status);
  for (uint32_t i = 0; i < p->config.ranks * p->takers[first->seen_epoch]; i++) {
    uint32_t r = i / p->takers[first->seen_epoch];
    const player *one = &p->players[r][i % p->takers[first->seen_epoch]];
    if (one->seen != p->raised || one->seen_rank != p->raised_by || one->seen_epoch != first->seen_epoch)
      WRONG(p, "code %d was raised by rank %u, rank %u left epoch %u with %d of rank %u, rank 0 epoch %u with %d",
            (int)p->raised, p->raised_by, r, one->seen_epoch, (int)one->seen, one->seen_rank, first->seen_epoch,
            (int)first->seen);
  }
}

/* What is reduced, of an epoch that has ended. */
void program_judge_reduced(program *p, uint32_t epoch, const char *who) {
  if (p->waiting[epoch]) WRONG(p, "%s: %u messages of reduced types of epoch %u wait", who, p->waiting[epoch], epoch);
  for (uint32_t r = 0; r < p->config.ranks; r++)
    if (p->hashes[epoch][r])
      WRONG(p, "%s: other messages of reduced types of epoch %u were sent to rank %u than handled", who, epoch, r);
  if (memcmp(p->least_sent[epoch], p->least_handled[epoch], sizeof p->least_sent[epoch]) != 0)
    WRONG(p, "%s: of a filtered type of epoch %u not the least arrived", who, epoch);
}

static void judge_run(program *p, scree_status status, uint64_t steps) {
  if (p->raised != SCREE_OK) {
    judge_failure(p, status);
    return;
  }
  if (status != SCREE_OK)
    WRONG(p, "the run ended with '%s' after %llu steps", scree_status_text(status), (unsigned long long)steps);
  for (uint32_t i = 0; i < p->count; i++)
    if (p->ledger[i].type < SUM && p->ledger[i].handled != 1)
      WRONG(p, "message %u was handled %u times", i, p->ledger[i].handled);
  for (uint32_t k = 0; k < p->epochs; k++) program_judge_reduced(p, k, "at the end");
  for (kind k = SUM; k <= LEAST; k++)
    if (p->saved[k] != p->combined[k])
      WRONG(p, "%llu items of kind %d were sent and not handled, %llu combined", (unsigned long long)p->saved[k],
            (int)k, (unsigned long long)p->combined[k]);
}

static void add(program_totals *to, const program *p, scree_status status, uint64_t steps) {
  to->messages += p->count;
  to->failures += (status != SCREE_OK);
  to->steps += steps;
  to->overflows += p->totals.overflows;
  to->waits += p->totals.waits;
  to->passed += p->totals.passed;
  to->stalls += p->totals.stalls;
  to->parts += p->totals.parts;
  to->holds += p->totals.holds;
  to->shared += p->totals.shared;
  to->by_progress += p->totals.by_progress;
  to->polled += p->totals.polled;
  to->combined += p->combined[SUM];
  to->dropped += p->combined[LEAST];
  to->evicted += p->totals.evicted;
}

bool program_run(uint64_t seed, program_kind kind, program_totals *totals, char *why, size_t size) {
  return program_run_shaped(seed, kind, (program_shape){0, 0, 0}, totals, why, size);
}

bool program_run_shaped(uint64_t seed, program_kind kind, program_shape shape, program_totals *totals, char *why,
                        size_t size) {
  program *p = malloc(sizeof *p);
  if (!p) {
    snprintf(why, size, "seed %llu: no memory for the program", (unsigned long long)seed);
    return false;
  }
  uint64_t steps = 0;
  memset(p, 0, offsetof(program, ledger)); /* the rest is a megabyte */
  program_draw(p, seed, kind, shape);
  p->mpi_fails = kind == PROGRAM_ON_FAILING_MPI;
  scree_status status = scree_sim_run(&p->config, &p->options, program_play, p, &steps);
  if (kind != PROGRAM_ON_FAILING_MPI || status == SCREE_OK) judge_run(p, status, steps);
  add(totals, p, status, steps);
  bool right = !p->wrong;
  if (!right)
    snprintf(why, size, "seed %llu (%u ranks of %u threads, %u nodes, detector %llu): %s", (unsigned long long)seed,
             p->config.ranks, p->config.threads, p->config.nodes, (unsigned long long)p->options.detector, p->why);
  free(p);
  return right;
}
