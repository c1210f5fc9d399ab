/* alone.c - ranks of this machine that the program starts itself, without a launcher or MPI. */
#include <scree/local.h>

SCREE_MESSAGE(visit, uint32_t);
static void on_visit(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *sum) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
SCREE_HANDLER(visit, uint32_t, on_visit);

static scree_status add_up(scree_world *world, void *last) {
  scree_worker *w = scree_worker_of(world, 0);
  visit_type visit;
  uint64_t sum = 0;
  scree_status status = visit_register(world, &sum, &visit);
  if (!status) status = scree_begin(w);
  for (uint32_t i = 1; !status && i <= *(uint32_t *)last; i++) visit_send(w, visit, i % w->ranks, i);
  if (!status) status = scree_end(w, NULL);
  if (!status && w->rank == 0) printf("rank 0 of %u was sent %d in all\n", w->ranks, (int)sum);
  return status;
}

int main(void) {
  uint32_t last = 100;
  return scree_local_run(NULL, 2, add_up, &last) != SCREE_OK;
}
