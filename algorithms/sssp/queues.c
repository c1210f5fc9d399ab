/* queues.c - the queues that Distributed Control can have.
 *
 * Room: their table, choice by name. */
#include <scree/sssp.h>
#include <string.h>

#include "sssp/variants.h"

static const scree__queue_kind *const kinds[] = {&scree__queue_buckets, &scree__queue_dary, &scree__queue_binary};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const scree_algorithm *scree_sssp_queue_at(size_t i) {
  return i < KINDS ? &kinds[i]->about : NULL;
}

scree_status scree__queue_find(const scree__run *run, const char *name, const scree__queue_kind **kind) {
  char known[128] = "";
  for (size_t i = 0; i < KINDS; i++) {
    if (!name || !strcmp(name, kinds[i]->about.name)) return *kind = kinds[i], SCREE_OK;
    if (i) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, kinds[i]->about.name, sizeof known - strlen(known) - 1);
  }
  return scree_graphs_agree(run->graph->graphs, SCREE_EINVAL, "queue '%s' is unknown; known are: %s", name, known);
}
