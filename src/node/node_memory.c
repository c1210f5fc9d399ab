/* node_memory.c - opening memory of a node: the ranks agree on sizes and sums, each node's leader makes a segment
 * without a name where possible (decision 13), and the others map it. */
#include "node/node_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include "base/host.h"
#include "core/fail.h"
#include "core/progress.h"

/* What a rank sends: its sizes, and its mapping, the name of a leader's segment. */
typedef struct {
  uint64_t bytes, need, left, ok, share; /* need: of the ranks that share its memory */
} sums;
typedef struct {
  uint64_t error; /* 0: mapped */
  scree__shm_segment_name name;
} mapping;
/* Gathered into memory that each world already has. */
_Static_assert(sizeof(sums) <= sizeof(scree__registration) && sizeof(mapping) <= sizeof(scree__registration),
               "they fit");

typedef struct {
  scree_world *world;
  const char *call;
  bool divided;
  mapping mine, *all;
} opening;

static uint32_t ranks_here(const scree__topology *t) {
  return t->node_size / t->threads;
}

/* ---- what is left ---- */

static uint64_t left_for(const scree__topology *t, bool share) {
  const uint64_t memory = scree__memory_left("");
  struct statvfs fs;
  if (!share || ranks_here(t) == 1 || statvfs("/dev/shm", &fs) != 0) return memory;
  const uint64_t shared = (uint64_t)fs.f_bavail * fs.f_frsize;
  return fs.f_blocks == 0 || shared > memory ? memory : shared; /* no blocks: without a limit */
}

static const char *each(const opening *o) {
  return o->divided ? "node" : "rank";
}

/* The same verdict on all ranks, from what all have gathered. */
static scree_status compare(const opening *o, const sums *all) {
  scree__worker *me = o->world->worker[0];
  for (uint32_t r = 0; r < o->world->ranks; r++) {
    if (all[r].bytes != all[0].bytes)
      return scree__misuse(me, SCREE_EINVAL, o->call,
                           "rank 0 has %llu bytes for each %s, rank %u has %llu: pass the same on all ranks",
                           (unsigned long long)all[0].bytes, each(o), r, (unsigned long long)all[r].bytes);
    if (!all[r].ok)
      return scree__misuse(me, SCREE_ENOMEM, o->call, "rank %u has no memory for tables: free memory on its host", r);
    if (all[r].need > all[r].left)
      return scree__misuse(
          me, SCREE_ENOMEM, o->call,
          "%llu bytes for each %s are %llu for the ranks that share memory with rank %u, where %llu are left: lower "
          "the size, mount a larger /dev/shm, or start fewer ranks on a host",
          (unsigned long long)all[r].bytes, each(o), (unsigned long long)all[r].need, r,
          (unsigned long long)all[r].left);
  }
  return SCREE_OK;
}

static scree_status agree_on_sums(const opening *o, const scree__topology *t, uint64_t bytes, bool ok,
                                  scree__node_memory *m) {
  const uint64_t areas = o->divided && m->shared ? t->local_ranks / ranks_here(t) : t->local_ranks;
  const sums mine = {bytes, bytes * areas, left_for(t, m->shared), ok, m->shared};
  sums *all = (void *)o->world->all_registrations;
  const scree_status status = scree__gather(o->world, o->call, &mine, all, sizeof mine);
  for (uint32_t r = 0; r < o->world->ranks && !status; r++) m->shared = m->shared || all[r].share;
  return status ? status : compare(o, all);
}

/* ---- mapping ---- */

static uint64_t round_up(uint64_t n) {
  return (n + 4095) / 4096 * 4096;
}

static void plan(scree__node_memory *m, const scree__topology *t, uint64_t bytes, bool divided) {
  const uint32_t ranks = m->shared ? ranks_here(t) : 1;
  const size_t head = round_up(ranks * sizeof(scree__node_reserved));
  if (divided) bytes = round_up((bytes + ranks - 1) / ranks);
  m->bytes = bytes;
  m->index = m->shared ? t->node_index / t->threads : 0;
  m->segment =
      (scree__shm_segment){.fd = -1, .areas = ranks, .areas_at = head, .area_bytes = bytes, .arena_bytes = bytes};
  m->segment.bytes = head + ranks * bytes;
}

static scree_status gather(opening *o) {
  return scree__gather(o->world, o->call, &o->mine, o->all, sizeof o->mine);
}

static uint64_t error_unless(bool ok) {
  return ok ? 0 : errno ? (uint64_t)errno : ENOMEM;
}

