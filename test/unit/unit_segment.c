/* unit_segment.c - the layout of shared memory: what different ranks write shares no cache line, and nothing overlaps;
 * and objects that cannot be made or attached.
 *
 * The addresses of plans of many shapes are compared. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* ---- objects that cannot be made ---- */

static bool makes(scree__shm_place place) {
  scree__shm_segment s;
  scree__shm_segment_name name;
  scree__shm_segment_plan(&s, 1, 1, 4096, 1);
  const bool made = scree__shm_segment_create(&s, place, &name);
  check((s.fd >= 0) == made && (name.path[0] != 0) == made);
  if (made) scree__shm_segment_unlink(&name);
  if (made) scree__shm_segment_free(&s);
  return made;
}

static void limit_files_to(rlim_t bytes) {
  struct rlimit limit;
  check_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  check_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

HARNESS_TEST(too_large_for_files) {
  for (scree__shm_place place = SCREE__SHM_UNNAMED; place <= SCREE__SHM_OF_JOB; place++) {
    check(makes(place));
    limit_files_to(4096);
    const bool made = makes(place);
    const int error = errno;
    limit_files_to(RLIM_INFINITY);
    check(!made);
    check_equal(error, EFBIG);
  }
}

/* A hundred names of a process are tried, the last of which is free, or none. */
HARNESS_TEST(names_are_in_use) {
  enum { NAMES = 101 };
  char path[NAMES][48];
  for (int i = 0; i < NAMES; i++) {
    snprintf(path[i], sizeof *path, "/dev/shm/scree-%ld-%d", (long)getpid(), i);
    const int fd = i == NAMES - 1 ? -1 : open(path[i], O_RDWR | O_CREAT | O_EXCL, 0600);
    check((fd >= 0) == (i < NAMES - 1));
    if (fd >= 0) close(fd);
  }
  check(!makes(SCREE__SHM_NAMED));
  check(access(path[NAMES - 1], F_OK) != 0);
  check_equal(unlink(path[NAMES - 2]), 0);
  check(makes(SCREE__SHM_NAMED));
  check(access(path[NAMES - 2], F_OK) != 0); /* the name was removed */
  for (int i = 0; i < NAMES - 2; i++) check_equal(unlink(path[i]), 0);
}

/* Another object than the expected one, or none, is not attached. */
HARNESS_TEST(attaches_only_its_own) {
  scree__shm_segment s, other;
  scree__shm_segment_name name;
  scree__shm_segment_plan(&s, 1, 1, 4096, 1);
  scree__shm_segment_plan(&other, 1, 1, 4096, 1);
  if (!check(scree__shm_segment_create(&s, SCREE__SHM_NAMED, &name))) return;
  check(scree__shm_segment_attach(&other, &name));
  scree__shm_segment_free(&other);
  scree__shm_segment_name wrong = name;
  wrong.inode++;
  check(!scree__shm_segment_attach(&other, &wrong));
  wrong = name;
  wrong.device++;
  check(!scree__shm_segment_attach(&other, &wrong));
  other.bytes = SIZE_MAX / 2; /* cannot be mapped */
  check(!scree__shm_segment_attach(&other, &name));
  check_equal(other.fd, -1);
  scree__shm_segment_unlink(&name);
  check(!scree__shm_segment_attach(&other, &name));
  scree__shm_segment_free(&s);
}

HARNESS_MAIN
