/* prog_closed.c - messages between ranks, whose program prints and reads all the time where standard descriptors may be
 * closed. It ends with 0 if every message has arrived. */
#include <scree/local.h>
#include <scree/scree.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 20, MESSAGES = 2000 };

SCREE_MESSAGE(number, uint64_t);
static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
SCREE_HANDLER(number, uint64_t, on_number);

static scree_status play(scree_world *world, void *unused) {
  uint64_t sum = 0;
  number_type type;
  char byte;
  (void)unused;
  scree_worker *w = scree_worker_of(world, 0);
  scree_status status = number_register(world, &sum, &type);
  for (int round = 0; round < ROUNDS && !status; round++) {
    status = scree_begin(w);
    for (uint64_t i = 0; i < MESSAGES && !status; i++) number_send(w, type, (uint32_t)(i % w->ranks), i);
    printf("rank %u, round %d: all bytes of this line would be in shared memory\n", w->rank, round);
    fprintf(stderr, "rank %u, round %d\n", w->rank, round);
    fflush(stdout);
    if (read(STDIN_FILENO, &byte, 1) > 0) return SCREE_EINVAL; /* of another file */
    if (!status) status = scree_end(w, NULL);
  }
  const uint64_t each = (uint64_t)MESSAGES * (MESSAGES - 1) / 2 * ROUNDS;
  scree_reduce all = SCREE_REDUCE_INIT;
  all.sum[0] = sum;
  if (!status) status = scree_begin(w);
  if (!status) status = scree_end(w, &all);
  return status ? status : all.sum[0] == each * w->ranks ? SCREE_OK : SCREE_ESTATE;
}

int main(int argc, char **argv) {
  scree_world *world;
  (void)argv;
  if (argc > 1) return scree_local_run(NULL, 2, play, NULL) != SCREE_OK;
  if (scree_open(NULL, &world)) return 1;
  const scree_status status = play(world, NULL), closed = scree_close(world);
  return status || closed;
}
