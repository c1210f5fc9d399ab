/* unit_segment.c - the layout of shared memory: what different ranks write shares no cache line, and nothing overlaps.
 *
 * The addresses of plans of many shapes are compared. */
#include "harness.h"
#include "transport/shm/segment.h"

typedef struct {
  const char *name;
  size_t from, to; /* offsets in the map */
} region;

static size_t offset(const scree__shm_segment *s, const void *at) {
  return (size_t)((const char *)at - s->map);
}

static void check_behind(const region *last, const region *next) {
  check_text(next->from / SCREE__LINE * SCREE__LINE == next->from, "%s starts within a cache line", next->name);
  check_text(last->to <= next->from, "%s ends at %zu, %s starts at %zu", last->name, last->to, next->name, next->from);
}

static void check_plan(uint32_t ranks, uint32_t pages, uint64_t memory, uint64_t in_flight) {
  scree__shm_segment s;
  scree__shm_segment_plan(&s, ranks, pages, memory, in_flight);
  s.map = (char *)(uintptr_t)(1 << 20); /* addresses only: as mmap gives them, on a page */
  region last = {"page", 0, pages * sizeof(scree__node_page)};
  check_equal(offset(&s, scree__shm_segment_page(&s, pages)), last.to);
  region next = {"slots", offset(&s, scree__shm_segment_slots(&s)), offset(&s, scree__shm_segment_slots(&s) + ranks)};
  check_behind(&last, &next);
  check(s.inbox_capacity >= ranks * in_flight && (s.inbox_capacity & (s.inbox_capacity - 1)) == 0);
  for (uint32_t i = 0; i < ranks; i++) {
    last = next;
    const scree__inbox *inbox = scree__shm_segment_inbox(&s, i);
    next = (region){"inbox", offset(&s, inbox), offset(&s, &inbox->cell[s.inbox_capacity])};
    check_behind(&last, &next);
    last = next;
    size_t arena = offset(&s, scree__shm_segment_arena(&s, i));
    next = (region){"arena", arena, arena + s.arena_bytes};
    check_behind(&last, &next);
    check(s.arena_bytes >= memory && arena > 0);
  }
  check(next.to <= s.bytes);
}

HARNESS_TEST(regions_are_apart) {
  for (uint32_t ranks = 1; ranks <= 64; ranks++)
    for (uint32_t pages = 1; pages <= ranks; pages += 1 + ranks / 3)
      for (uint64_t in_flight = 1; in_flight <= 64; in_flight *= 3)
        check_plan(ranks, pages, 4096 + 1234 * in_flight * ranks, in_flight);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(regions_are_apart),
};
HARNESS_MAIN(tests)
