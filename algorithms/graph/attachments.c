/* attachments.c - data that is kept with a graph under a key.
 *
 * A graph has few attachments, so they are a list. Its head is memory of its own: a graph is constant for those who use
 * it, and what is kept with it is not part of it. */
#include <stdlib.h>

#include "graph/structure.h"

struct scree__attachment {
  const scree_attachment_key *key;
  void *data;
  scree__attachment *next;
};

void *scree_graph_attachment(const scree_graph *g, const scree_attachment_key *key) {
  for (const scree__attachment *a = g ? g->attachments->last : NULL; a; a = a->next)
    if (a->key == key) return a->data;
  return NULL;
}

scree_status scree_graph_attach(const scree_graph *g, const scree_attachment_key *key, void *data) {
  if (!g || !key || !data) return SCREE_EINVAL;
  if (scree_graph_attachment(g, key)) return SCREE_ESTATE;
  scree__attachment *a = malloc(sizeof *a);
  if (!a) return SCREE_ENOMEM;
  *a = (scree__attachment){key, data, g->attachments->last};
  g->attachments->last = a;
  return SCREE_OK;
}

void scree__attachments_free(struct scree__attachments *attachments) {
  for (scree__attachment *a = attachments->last; a; a = attachments->last) {
    attachments->last = a->next;
    if (a->key->destroy) a->key->destroy(a->data);
    free(a);
  }
  free(attachments);
}
