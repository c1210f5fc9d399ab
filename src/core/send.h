/* send.h - the slow path of a send, and where closed blocks go. Each function is described where it is defined. */
#ifndef SCREE__SEND_H
#define SCREE__SEND_H
#include "core/world.h"

/* send.c */
/* `bytes` of a record, from byte `from` on. */
void scree__copy_parts(char *to, const scree__parts *record, size_t from, size_t bytes);
bool scree__takes_part(scree__worker *me, uint32_t type, uint32_t dest);
bool scree__overflowing(const scree__worker *me);
bool scree__wait_for_room(scree__worker *me);

/* publish.c: from a closed block to the transport */
void scree__publish(scree__worker *me, scree__block *block);
bool scree__publish_waiting(scree__worker *me);
void scree__drop_waiting(scree__worker *me);
scree__block *scree__block_take(scree__worker *me, uint32_t hop_class, uint32_t dest, size_t want);
scree__block *scree__overflow_take(scree__worker *me, uint32_t dest);
void scree__block_put(scree__worker *me, scree__block *block);
void scree__spares_free(scree__worker *me);

/* fragment.c: records larger than a block */
bool scree__send_fragments(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait);
void scree__take_fragment(scree__worker *me, scree__block *block);
void scree__drop_reassemblies(scree__arrivals *arrivals);

static inline scree__own_blocks *scree__self_of(scree__worker *me, uint32_t hop_class) {
  return &me->out.self[scree__is_urgent(me, hop_class)];
}
static inline uint64_t scree__self_length(const scree__worker *me, uint32_t hop_class) {
  return me->out.self[scree__is_urgent(me, hop_class)].length;
}
/* Index of the queue of blocks to that endpoint. */
static inline uint32_t scree__queue_of(const scree__worker *me, uint32_t hop_class, uint32_t dest) {
  return hop_class * me->transport->topology->endpoints + dest;
}
#endif
