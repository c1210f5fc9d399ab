#include "setting.h"

#include "base/options.h"
#include "capture.h"
#include "harness.h"
#include "interpose.h"
#include "ranks.h"

static scree_status open_world(const setting *s, scree_world **world, char **said) {
  scree__options options = SCREE__OPTIONS_INIT;
#define SETTING_SET(option)                                                                                            \
  if (s->option) options.option = s->option;
  SETTING_OPTIONS(SETTING_SET)
  *world = NULL;
  if (ranks_are_local && (s->transport == SCREE_TRANSPORT_MPI || s->nodes || s->progress == SCREE_PROGRESS_COMM))
    harness_skip(HARNESS_NO_MPI);
  virtual_nodes = s->nodes ? s->nodes : 1;
  if (said) capture_start();
  scree_status status = s->comm ? scree_open_mpi(*s->comm, &options.user, world) : scree_open(&options.user, world);
  if (said) *said = capture_end();
  virtual_nodes = 1;
  return status;
}

scree_world *setting_open(const setting *s) {
  scree_world *world;
  check_equal(open_world(s, &world, NULL), SCREE_OK);
  return world;
}

char *setting_said(const setting *s, scree_world **world, scree_status *status) {
  char *said;
  *status = open_world(s, world, &said);
  return said;
}

static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  tally *t = arg;
  for (uint32_t i = 0; i < batch->count; i++) t->sum += items[i];
  t->count += batch->count;
}
SCREE_HANDLER(number, uint64_t, on_number);

bool tally_in(tally *t, scree_world *world) {
  *t = (tally){.world = world};
  if (!world) return false;
  t->w = scree_worker_of(world, 0);
  return check_equal(number_register_with(world, SCREE_SERIAL, t, &t->number), SCREE_OK);
}
