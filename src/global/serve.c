/* serve.c - what the owner of bytes does with requests: it checks that they are allocated, accesses them, and answers.
 * Requests of a batch that name far-apart bytes wait for memory together: those of later ones are prefetched. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "global/operation.h"
#include "task/message.h"

/* ---- messages of a head and data ---- */

/* Memory for SCREE__GLOBAL_CHUNK bytes; NULL: none, the world fails. Outside handlers a send may run handlers, which
 * send too: each has its own. */
char *scree__global_scratch(scree__globals *own) {
  char **scratch = &own->scratch[own->me->in.handler != 0];
  if (!*scratch) *scratch = malloc(SCREE__GLOBAL_CHUNK);
  if (!*scratch)
    scree__fail(own->me, SCREE_ENOMEM, "global memory", "no memory for a message: free memory on this host");
  return *scratch;
}

void scree__global_send(scree__globals *own, const uint32_t *types, uint32_t to, const void *head, uint32_t head_bytes,
                        const void *data, uint64_t bytes) {
  char item[sizeof(scree__global_request) + 64];
  const uint32_t i = scree__size_class(bytes);
  if (i == SCREE__GLOBAL_SIZES - 1) {
    const scree__parts record = {head, data, head_bytes, bytes};
    scree__var_parts(own->me, types[i], to, &record, true);
    return;
  }
  memcpy(item, head, head_bytes);
  if (bytes) memcpy(item + head_bytes, data, bytes);
  memset(item + head_bytes + bytes, 0, scree__global_data[i] - bytes);
  scree__send(own->me, types[i], to, item, head_bytes + scree__global_data[i]);
}

/* ---- requests ---- */

void scree__global_outside(scree__globals *own, const scree_batch *batch, uint64_t offset, uint64_t bytes) {
  scree__fail(
      own->me, SCREE_EINVAL, "global memory",
      "rank %u accesses %llu bytes at byte %llu of this rank's part, which has no memory there: use addresses of "
      "allocations that live",
      batch->source, (unsigned long long)bytes, (unsigned long long)offset);
}

char *scree__global_missing(scree__globals *own, const scree_batch *batch, uint64_t offset, uint64_t bytes) {
  char *outside = offset >= own->of->memory.bytes ? scree__window_at(own, offset, bytes, false) : NULL;
  if (!outside) scree__global_outside(own, batch, offset, bytes);
  return outside;
}

void scree__global_answer(scree__globals *own, uint32_t to, uint64_t head, const void *data, uint64_t bytes) {
  own->answers |= 1U << scree__size_class(bytes);
  scree__global_send(own, own->of->reply, to, &head, sizeof head, data, bytes);
}

void scree__global_answers_leave(scree__globals *own, const scree_batch *batch) {
  for (; own->answers && !own->me->failed; own->answers &= own->answers - 1)
    scree_flush_lane(&own->me->head, own->of->reply[__builtin_ctz(own->answers)], scree__sender(own->me, batch));
}

static void serve(scree__globals *own, const scree_batch *batch, const scree__global_request *r, const char *data) {
  const scree__global_kind kind = (scree__global_kind)(r->head >> SCREE__KIND_SHIFT & 15);
  const uint64_t offset = r->place & (SCREE_GLOBAL_HEAP_MAX - 1), bytes = r->place >> SCREE__OFFSET_BITS;
  const uint32_t to = scree__sender(own->me, batch);
  char *p = scree__global_find(own, batch, offset, bytes);
  if (!p) return;
  if (offset >= own->of->map.heap && kind != SCREE__GLOBAL_GET && !scree__window_at(own, offset, bytes, true)) {
    scree__fail(own->me, SCREE_EINVAL, "global memory", "rank %u writes %llu bytes at byte %llu: %s", batch->source,
                (unsigned long long)bytes, (unsigned long long)offset, SCREE__READ_ONLY);
    return;
  }
  uint64_t word[2] = {0, 0};
  switch (kind) {
  case SCREE__GLOBAL_GET:
    if (bytes <= sizeof *word) scree__load(word, p, bytes);
    scree__global_answer(own, to, r->head, bytes <= sizeof *word ? (const char *)word : p, bytes);
    return;
  case SCREE__GLOBAL_PUT:
    scree__store(p, data, bytes);
    scree__global_answer(own, to, r->head, NULL, 0);
    return;
  case SCREE__GLOBAL_FILL:
    memcpy(word, data, sizeof *word);
    scree__fill(p, bytes, word[0]);
    scree__global_answer(own, to, r->head, NULL, 0);
    return;
  default:
    memcpy(word, data, kind == SCREE__GLOBAL_COMPARE ? sizeof word : sizeof *word);
    word[0] = scree__atomic(p, kind, bytes, word[0], word[1]);
    scree__global_answer(own, to, r->head, word, r->head >> SCREE__WANT_SHIFT & 1 ? sizeof *word : 0);
  }
}

void scree__global_prefetch(const scree__globals *own, const char *place) {
  uint64_t at;
  memcpy(&at, place, sizeof at);
  scree_prefetch_write(own->of->memory.area[own->me->head.rank] + (at & (SCREE_GLOBAL_HEAP_MAX - 1)));
}

/* Gets of words, of which a batch is answered in one loop; others are served by themselves. Bounds only move outwards
 * in an epoch. */
static void serve_gets(scree__globals *own, const scree_batch *batch, const scree__global_request *r) {
  const scree__node_reserved *mine = own->of->memory.reserved[own->me->head.rank];
  const uint64_t word = sizeof(uint64_t), within = SCREE_GLOBAL_HEAP_MAX - 1, bytes = own->of->memory.bytes;
  const uint64_t low = AO_load(&mine->low), high = bytes - AO_load(&mine->high);
  const uint32_t to = scree__sender(own->me, batch), type = own->of->reply[1];
  const char *part = own->of->memory.area[own->me->head.rank];
  own->answers = 1 << 1;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    const uint64_t at = r[i].place & within;
    __builtin_prefetch(part + (r[scree_batch_ahead(batch, i, SCREE__AHEAD)].place & within));
    if (r[i].place >> SCREE__OFFSET_BITS == word && at % word == 0 && (at < low || (at >= high && at < bytes))) {
      const uint64_t reply[2] = {r[i].head, AO_load((const volatile AO_t *)(const void *)(part + at))};
      scree__send(own->me, type, to, reply, sizeof reply);
    } else {
      serve(own, batch, &r[i], (const char *)&r[i + 1]);
    }
  }
}

void scree__on_global_request(scree_worker *worker, const scree_batch *batch, const void *items, void *data_bytes) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  const size_t data = *(const uint32_t *)data_bytes, bytes = sizeof(scree__global_request) + data;
  if (!data) serve_gets(own, batch, items);
  for (uint32_t i = 0; data && i < batch->count && !own->me->failed; i++) {
    const char *item = (const char *)items + i * bytes;
    scree__global_request r;
    scree__global_prefetch(own, (const char *)items + scree_batch_ahead(batch, i, SCREE__AHEAD) * bytes +
                                    offsetof(scree__global_request, place));
    memcpy(&r, item, sizeof r);
    serve(own, batch, &r, item + sizeof r);
  }
  scree__global_answers_leave(own, batch);
}

void scree__on_global_record(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  scree__globals *own = scree__globals_of(scree__worker_of(worker));
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !own->me->failed; i++) {
    size_t bytes;
    scree__global_request r;
    const char *item = scree_record_next(&items, &bytes);
    memcpy(&r, item, sizeof r);
    serve(own, batch, &r, item + sizeof r);
  }
  scree__global_answers_leave(own, batch);
}
