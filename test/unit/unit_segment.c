/* unit_segment.c - the layout of shared memory: what different ranks write shares no cache line, and nothing overlaps;
 * objects that cannot be made or attached; and a node whose memory is short.
 *
 * The addresses of plans of many shapes are compared. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "open/resolve.h"
#include "transport/shm/open.h"
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

/* ---- a node whose memory is short ---- */

/* How often memory can still be reserved. */
static int reservations = INT_MAX;
int posix_fallocate(int file, off_t at, off_t bytes) {
  if (reservations <= 0) return ENOSPC;
  reservations--;
  return syscall(SYS_fallocate, file, 0, at, bytes) ? errno : 0;
}

static bool max_of_one(scree__meeting *meeting, const uint64_t *mine, uint64_t *out, size_t words) {
  memcpy(out, mine, words * sizeof *mine);
  return true;
}
static void keep_peers(scree__peers *peers) {}

/* The node of one rank, whose transport closes again if it opens. */
static bool opens(scree__fault *fault) {
  static const scree__meeting_ops meeting_ops = {.max = max_of_one};
  static const scree__peers_ops peers_ops = {.close = keep_peers};
  scree__meeting node = {.ops = &meeting_ops, .ranks = 1, .fault = fault};
  scree__peers peers = {.ops = &peers_ops, .all = &node, .node = &node, .fault = fault, .size = 1};
  const scree__location here = {0};
  scree_options given = SCREE_OPTIONS_INIT;
  scree__options options;
  scree__transport *transport = NULL;
  char why[200];
  given.threads = 1;
  check_equal(scree__options_complete(&options, &given, why, sizeof why), 0);
  check(scree__peers_allocate(&peers, 1, 1));
  scree__peers_locate(&peers, &here, here);
  const bool open = scree__shm_open(&peers, 0, &options, &transport);
  if (open) transport->ops->close(transport);
  scree__peers_free(&peers);
  return open;
}

/* The head of the object, the inbox, and the first blocks: whichever there is no memory for, the reason is kept. */
HARNESS_TEST(no_memory_is_left) {
  for (int n = 0; n <= 3; n++) {
    scree__fault fault = {0};
    reservations = n;
    const bool open = opens(&fault);
    reservations = INT_MAX;
    check(open == (n == 3));
    check_equal(fault.status, open ? SCREE_OK : SCREE_ENOMEM);
    if (!open) check_contains(fault.text, "No space left on device: mount a larger /dev/shm");
  }
}

HARNESS_MAIN
