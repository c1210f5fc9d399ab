/* stencil.c - the steps of `scree stencil` by plain MPI: receives and sends of all faces are posted, and waited for
 * together; then the rank computes. */
#include "irregular/stencil/block.h"

#include "kernel_side.h"
#include "modes.h"

enum { STEPS = 64, SEED = 1 };

typedef struct {
  scree__block block;
  uint64_t edge, face_max;
  double *out[SCREE__FACES], *in[SCREE__FACES];
  int rank;
} context;

static void run_mpi(void *arg, uint64_t n) {
  context *c = arg;
  (void)n;
  for (int step = 0; step < STEPS; step++) {
    MPI_Request all[2 * SCREE__FACES];
    int count = 0;
    for (int f = 0; f < SCREE__FACES; f++) {
      const int from = (int)scree__block_neighbour(&c->block, f / 2, f % 2);
      const uint64_t room = c->face_max * sizeof(double);
      if (from != c->rank) MPI_Irecv(c->in[f], (int)room, MPI_BYTE, from, f, bench_comm, &all[count++]);
    }
    for (int f = 0; f < SCREE__FACES; f++) {
      const int to = (int)scree__block_neighbour(&c->block, f / 2, f % 2), side = 1 - f % 2;
      double *face = c->out[f];
      const uint64_t cells = scree__block_face(&c->block, f / 2, f % 2, face, false);
      if (to == c->rank)
        scree__block_face(&c->block, f / 2, side, face, true);
      else
        MPI_Isend(face, (int)(cells * sizeof *face), MPI_BYTE, to, f / 2 * 2 + side, bench_comm, &all[count++]);
    }
    bench_wait_all(count, all);
    for (int f = 0; f < SCREE__FACES; f++)
      if ((int)scree__block_neighbour(&c->block, f / 2, f % 2) != c->rank)
        scree__block_face(&c->block, f / 2, f % 2, c->in[f], true);
    scree__block_step(&c->block);
  }
}

/* Checks that the total heat is unchanged, and restores the initial grid. */
static bool check(void *arg, uint64_t n) {
  context *c = arg;
  double heat = 0;
  (void)n;
  for (int again = 0; again < 2; again++) {
    for (uint64_t i = 0; i < c->block.cells[0]; i++)
      for (uint64_t j = 0; j < c->block.cells[1]; j++)
        for (uint64_t k = 0; k < c->block.cells[2]; k++)
          heat += (again ? -1 : 1) * scree__block_row(&c->block, c->block.now, i, j)[k];
    if (!again) scree__block_fill(&c->block, SEED, c->edge);
  }
  const uint64_t mine = (uint64_t)(int64_t)(heat * 0x1p30);
  uint64_t all;
  bench_sum(&mine, &all, 1);
  return (int64_t)all < 1 << 20 && (int64_t)all > -(1 << 20);
}

static bool measure_cube(bench *b, const char *transport, uint64_t edge) {
  uint64_t parts[SCREE__AXES];
  kernel_side k[2] = {{0}};
  context c = {.edge = edge, .rank = b->rank};
  scree__block_divide((uint64_t)b->ranks, edge, parts);
  c.face_max = scree__block_face_max(parts, edge);
  double *faces = calloc(2 * SCREE__FACES * c.face_max, sizeof *faces);
  if (!bench_all(scree__block_open(&c.block, parts, edge, (uint64_t)b->rank) && faces)) return false;
  for (uint32_t f = 0; f < SCREE__FACES; f++) {
    c.out[f] = faces + f * c.face_max;
    c.in[f] = faces + (SCREE__FACES + f) * c.face_max;
  }
  scree__block_fill(&c.block, SEED, edge);
  bench_variant v[] = {
      {.name = "scree, puts", .n = 1},
      {.name = "scree, messages", .n = 1},
      {.name = "MPI", .run = run_mpi, .check = check, .arg = &c, .n = 1, .mpi = true},
  };
  for (int i = 0; i < 2; i++)
    if (!kernel_side_open(&k[i], &v[i], bench_irregular("stencil"), transport,
                          "algorithm=%s edge=%llu steps=%d seed=%d", i ? "messages" : "puts global-direct=off",
                          (unsigned long long)edge, STEPS, SEED))
      return false;
  char name[32];
  snprintf(name, sizeof name, "%s %llu", transport, (unsigned long long)edge);
  const bool good = kernel_side_rows(b, name, v, 3, (double)(edge * edge * edge) * STEPS);
  for (int i = 0; i < 2; i++) kernel_side_close(&k[i]);
  scree__block_close(&c.block);
  free(faces);
  return good;
}

static bool measure(bench *b, const char *transport) {
  static const uint64_t edges[] = {16, 32, 64, 128};
  bool good = true;
  for (size_t e = 0; e < sizeof edges / sizeof *edges && good; e++) good = measure_cube(b, transport, edges[e]);
  return good;
}

bool bench_stencil(bench *b) {
  return kernel_side_table(b, measure);
}