/* The leader makes a segment before the names are gathered, the others map it afterwards. */
static scree_status map_at(opening *o, scree__node_memory *m, const scree__topology *t, scree__shm_place place) {
  const bool leader = m->index == 0;
  o->mine = (mapping){.error = 0};
  if (leader)
    o->mine.error = error_unless(scree__shm_segment_create(&m->segment, place, &o->mine.name) &&
                                 scree__shm_segment_reserve_head(&m->segment));
  scree_status status = gather(o);
  if (status) return status;
  const mapping of = o->all[t->leaders[t->node] / t->threads];
  if (!leader) o->mine.error = of.error ? of.error : error_unless(scree__shm_segment_attach(&m->segment, &of.name));
  status = gather(o);
  if (leader) scree__shm_segment_unlink(&o->mine.name);
  return status;
}

static bool all_mapped(const opening *o, uint32_t *bad) {
  for (*bad = 0; *bad < o->world->ranks; ++*bad)
    if (o->all[*bad].error) return false;
  return true;
}

static scree_status refuse(const opening *o, const scree__node_memory *m, uint32_t bad) {
  const int error = (int)o->all[bad].error;
  return scree__misuse(o->world->worker[0], SCREE_ENOMEM, o->call,
                       "rank %u cannot map %llu bytes: %s: lower the size, or %s", bad,
                       (unsigned long long)m->segment.bytes, strerror(error),
                       error == EFBIG ? "raise the limit of file sizes (ulimit -f)" : "mount a larger /dev/shm");
}

/* All nodes map in the same way, so that all ranks make the same calls. */
static scree_status map_together(opening *o, scree__node_memory *m, const scree__topology *t) {
  uint32_t bad = 0;
  for (scree__shm_place place = SCREE__SHM_UNNAMED; place <= SCREE__SHM_NAMED; place++) {
    const scree_status status = map_at(o, m, t, place);
    if (status || all_mapped(o, &bad)) return status;
    if (m->segment.map) scree__shm_segment_free(&m->segment);
  }
  return refuse(o, m, bad);
}

static scree_status map(opening *o, scree__node_memory *m, const scree__topology *t) {
  uint32_t bad;
  if (m->shared) return map_together(o, m, t);
  o->mine = (mapping){.error = error_unless(scree__shm_segment_plain(&m->segment))};
  const scree_status status = gather(o);
  return status || all_mapped(o, &bad) ? status : refuse(o, m, bad);
}

/* If the system has none available, this is not an error. */
static void find_areas(scree__node_memory *m, const scree__topology *t, uint32_t me) {
  for (uint32_t i = 0; i < m->segment.areas; i++) {
    const uint32_t rank = m->shared ? t->node_endpoints[i * t->threads] / t->threads : me;
    m->area[rank] = scree__shm_segment_arena(&m->segment, i);
    m->reserved[rank] = (scree__node_reserved *)(void *)m->segment.map + i;
  }
  madvise(m->segment.map + m->segment.areas_at, m->segment.bytes - m->segment.areas_at, MADV_HUGEPAGE);
}

scree_status scree__node_memory_open(scree_world *world, const char *call, uint64_t bytes, bool divided, bool share,
                                     scree__node_memory *m) {
  const scree__topology *t = world->worker[0]->transport->topology;
  opening o = {.world = world, .call = call, .divided = divided, .all = (void *)world->all_registrations};
  *m = (scree__node_memory){.shared = share && t->nodes < world->ranks};
  m->area = calloc(world->ranks, sizeof *m->area);
  m->reserved = calloc(world->ranks, sizeof *m->reserved);
  scree_status status = agree_on_sums(&o, t, bytes, m->area && m->reserved, m);
  if (!status) {
    plan(m, t, bytes, divided);
    status = map(&o, m, t);
  }
  if (status) {
    scree__node_memory_close(m);
    return status;
  }
  find_areas(m, t, world->rank);
  m->open = true;
  return SCREE_OK;
}

void scree__node_memory_close(scree__node_memory *m) {
  if (m->segment.map) scree__shm_segment_free(&m->segment);
  free(m->area);
  free(m->reserved);
  *m = (scree__node_memory){.open = false};
}

/* ---- reserving ---- */

bool scree__node_memory_reserve(scree__node_memory *m, uint64_t low, uint64_t high) {
  scree__node_reserved *mine = (scree__node_reserved *)(void *)m->segment.map + m->index;
  const uint64_t had_low = AO_load(&mine->low), had_high = AO_load(&mine->high);
  const uint64_t more_low = low > had_low ? low - had_low : 0, more_high = high > had_high ? high - had_high : 0;
  if (m->segment.fd < 0 && more_low + more_high > scree__memory_left("")) return false;
  if (more_low && !scree__shm_segment_reserve(&m->segment, m->index, had_low, more_low)) return false;
  if (more_high && !scree__shm_segment_reserve(&m->segment, m->index, m->bytes - high, more_high)) return false;
  if (more_low) AO_store(&mine->low, low);
  if (more_high) AO_store(&mine->high, high);
  return true;
}
