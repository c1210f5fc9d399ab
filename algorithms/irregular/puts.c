/* puts.c - tasks that wait, and do nothing else: each puts words to the other ranks in turn, and waits for each put
 * (GMT: Morari et al. 2014, Figures 5 and 6), or yields (their Table III; Nelson et al. 2015, Figure 5). So it shows
 * how many tasks hide how much latency, and what a switch costs. */
#include <stdlib.h>

#include "irregular/irregular.h"

enum { ALL, ONE, YIELD }; /* forms */

SCREE_TASK(putter, uint64_t); /* the number of a task among all */

typedef struct {
  scree__irregular *k;
  putter_type putter;
  scree_global slots; /* of each task, on each rank: what it has put there last */
  uint64_t *from;     /* of each task of this rank: what it puts, the number of the step first */
  uint64_t tasks;     /* of this rank */
  uint64_t done;      /* yields; counted by worker 0's tasks alone */
} putting;

/* Steps go to the other ranks in turn; a rank alone puts to itself. */
static uint32_t dest_of(uint64_t step, uint32_t rank, uint32_t ranks) {
  return ranks == 1 ? 0 : (uint32_t)((rank + 1 + step % (ranks - 1)) % ranks);
}

static scree_address slot_of(const putting *p, uint32_t rank, uint64_t task) {
  return scree_global_at(p->k->map, &p->slots, rank, 8 * task * p->k->options->words);
}

static void run_putter(scree_task *self, const uint64_t *task) {
  putting *p = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const scree__irregular_options *o = p->k->options;
  uint64_t *from = p->from + *task % p->tasks * o->words;
  for (uint64_t step = 1; step <= o->steps; step++) {
    *from = step;
    const scree_address to = slot_of(p, dest_of(step, w->rank, w->ranks), *task);
    if (p->k->form == YIELD ? scree_task_yield(self) : scree_put(self, to, from, 8 * o->words)) return;
  }
  if (w->index == 0) p->done += o->steps;
}
SCREE_TASK_BODY(putter, uint64_t, run_putter);

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  (void)why, (void)size;
  p->own = 8 * o->tasks * p->threads * o->words;
  p->heap = p->own * p->ranks + (1 << 16);
  return true;
}

static scree_status open(scree__irregular *k) {
  putting *p = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  p->k = k;
  p->tasks = k->options->tasks * w->threads;
  p->from = calloc(p->tasks * k->options->words, sizeof *p->from);
  scree_status status = putter_register(k->world, p, &p->putter);
  if (!status)
    status = scree__irregular_alloc(k, 8 * p->tasks * w->ranks * k->options->words, SCREE_GLOBAL_REPLICATE, &p->slots);
  return status ? status : p->from ? SCREE_OK : SCREE_ENOMEM;
}

static void close_it(scree__irregular *k) {
  free(((putting *)k->state)->from);
}

static scree_status prepare(scree__irregular *k) {
  putting *p = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  for (uint64_t t = 0; t < p->tasks * w->ranks; t++)
    *(uint64_t *)scree_global_local(k->map, slot_of(p, w->rank, t)) = 0;
  p->done = 0;
  return SCREE_OK;
}

static void work(scree_worker *w, void *arg) {
  putting *p = arg;
  const uint64_t tasks = p->k->options->tasks, first = (w->rank * w->threads + w->index) * tasks;
  if (scree_begin(w)) return;
  for (uint64_t t = first; t < first + tasks && (p->k->form != ONE || w->rank == 0); t++)
    putter_spawn_on(w, p->putter, NULL, scree_worker_number(w, w->rank, w->index), t);
  scree_end(w, NULL);
}

static scree_status run(scree__irregular *k) {
  putting *p = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  const uint64_t tasks = k->form == ONE ? p->tasks : p->tasks * w->ranks;
  k->items = tasks * k->options->steps;
  k->figure[0] = (double)tasks;
  return scree_run_workers(k->world, w->threads, work, p);
}

/* The last step of each task that went to this rank is in its slot here. */
static scree_status check(scree__irregular *k, uint64_t *wrong) {
  const putting *p = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  const uint64_t steps = k->options->steps, yields = steps * k->options->tasks;
  *wrong = k->form == YIELD ? p->done != yields : 0;
  for (uint64_t t = 0; t < p->tasks * w->ranks && k->form != YIELD; t++) {
    const uint32_t rank = (uint32_t)(t / p->tasks);
    uint64_t last = k->form == ONE && rank != 0 ? 0 : steps;
    while (last && last + w->ranks > steps && dest_of(last, rank, w->ranks) != w->rank) last--;
    if (last && dest_of(last, rank, w->ranks) != w->rank) last = 0; /* a rank puts nothing to itself */
    *wrong += *(const uint64_t *)scree_global_local(k->map, slot_of(p, w->rank, t)) != last;
  }
  return SCREE_OK;
}

const scree__irregular_methods scree__puts = {
    .state = sizeof(putting),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .close = close_it,
    .wrong = "words are not those that a task has put last, or tasks have not yielded as often as they should",
};
