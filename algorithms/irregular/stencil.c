/* stencil.c - heat in a periodic grid of edge^3 cells, by the stencil of 7 points (Amer, PhD thesis, 2015, chapter
 * VI): each worker of each rank has a block of the grid, sends its own faces to the blocks next to it, and computes;
 * the end of an epoch is the end of the exchange. Form 0 puts faces into global memory, form 1 sends them as records.
 * Two sets of faces alternate: a neighbour may begin the next step meanwhile. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "irregular/block.h"
#include "irregular/irregular.h"

enum { WORKERS = 64 };

/* A record's first word: to which worker of the rank, and which face of which set. Then the cells. */
SCREE_VARIABLE(faces);

typedef struct {
  _Alignas(128) scree__block block;
  double *face;               /* one, with a word in front */
  double compute, send, wait; /* seconds */
} part;

typedef struct {
  scree__irregular *k;
  faces_type faces;
  scree_global received; /* of each worker, two sets of faces */
  uint64_t parts[SCREE__AXES], face_max, start;
  uint32_t ranks, threads;
  part part[WORKERS];
} stencil;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Where a face is, in doubles, among those that a rank receives. */
static uint64_t slot_of(const stencil *s, uint64_t thread, uint64_t set, int face) {
  return ((2 * thread + set) * SCREE__FACES + (uint64_t)face) * s->face_max;
}
static double *received(const stencil *s, uint32_t rank) {
  return scree_global_local(s->k->map, scree_global_at(s->k->map, &s->received, rank, 0));
}

static void on_faces(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  const stencil *s = arg;
  size_t bytes;
  for (uint32_t i = 0; i < batch->count; i++) {
    const uint64_t *record = scree_record_next(&items, &bytes);
    memcpy(received(s, w->rank) + record[0], record + 1, bytes - sizeof *record);
  }
}
SCREE_VARIABLE_HANDLER(faces, on_faces);

/* Sends a face, whose cells are after the first word of p->face, to the worker there. */
static void send(const stencil *s, scree_worker *w, part *p, uint64_t to, uint64_t slot, uint64_t cells) {
  const uint32_t rank = (uint32_t)(to / s->threads);
  if (s->k->form == 0) {
    scree_put_nbi(w, scree_global_at(s->k->map, &s->received, rank, 8 * slot), p->face + 1, 8 * cells);
    return;
  }
  memcpy(p->face, &slot, sizeof slot);
  faces_send(w, s->faces, rank, p->face, 8 * (cells + 1));
}

static void exchange(const stencil *s, scree_worker *w, part *p, uint64_t set, uint64_t me) {
  for (int axis = 0; axis < SCREE__AXES; axis++)
    for (int side = 0; side < 2; side++) {
      const uint64_t to = scree__block_neighbour(&p->block, axis, side);
      const uint64_t cells = scree__block_face(&p->block, axis, side, p->face + 1, false);
      if (to == me)
        scree__block_face(&p->block, axis, 1 - side, p->face + 1, true);
      else
        send(s, w, p, to, slot_of(s, to % s->threads, set, 2 * axis + 1 - side), cells);
    }
}

static void take_in(const stencil *s, scree_worker *w, part *p, uint64_t set, uint64_t me) {
  for (int face = 0; face < SCREE__FACES; face++)
    if (scree__block_neighbour(&p->block, face / 2, face % 2) != me)
      scree__block_face(&p->block, face / 2, face % 2, received(s, w->rank) + slot_of(s, w->index, set, face), true);
}

