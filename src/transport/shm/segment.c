/* segment.c - layout and mapping of shared memory. Memory is reserved before first use: an overrun of a small
 * /dev/shm is an error here, and would be a SIGBUS later. */
#include "transport/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <scree/scree.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host.h"
#include "base/huge.h"
#include "io/descriptor.h"

enum { PAGE = 4096, CHUNK = 1 << 18 };
_Static_assert(PAGE % _Alignof(scree__inbox) == 0 && PAGE % _Alignof(scree__node_slot) == 0,
               "areas and arenas, which start on a page, share no cache line with others");

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

void scree__shm_segment_plan(scree__shm_segment *s, uint32_t areas, uint32_t pages, uint64_t memory,
                             uint64_t in_flight) {
  size_t min = 2 * (SCREE_ITEM_MAX + sizeof(scree__block)), cells = 2;
  while (cells < (size_t)areas * in_flight) cells *= 2;
  *s = (scree__shm_segment){.fd = -1, .areas = areas, .pages = pages, .inbox_capacity = cells};
  s->slots_at = pages * sizeof(scree__node_page); /* whole cache lines: see node.h */
  s->areas_at = round_up(s->slots_at + areas * sizeof(scree__node_slot), PAGE);
  s->arena_at = round_up(sizeof(scree__inbox) + cells * sizeof(AO_t), PAGE);
  s->arena_bytes = round_up(memory < min ? min : (size_t)memory, PAGE);
  s->area_bytes = s->arena_at + s->arena_bytes;
  s->bytes = s->areas_at + areas * s->area_bytes;
}

static bool map(scree__shm_segment *s) {
  void *at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
  if (at == MAP_FAILED) return false;
  s->map = at;
  return true;
}

/* Arenas are not zeroed: the endpoint that takes a block from one writes its header. */
bool scree__shm_segment_plain(scree__shm_segment *s) {
  s->map = scree__huge_alloc(s->bytes, false, true);
  if (!s->map) return false;
  memset(s->map, 0, s->areas_at);
  for (uint32_t i = 0; i < s->areas; i++) memset(scree__shm_segment_inbox(s, i), 0, s->arena_at);
  return true;
}

static bool fail(scree__shm_segment *s) {
  int error = errno; /* the caller reports it */
  if (s->fd >= 0) close(s->fd);
  errno = error;
  s->fd = -1;
  return false;
}

/* Growing a file beyond this limit would not fail but kill the process, by SIGXFSZ. */
static bool may_grow_to(size_t bytes) {
  struct rlimit limit;
  errno = EFBIG;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

#define DIRECTORY "/dev/shm"

static bool name_own(const scree__shm_segment *s, char *path, size_t size) {
  snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), s->fd);
  return s->fd >= 0;
}

static bool open_unnamed(scree__shm_segment *s, char *path, size_t size) {
  s->fd = scree__keep_descriptor(open(DIRECTORY, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  return name_own(s, path, size);
}

/* Only memory itself bounds it: the kernel would end a process when it is short. */
static bool open_of_job(scree__shm_segment *s, char *path, size_t size) {
  const bool left = s->bytes <= scree__memory_left("");
  errno = ENOMEM;
  if (!left) return false;
  s->fd = scree__keep_descriptor(memfd_create("scree", MFD_CLOEXEC));
  return name_own(s, path, size);
}

static bool open_named(scree__shm_segment *s, char *path, size_t size) {
  for (unsigned i = 0; i < 100 && s->fd < 0; i++) {
    snprintf(path, size, DIRECTORY "/scree-%ld-%u", (long)getpid(), i);
    s->fd = scree__keep_descriptor(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (s->fd < 0 && errno != EEXIST) return false;
  }
  return s->fd >= 0;
}

static bool set_size(scree__shm_segment *s, scree__shm_segment_name *name) {
  struct stat is;
  if (ftruncate(s->fd, (off_t)s->bytes) != 0 || fstat(s->fd, &is) != 0) return false;
  name->device = is.st_dev;
  name->inode = is.st_ino;
  return map(s);
}

bool scree__shm_segment_create(scree__shm_segment *s, scree__shm_place place, scree__shm_segment_name *name) {
  static bool (*const open_at[])(scree__shm_segment *, char *, size_t) = {open_unnamed, open_named, open_of_job};
  bool opened = may_grow_to(s->bytes) && open_at[place](s, name->path, sizeof name->path);
  if (opened && set_size(s, name)) return true;
  if (opened) scree__shm_segment_unlink(name);
  name->path[0] = 0;
  return fail(s);
}

/* Checked before it is opened: in another process that path may be another file, of a kind that must not be opened. */
bool scree__shm_segment_attach(scree__shm_segment *s, const scree__shm_segment_name *name) {
  struct stat is;
  if (stat(name->path, &is) != 0) return false;
  errno = ENOENT;
  if (is.st_dev != name->device || is.st_ino != name->inode) return false;
  s->fd = scree__keep_descriptor(open(name->path, O_RDWR | O_CLOEXEC));
  if (s->fd < 0) return false;
  return map(s) ? true : fail(s);
}

void scree__shm_segment_unlink(const scree__shm_segment_name *name) {
  if (strncmp(name->path, DIRECTORY, strlen(DIRECTORY)) == 0) unlink(name->path);
}

static bool reserve(scree__shm_segment *s, size_t at, size_t bytes) {
  if (s->fd < 0) return true;
  int error;
  do error = posix_fallocate(s->fd, (off_t)at, (off_t)bytes);
  while (error == EINTR);
  errno = error;
  return error == 0;
}

bool scree__shm_segment_reserve_head(scree__shm_segment *s) {
  return reserve(s, 0, s->areas_at);
}

bool scree__shm_segment_reserve_inbox(scree__shm_segment *s, uint32_t index) {
  return reserve(s, s->areas_at + index * s->area_bytes, s->arena_at);
}

bool scree__shm_segment_reserve(scree__shm_segment *s, uint32_t index, size_t at, size_t bytes) {
  return reserve(s, s->areas_at + index * s->area_bytes + s->arena_at + at, bytes);
}

size_t scree__shm_segment_grant(scree__shm_segment *s, uint32_t index, size_t granted, size_t upto) {
  size_t to = round_up(upto, CHUNK);
  SCREE__INVARIANT(index < s->areas && granted <= s->arena_bytes && upto <= s->arena_bytes);
  if (to > s->arena_bytes) to = s->arena_bytes;
  return to > granted && scree__shm_segment_reserve(s, index, granted, to - granted) ? to : granted;
}

void scree__shm_segment_free(scree__shm_segment *s) {
  if (s->fd < 0)
    scree_huge_free(s->map);
  else if (s->map)
    munmap(s->map, s->bytes);
  s->map = NULL;
  fail(s);
}
