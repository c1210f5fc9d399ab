/* updates.c - a plain and a routed type of each size of update, with their send loops, and a world in which they are
 * sent. */
#include "message_rate.h"

#include <scree/routed.h>

#define KIND(KIND, BYTES)                                                                                              \
  SCREE_HANDLER(KIND##BYTES, item##BYTES, on_update##BYTES);                                                           \
  static bool make_##KIND##BYTES(scree_world *world, uint32_t flags, update_target *to, uint32_t *id) {                \
    KIND##BYTES##_type t = {0};                                                                                        \
    const bool good = KIND##BYTES##_register_with(world, flags, to, &t) == SCREE_OK;                                   \
    *id = t.id;                                                                                                        \
    return good;                                                                                                       \
  }                                                                                                                    \
  static void send_##KIND##BYTES(scree_worker *w, uint32_t id, const job *given) {                                     \
    const job j = *given; /* a copy that no store can change */                                                        \
    const KIND##BYTES##_type t = {id};                                                                                 \
    uint64_t x = j.seed;                                                                                               \
    for (uint64_t i = 0; i < j.items; i++) {                                                                           \
      const uint64_t draw = bench_draw(&x);                                                                            \
      item##BYTES item = {{[BYTES / 8 - 1] = 1}};                                                                      \
      item.word[0] = job_index(&j, draw);                                                                              \
      KIND##BYTES##_send(w, t, job_dest(&j, draw), item);                                                              \
    }                                                                                                                  \
  }
#define SIZE(BYTES)                                                                                                    \
  typedef struct {                                                                                                     \
    uint64_t word[BYTES / 8];                                                                                          \
  } item##BYTES;                                                                                                       \
  SCREE_MESSAGE(plain##BYTES, item##BYTES);                                                                            \
  SCREE_MESSAGE_ROUTED(routed##BYTES, item##BYTES);                                                                    \
  static void on_update##BYTES(scree_worker *w, const scree_batch *batch, const item##BYTES *items, void *arg) {       \
    update_target *t = (update_target *)arg + w->index;                                                                \
    uint64_t *table = t->table;                                                                                        \
    for (uint32_t i = 0; i < batch->count; i++)                                                                        \
      table[items[i].word[0]] += BYTES == 8 ? 1 : items[i].word[BYTES / 8 - 1];                                        \
    t->seen += batch->count;                                                                                           \
  }                                                                                                                    \
  KIND(plain, BYTES)                                                                                                   \
  KIND(routed, BYTES)
UPDATE_SIZES(SIZE)

#define ROW(BYTES) {BYTES, {make_plain##BYTES, make_routed##BYTES}, {send_plain##BYTES, send_routed##BYTES}},
static const struct {
  int bytes;
  bool (*make[2])(scree_world *world, uint32_t flags, update_target *to, uint32_t *id); /* plain, routed */
  void (*send[2])(scree_worker *w, uint32_t id, const job *job);
} sizes[] = {UPDATE_SIZES(ROW)};

static size_t size_of(int bytes) {
  size_t i = 0;
  while (sizes[i].bytes != bytes) i++;
  return i;
}

job bench_job(const bench *b, int bytes, int scale, int table_log2) {
  const uint64_t items = UINT64_C(1) << (b->scale ? b->scale : scale);
  return (job){.dests = (uint32_t)b->ranks,
               .rank = (uint32_t)b->rank,
               .bytes = bytes,
               .items = bytes > 16 ? items * 16 / (uint64_t)bytes : items,
               .mask = (UINT64_C(1) << table_log2) - 1,
               .seed = 88172645463325252u + (uint64_t)b->rank};
}

bool update_open(update_side *s, const char *transport, const job *j) {
  char options[80];
  if (!s->threads) s->threads = 1;
  snprintf(options, sizeof options, "threads=%u %s", s->threads, s->options ? s->options : "");
  s->job = *j;
  s->job.items /= s->threads;
  if (s->to_workers) s->job.dests *= s->threads;
  s->world = bench_open(transport, options);
  s->tables = j->table ? j->table : bench_alloc((j->mask + 1) * s->threads * sizeof *s->tables, false);
  for (uint32_t i = 0; s->tables && i < s->threads; i++) s->to[i] = (update_target){s->tables + i * (j->mask + 1), 0};
  return bench_all(s->world && s->tables) &&
         sizes[size_of(j->bytes)].make[s->routed](s->world, s->to_workers ? SCREE_TO_WORKER : 0, s->to, &s->type);
}

bool update_close(update_side *s) {
  if (!s->job.table) scree_huge_free(s->tables);
  return !s->world || scree_close(s->world) == SCREE_OK;
}

static void send_all(scree_worker *w, void *arg) {
  const update_side *s = arg;
  job mine = s->job;
  mine.seed += (uint64_t)w->index << 32;
  scree_begin(w);
  sizes[size_of(mine.bytes)].send[s->routed](w, s->type, &mine);
  scree_end(w, NULL);
}

void update_run(void *side, uint64_t n) {
  update_side *s = side;
  (void)n;
  if (s->to_workers)
    scree_run_workers(s->world, s->threads, send_all, s);
  else
    send_all(scree_worker_of(s->world, 0), s);
}

/* As many updates have been handled as were sent. */
bool update_check(void *side, uint64_t n) {
  update_side *s = side;
  uint64_t seen = 0, all = 0;
  (void)n;
  for (uint32_t i = 0; i < s->threads; i++) {
    seen += s->to[i].seen;
    s->to[i].seen = 0;
  }
  bench_sum(&seen, &all, 1);
  return all == s->job.items * s->threads * scree_worker_of(s->world, 0)->ranks && scree_error(s->world) == SCREE_OK;
}