static void work(scree_worker *w, void *arg) {
  stencil *s = arg;
  part *p = &s->part[w->index];
  const uint64_t me = (uint64_t)w->rank * s->threads + w->index;
  p->compute = p->send = p->wait = 0;
  double begin = now();
  for (uint64_t step = 0; step < s->k->options->steps; step++) {
    if (scree_begin(w)) return;
    exchange(s, w, p, step % 2, me);
    const double sent = now();
    if (scree_end(w, NULL)) return;
    const double complete = now();
    take_in(s, w, p, step % 2, me);
    scree__block_step(&p->block);
    p->send += sent - begin, p->wait += complete - sent;
    p->compute += (begin = now()) - complete;
  }
}

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  uint64_t parts[SCREE__AXES];
  scree__block_divide((uint64_t)p->ranks * p->threads, o->edge, parts);
  if (parts[0] == 0) {
    snprintf(why, size, "%llu^3 cells cannot be divided among %llu workers: take a larger edge",
             (unsigned long long)o->edge, (unsigned long long)p->ranks * p->threads);
    return false;
  }
  p->heap = 16 * SCREE__FACES * p->threads * scree__block_face_max(parts, o->edge) + 4096;
  p->own = p->threads * (scree__block_bytes(parts, o->edge) + 8 * scree__block_face_max(parts, o->edge) + 8);
  return true;
}

static scree_status open(scree__irregular *k) {
  stencil *s = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  bool good = true;
  s->k = k, s->ranks = w->ranks, s->threads = w->threads;
  scree__block_divide((uint64_t)s->ranks * s->threads, k->options->edge, s->parts);
  s->face_max = scree__block_face_max(s->parts, k->options->edge);
  for (uint32_t t = 0; t < s->threads; t++) {
    good &= scree__block_open(&s->part[t].block, s->parts, k->options->edge, (uint64_t)w->rank * s->threads + t);
    good &= (s->part[t].face = malloc(8 * (s->face_max + 1))) != NULL;
  }
  scree_status status = faces_register(k->world, s, &s->faces);
  if (!status) status = scree_symmetric_alloc(k->world, 16 * SCREE__FACES * s->threads * s->face_max, &s->received);
  return status ? status : good ? SCREE_OK : SCREE_ENOMEM;
}

static void close_it(scree__irregular *k) {
  stencil *s = k->state;
  for (int t = 0; t < WORKERS; t++) {
    scree__block_close(&s->part[t].block);
    free(s->part[t].face);
  }
}

static scree_status prepare(scree__irregular *k) {
  stencil *s = k->state;
  for (uint32_t t = 0; t < s->threads; t++) scree__block_fill(&s->part[t].block, k->options->seed, k->options->edge);
  return SCREE_OK;
}

/* The seconds are means over all workers. */
static scree_status run(scree__irregular *k) {
  stencil *s = k->state;
  scree_worker *w = scree_worker_of(k->world, 0);
  scree_reduce all = SCREE_REDUCE_INIT;
  scree_status status = scree_run_workers(k->world, s->threads, work, s);
  for (int i = 0; i < 3; i++) all.value[i].op = SCREE_SUM_REAL;
  for (uint32_t t = 0; t < s->threads; t++) {
    all.value[0].of.real += s->part[t].compute;
    all.value[1].of.real += s->part[t].send;
    all.value[2].of.real += s->part[t].wait;
  }
  if (!status) status = scree_begin(w);
  if (!status) status = scree_end(w, &all);
  for (int i = 0; i < 3; i++) k->figure[i + 1] = all.value[i].of.real / s->ranks / s->threads;
  k->figure[0] = (double)(k->options->edge * k->options->edge * k->options->edge);
  k->items = k->options->edge * k->options->edge * k->options->edge * k->options->steps;
  return status;
}

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
static uint64_t compare(const stencil *s, scree__block *b, const scree__block *all, double *heat) {
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

static scree_status check(scree__irregular *k, uint64_t *wrong) {
  stencil *s = k->state;
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

const scree__irregular_methods scree__stencil = {
    .state = sizeof(stencil),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .close = close_it,
    .wrong = "cells differ from those of a serial replay, or heat is lost",
    .law = "all heat stays, and no cell is colder or hotter than all were at first",
};
