/* updates.c - a type of each size and kind, with its send loop. An item starts with the index and ends with the value to add;
 * one of 8 bytes is the index. */
#include "message_rate.h"

#define KIND(KIND, BYTES, ...)                                                                                         \
  SCREE_HANDLER(KIND##BYTES, item##BYTES, on_update##BYTES);                                                           \
  static bool make_##KIND##BYTES(scree_world *world, update_target *to, uint32_t *id) {                                \
    KIND##BYTES##_type t = {0};                                                                                        \
    const bool good = KIND##BYTES##_register(world, to, &t) == SCREE_OK;                                               \
    *id = t.id;                                                                                                        \
    return good;                                                                                                       \
  }                                                                                                                    \
  static void send_##KIND##BYTES(scree_worker *w, uint32_t id, const job *given) {                                     \
    const job j = *given; /* a copy that no store can change */                                                        \
    const KIND##BYTES##_type t = {id};                                                                                 \
    uint64_t x = j.seed;                                                                                               \
    for (uint64_t i = 0; i < j.items; i++) {                                                                           \
      const uint64_t draw = bench_draw(&x), index = job_index(&j, draw);                                               \
      KIND##BYTES##_send(w, t, job_dest(&j, draw), (item##BYTES){__VA_ARGS__});                                        \
    }                                                                                                                  \
  }
#define SIZE(BYTES, CHANGE, ...)                                                                                       \
  typedef struct {                                                                                                     \
    uint64_t word[BYTES / 8];                                                                                          \
  } item##BYTES;                                                                                                       \
  SCREE_MESSAGE(plain##BYTES, item##BYTES);                                                                            \
  SCREE_MESSAGE_ROUTED(routed##BYTES, item##BYTES);                                                                    \
  static void on_update##BYTES(scree_worker *w, const scree_batch *batch, const item##BYTES *items, void *arg) {       \
    update_target *t = arg;                                                                                            \
    uint64_t *table = t->table;                                                                                        \
    for (uint32_t i = 0; i < batch->count; i++) table[items[i].word[0]] CHANGE;                                        \
    t->seen += batch->count;                                                                                           \
    (void)w;                                                                                                           \
  }                                                                                                                    \
  KIND(plain, BYTES, __VA_ARGS__)                                                                                      \
  KIND(routed, BYTES, __VA_ARGS__)
#define LAST(BYTES)                                                                                                    \
  { index, [BYTES / 8 - 1] = 1 }
SIZE(8, ++, {index})
SIZE(16, += items[i].word[1], LAST(16))
SIZE(32, += items[i].word[3], LAST(32))
SIZE(64, += items[i].word[7], LAST(64))
SIZE(256, += items[i].word[31], LAST(256))

#define ROW(BYTES)                                                                                                     \
  {                                                                                                                    \
    BYTES, {make_plain##BYTES, make_routed##BYTES}, {                                                                  \
      send_plain##BYTES, send_routed##BYTES                                                                            \
    }                                                                                                                  \
  }
const struct update_size update_sizes[UPDATE_SIZES] = {ROW(8), ROW(16), ROW(32), ROW(64), ROW(256)};
