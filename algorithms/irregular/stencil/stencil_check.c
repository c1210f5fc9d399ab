/* stencil_check.c - validates the grid of `scree stencil`: by a serial replay, to the last bit; or by its law. */
#include <math.h>

#include "irregular/stencil/stencil.h"

/* The whole grid in one block, whose neighbour is itself. */
static bool replay(const scree__irregular_options *o, scree__block *all) {
  static const uint64_t one[SCREE__AXES] = {1, 1, 1};
  double *face = malloc(8 * o->edge * o->edge);
  const bool good = scree__block_open(all, one, o->edge, 0) && face;
  if (good) scree__block_fill(all, o->seed, o->edge);
  for (uint64_t step = 0; step < o->steps && good; step++) {
    for (int f = 0; f < SCREE__FACES; f++) {
      scree__block_face(all, f / 2, f % 2, face, false);
      scree__block_face(all, f / 2, 1 - f % 2, face, true);
    }
    scree__block_step(all);
  }
  free(face);
  return good;
}

/* Counts cells that differ from the replay by a bit; without it, those out of 0 to 1. heat: what this block has more
 * than at first. */
static uint64_t compare(const scree__stencil_state *s, scree__block *b, const scree__block *all, double *heat) {
  const uint64_t edge = s->k->options->edge, seed = s->k->options->seed;
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < b->cells[0]; i++)
    for (uint64_t j = 0; j < b->cells[1]; j++)
      for (uint64_t k = 0; k < b->cells[2]; k++) {
        const uint64_t x = b->first[0] + i, y = b->first[1] + j, z = b->first[2] + k;
        const double cell = scree__block_row(b, b->now, i, j)[k];
        wrong += all ? memcmp(&cell, &scree__block_row(all, all->now, x, y)[z], sizeof cell) != 0
                     : !(cell >= 0 && cell <= 1);
        *heat += cell - scree__block_heat(seed, edge, x, y, z);
      }
  return wrong;
}

scree_status scree__stencil_check(scree__irregular *k, uint64_t *wrong) {
  scree__stencil_state *s = k->state;
  scree_worker *w = scree_worker_of(k->world, 0);
  const uint64_t edge = k->options->edge, whole = 16 * (edge + 2) * (edge + 2) * (edge + 2);
  const bool holds = scree__irregular_holds(k, whole);
  scree__block all = {.now = NULL};
  scree_reduce heat = SCREE_REDUCE_INIT;
  heat.value[0].op = SCREE_SUM_REAL;
  const bool good = !holds || replay(k->options, &all);
  for (uint32_t t = 0; t < s->threads && good; t++)
    *wrong += compare(s, &s->part[t].block, holds ? &all : NULL, &heat.value[0].of.real);
  scree__block_close(&all);
  scree_status status = scree_begin(w);
  if (!status) status = scree_end(w, &heat);
  *wrong += !(fabs(heat.value[0].of.real) <= 1e-9 * (double)(edge * edge * edge));
  return status ? status : good ? SCREE_OK : SCREE_ENOMEM;
}
