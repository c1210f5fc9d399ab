/* stencil.c - heat in a periodic grid of edge^3 cells, by the stencil of 7 points (Amer, PhD thesis, 2015, chapter
 * VI): each worker of each rank has a block of the grid, sends its own faces to the blocks next to it, and computes.
 * How faces travel is the form's. Two sets of faces alternate: a neighbour may begin the next step meanwhile. */
#include "irregular/stencil/stencil.h"

#include <stdio.h>

static const scree__stencil_form *const forms[] = {&scree__stencil_by_puts, &scree__stencil_by_messages,
                                                   &scree__stencil_by_mpi};
enum { FORMS = sizeof forms / sizeof *forms };

void scree__stencil_send(scree__stencil_state *s, scree_worker *w, uint64_t set, void *arg,
                         void (*send)(scree__stencil_state *s, scree_worker *w, const scree__stencil_face *f,
                                      void *arg)) {
  scree__stencil_part *p = &s->part[w->index];
  const uint64_t me = (uint64_t)w->rank * s->threads + w->index;
  for (int i = 0; i < SCREE__FACES; i++) {
    const int axis = i / 2, side = i % 2, there = 2 * axis + 1 - side;
    scree__stencil_face f = {.face = p->face + (uint64_t)i * (s->face_max + 1), .at = there};
    f.to = scree__block_neighbour(&p->block, axis, side);
    f.cells = scree__block_face(&p->block, axis, side, f.face + 1, false);
    f.slot = scree__stencil_slot(s, f.to % s->threads, set, there);
    if (f.to == me)
      scree__block_face(&p->block, axis, 1 - side, f.face + 1, true);
    else
      send(s, w, &f, arg);
  }
}

static void take_in(const scree__stencil_state *s, scree_worker *w, scree__stencil_part *p, uint64_t set) {
  const uint64_t me = (uint64_t)w->rank * s->threads + w->index;
  double *received = scree__stencil_received(s, w->rank);
  for (int face = 0; face < SCREE__FACES; face++)
    if (scree__block_neighbour(&p->block, face / 2, face % 2) != me)
      scree__block_face(&p->block, face / 2, face % 2, received + scree__stencil_slot(s, w->index, set, face), true);
}

static void work(scree_worker *w, void *arg) {
  scree__stencil_state *s = arg;
  scree__stencil_part *p = &s->part[w->index];
  p->compute = p->send = p->wait = 0;
  double begin = scree__stencil_now(), sent = begin;
  for (uint64_t step = 0; step < s->k->options->steps; step++) {
    if (forms[s->k->form]->exchange(s, w, step % 2, &sent)) return;
    const double complete = scree__stencil_now();
    take_in(s, w, p, step % 2);
    scree__block_step(&p->block);
    p->send += sent - begin, p->wait += complete - sent;
    p->compute += (begin = scree__stencil_now()) - complete;
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
  p->own = p->threads *
           (scree__block_bytes(parts, o->edge) + 8 * SCREE__FACES * (scree__block_face_max(parts, o->edge) + 1));
  return !forms[p->form]->plan || forms[p->form]->plan(p, why, size);
}

static scree_status open(scree__irregular *k) {
  scree__stencil_state *s = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  bool good = true;
  s->k = k, s->ranks = w->ranks, s->threads = w->threads;
  scree__block_divide((uint64_t)s->ranks * s->threads, k->options->edge, s->parts);
  s->face_max = scree__block_face_max(s->parts, k->options->edge);
  for (uint32_t t = 0; t < s->threads; t++) {
    good &= scree__block_open(&s->part[t].block, s->parts, k->options->edge, (uint64_t)w->rank * s->threads + t);
    good &= (s->part[t].face = malloc(8 * SCREE__FACES * (s->face_max + 1))) != NULL;
  }
  scree_status status = SCREE_OK;
  for (int f = 0; f < FORMS && !status; f++)
    if (forms[f]->open) status = forms[f]->open(s);
  if (!status) status = scree_symmetric_alloc(k->world, 16 * SCREE__FACES * s->threads * s->face_max, &s->received);
  return status ? status : good ? SCREE_OK : SCREE_ENOMEM;
}

static void close_it(scree__irregular *k) {
  scree__stencil_state *s = k->state;
  for (int t = 0; t < SCREE__STENCIL_WORKERS; t++) {
    scree__block_close(&s->part[t].block);
    free(s->part[t].face);
  }
  for (int f = 0; f < FORMS; f++)
    if (forms[f]->close) forms[f]->close(s);
}

static scree_status prepare(scree__irregular *k) {
  scree__stencil_state *s = k->state;
  for (uint32_t t = 0; t < s->threads; t++) scree__block_fill(&s->part[t].block, k->options->seed, k->options->edge);
  return forms[k->form]->prepare ? forms[k->form]->prepare(s) : SCREE_OK;
}

/* The seconds are means over all workers. */
static scree_status run(scree__irregular *k) {
  scree__stencil_state *s = k->state;
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

const scree__irregular_methods scree__stencil = {
    .state = sizeof(scree__stencil_state),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = scree__stencil_check,
    .close = close_it,
    .wrong = "cells differ from those of a serial replay, or heat is lost",
    .law = "all heat stays, and no cell is colder or hotter than all were at first",
};
