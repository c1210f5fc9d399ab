/* internal.h - what the files of the graph layer share.
 *
 * Room: the context, phases (an epoch with its receiver), agreement, the builder's door for readers. Nothing here is
 * exported. */
#ifndef SCREE__GRAPH_INTERNAL_H
#define SCREE__GRAPH_INTERNAL_H
#include <scree/graph.h>

#include "base/huge.h"
#include "graph/watch.h"

#define SCREE__TEXT_MAX 1024

/* The one fixed-size message. What the fields mean is the phase's affair: an arc (tail, head, weight), or a claim of
 * a validator (vertex, neighbour, distance). */
typedef struct scree__triple {
  uint64_t a, b;
  double w;
} scree__triple;

/* An arc of a graph whose places and weights fit in 32 bits, without and with the weight's bits. `ends` is the index of
 * the tail on its owner, and in its upper half the packed place of the head: as two fields they would be stored in
 * halves and loaded whole to be sent, which a processor cannot forward (three times the time of a send). */
typedef struct scree__link {
  uint64_t ends;
} scree__link;
typedef struct __attribute__((packed, aligned(4))) scree__arc {
  uint64_t ends;
  uint32_t weight;
} scree__arc;

static inline uint64_t scree__ends(uint64_t tail, uint64_t head) {
  return head << 32 | tail;
}
static inline uint32_t scree__ends_tail(uint64_t ends) {
  return (uint32_t)ends;
}
static inline uint32_t scree__ends_head(uint64_t ends) {
  return (uint32_t)(ends >> 32);
}

SCREE_MESSAGE(graph_triple, scree__triple);
SCREE_MESSAGE(graph_link, scree__link);
SCREE_MESSAGE(graph_arc, scree__arc);
SCREE_VARIABLE(graph_bytes);

/* Receivers of a phase; run as handlers. */
typedef void scree__take_triples(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg);
typedef void scree__take_bytes(scree_graphs *graphs, const void *data, size_t bytes, void *arg);

struct scree_graphs {
  scree_world *world;
  scree_worker *worker;
  graph_triple_type triple;
  graph_bytes_type bytes;
  graph_link_type link; /* of builders alone */
  graph_arc_type arc;
  scree__take_triples *take_triples; /* of the phase that is open, or NULL */
  scree__take_bytes *take_bytes;
  void *arg;
  scree_exchange_fn *exchange; /* of scree_graphs_exchange_begin, and its argument */
  void *exchange_arg;
  scree_graph_builder *builder; /* that is open, or NULL */
  scree__watch watch;           /* see scree_graphs_on_load */
  uint64_t memory_left;         /* of tests: in place of scree__memory_left; 0: none */
  char why[SCREE__TEXT_MAX];    /* this rank's reason, until ranks agree */
  char text[SCREE__TEXT_MAX];   /* the agreed one */
};

/* Begins an epoch whose messages go to these receivers; ends it. After a failure the text is set. */
scree_status scree__phase_begin(scree_graphs *graphs, scree__take_triples *triples, scree__take_bytes *bytes,
                                void *arg);
scree_status scree__phase_end(scree_graphs *graphs, scree_reduce *inout);

/* Writes graphs->why and returns `status`. Local. */
scree_status scree__why(scree_graphs *graphs, scree_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "out of memory", with the bytes that were asked for. */
scree_status scree__no_memory(scree_graphs *graphs, size_t bytes);

/* Finds the least key over the ranks and hands the text of the rank that brought it (its `why`) to all, in
 * graphs->text. UINT64_MAX: this rank brings none; *least is that if none does. Equal keys must not be brought by two
 * ranks. Collective. */
scree_status scree__elect(scree_graphs *graphs, uint64_t key, const char *why, uint64_t *min);

/* The same for a validator: the failure of the least key over the ranks becomes the verdict on all, but for rule and
 * label, which *least tells. Collective. */
scree_status scree__elect_verdict(scree_graphs *graphs, uint64_t key, const char *why, uint64_t *min,
                                  scree_verdict *verdict);

/* Agrees on the worst status, and on the text of the rank with the least key among those that bring it. 2^60 keys. */
scree_status scree__agree_key(scree_graphs *graphs, scree_status status, uint64_t key);
/* The same; the key is the rank. */
scree_status scree__agree(scree_graphs *graphs, scree_status status);

/* Zeroed memory for an array by vertex or by arc, as the option huge_pages says; freed by scree_huge_free. */
static inline void *scree__graph_array(const scree_graphs *graphs, size_t bytes) {
  return scree_graphs_alloc(graphs, bytes);
}

/* Bytes of a weight. */
static inline size_t scree__weight_bytes(scree_weight_kind kind) {
  static const size_t bytes[] = {0, sizeof(uint32_t), sizeof(float), sizeof(double)};
  return bytes[kind];
}

/* A graph with nothing in it; NULL: no memory. Freed by scree_graph_free. Local. */
scree_graph *scree__graph_new(scree_graphs *graphs);
/* What is kept with a graph under keys, the last one first. */
typedef struct scree__attachment scree__attachment;
struct scree__attachments {
  scree__attachment *last;
};
void scree__attachments_free(struct scree__attachments *attachments);

/* A growing array of 8-byte words. */
typedef struct scree__words {
  uint64_t *at;
  size_t count, room;
} scree__words;
/* Appends; false when out of memory (the array is as before). */
bool scree__words_add(scree__words *words, const uint64_t *from, size_t count);
/* Sorts ascending and drops doubles; false when out of memory. */
bool scree__words_unique(scree__words *words);

/* What a rank of an open builder receives; called by the handlers. */
void scree__builder_links(scree_graphs *graphs, const scree__link *items, uint32_t count);
void scree__builder_arcs(scree_graphs *graphs, const scree__arc *items, uint32_t count);

/* Readers: weights are doubles until finish, which stores uint32 if no rank has called scree__builder_decimals. */
void scree__builder_narrow(scree_graph_builder *builder);
void scree__builder_decimals(scree_graph_builder *builder);
/* Each arc of an undirected graph is added by itself; the caller knows how many edges there are. */
void scree__builder_one_way(scree_graph_builder *builder);

/* The part of 0 .. total-1 that a rank takes. */
static inline void scree__share(uint64_t total, uint32_t rank, uint32_t ranks, uint64_t *from, uint64_t *to) {
  uint64_t each = total / ranks, rest = total % ranks;
  *from = rank * each + (rank < rest ? rank : rest);
  *to = *from + each + (rank < rest);
}

#endif
