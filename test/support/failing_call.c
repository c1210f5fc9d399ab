/* failing_call.c - preloaded by tests, or a part of one: makes one call of scree's own code to the system fail.
 *
 * Calls count if they return into libscree.so or libscree-task.so (of a generated mutant: libmutant.so), or, where the
 * program does not load it, into the program itself; and, once scree has opened a file, into the libraries by which it
 * reads and writes compressed ones. Calls of MPI and of the C library do not count.
 *
 * A program calls failing_call_arm and failing_call_disarm (failing_call.h), or the environment has
 *   FAILING_CALL=RANK:K       on this rank of MPI, call number K of the process fails
 *   FAILING_CALL_LOG=FILE     gets a line that describes it, and at the end a line with the number of calls */
#undef _FILE_OFFSET_BITS /* both names of each call are defined here */
#undef _FORTIFY_SOURCE   /* its inline functions of these names conflict */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failing_call.h"

failing_call_arm_fn failing_call_arm;
failing_call_disarm_fn failing_call_disarm;
failing_call_live_fn failing_call_live;
failing_call_site_fn failing_call_site;

/* The C library's own, which need no dlsym: dlsym allocates. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *memory);

/* ---- whose calls count ---- */

enum { RANGES = 16 };
typedef struct {
  uintptr_t from, to, base;
  bool by_library; /* counts once scree has opened a file */
} range;

static range ranges[RANGES];
static size_t range_count;
static bool in_library;
static bool opened;

static void add_ranges(const struct dl_phdr_info *info, bool by_library) {
  for (int i = 0; i < info->dlpi_phnum && range_count < RANGES; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
    uintptr_t from = info->dlpi_addr + h->p_vaddr;
    ranges[range_count++] = (range){from, from + h->p_memsz, info->dlpi_addr, by_library};
  }
}

static bool is(const struct dl_phdr_info *info, const char *name) {
  return info->dlpi_name && strstr(info->dlpi_name, name);
}

/* The program itself is first, and has an empty name. */
static int add_object(struct dl_phdr_info *info, size_t size, void *arg) {
  (void)size, (void)arg;
  if (is(info, "/libscree.so") || is(info, "/libscree-graph.so") || is(info, "/libscree-task.so") ||
      is(info, "/libmutant.so")) {
    if (!in_library && range_count && !ranges[0].by_library) range_count = 0;
    in_library = true;
    add_ranges(info, false);
  } else if (is(info, "/libz.so") || is(info, "/libzstd.so")) {
    add_ranges(info, true);
  } else if (info->dlpi_name && !info->dlpi_name[0] && !range_count) {
    add_ranges(info, false);
  }
  return 0;
}

static const range *range_of(uintptr_t at) {
  for (size_t i = 0; i < range_count; i++)
    if (at >= ranges[i].from && at < ranges[i].to && (opened || !ranges[i].by_library)) return &ranges[i];
  return NULL;
}

/* ---- counting ---- */

enum { SITES = 4096 };
static bool armed;
static long calls, failing;
static const void *sites[SITES];
static char failed[160];

static void say(const char *line, size_t bytes) {
  const char *log = getenv("FAILING_CALL_LOG");
  long fd = log ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
  if (fd < 0) return;
  syscall(SYS_write, fd, line, bytes);
  syscall(SYS_close, fd);
}

/* True: this call is to fail. One thread of the process calls. */
static bool hit(const char *call, size_t number, const void *from) {
  const range *r = armed ? range_of((uintptr_t)from) : NULL;
  if (!r) return false;
  if (strncmp(call, "open", 4) == 0) opened = true;
  if (!failing && calls < SITES) sites[calls] = from;
  if (++calls != failing) return false;
  Dl_info in = {0};
  const char *object = dladdr(from, &in) && in.dli_fname ? strrchr(in.dli_fname, '/') : NULL;
  int n = snprintf(failed, sizeof failed, "call %ld: %s(%zu) at %s+0x%zx", calls, call, number,
                   object ? object + 1 : "the program", (size_t)((uintptr_t)from - r->base));
  say(failed, (size_t)n);
  say("\n", 1);
  return true;
}

void failing_call_arm(long k) {
  calls = 0;
  failing = k;
  failed[0] = 0;
  opened = false;
  armed = true;
}

const void *failing_call_site(long k) {
  return k <= SITES ? sites[k - 1] : NULL;
}

long failing_call_disarm(char *text, size_t size) {
  armed = false;
  snprintf(text, size, "%s", failed);
  return calls;
}

__attribute__((constructor)) static void start(void) {
  const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, *spec = getenv("FAILING_CALL");
  const char *rank = NULL;
  dl_iterate_phdr(add_object, NULL);
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !rank; i++) rank = getenv(ranks[i]);
  const char *k = spec ? strchr(spec, ':') : NULL;
  if (!k || !rank || atol(rank) != atol(spec)) return;
  failing_call_arm(atol(k + 1));
}

__attribute__((destructor)) static void end(void) {
  char line[40];
  if (!armed) return;
  armed = false;
  say(line, (size_t)snprintf(line, sizeof line, "%ld calls\n", calls));
}

#define FAILS(call, number) hit((call), (size_t)(number), __builtin_return_address(0))

/* ---- memory ---- */

static long live; /* allocations, of threads that do not allocate at once */

static void *counted(void *memory) {
  live += memory != NULL;
  return memory;
}

long failing_call_live(void) {
  return live;
}

void *malloc(size_t bytes) {
  return FAILS("malloc", bytes) ? (errno = ENOMEM, NULL) : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes) {
  return FAILS("calloc", count * bytes) ? (errno = ENOMEM, NULL) : counted(__libc_calloc(count, bytes));
}

void *realloc(void *old, size_t bytes) {
  if (FAILS("realloc", bytes)) return errno = ENOMEM, NULL;
  return old ? __libc_realloc(old, bytes) : counted(__libc_malloc(bytes));
}

void *aligned_alloc(size_t align, size_t bytes) {
  return FAILS("aligned_alloc", bytes) ? (errno = ENOMEM, NULL) : counted(__libc_memalign(align, bytes));
}

void free(void *memory) {
  live -= memory != NULL;
  __libc_free(memory);
}

char *strdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = FAILS("strdup", bytes) ? (errno = ENOMEM, NULL) : counted(__libc_malloc(bytes));
  return copy ? memcpy(copy, text, bytes) : NULL;
}

static void *map(void *at, size_t bytes, int prot, int flags, int fd, off_t offset) {
  long got = syscall(SYS_mmap, at, bytes, prot, flags, fd, offset);
  return got == -1 ? MAP_FAILED : (void *)got;
}

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset) {
  if (FAILS("mmap", bytes)) return errno = ENOMEM, MAP_FAILED;
  return map(at, bytes, prot, flags, fd, offset);
}

void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t offset) {
  if (FAILS("mmap", bytes)) return errno = ENOMEM, MAP_FAILED;
  return map(at, bytes, prot, flags, fd, offset);
}

/* ---- threads ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *), void *arg) {
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  void *found = dlsym(RTLD_NEXT, "pthread_create");
  memcpy(&real, &found, sizeof real);
  return FAILS("pthread_create", 0) ? EAGAIN : real(thread, attributes, fn, arg);
}

/* ---- files ---- */

static int open_it(const char *path, int flags, va_list args) {
  mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  if (FAILS("open", flags)) return errno = ENOMEM, -1;
  va_list args;
  va_start(args, flags);
  int fd = open_it(path, flags, args);
  va_end(args);
  return fd;
}

int open64(const char *path, int flags, ...) {
  if (FAILS("open", flags)) return errno = ENOMEM, -1;
  va_list args;
  va_start(args, flags);
  int fd = open_it(path, flags, args);
  va_end(args);
  return fd;
}

ssize_t read(int fd, void *to, size_t bytes) {
  return FAILS("read", bytes) ? (errno = EIO, -1) : syscall(SYS_read, fd, to, bytes);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) {
  return FAILS("pread", bytes) ? (errno = EIO, -1) : syscall(SYS_pread64, fd, to, bytes, at);
}

ssize_t pread64(int fd, void *to, size_t bytes, off_t at) {
  return FAILS("pread", bytes) ? (errno = EIO, -1) : syscall(SYS_pread64, fd, to, bytes, at);
}

ssize_t write(int fd, const void *from, size_t bytes) {
  return FAILS("write", bytes) ? (errno = ENOSPC, -1) : syscall(SYS_write, fd, from, bytes);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at) {
  return FAILS("pwrite", bytes) ? (errno = ENOSPC, -1) : syscall(SYS_pwrite64, fd, from, bytes, at);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off_t at) {
  return FAILS("pwrite", bytes) ? (errno = ENOSPC, -1) : syscall(SYS_pwrite64, fd, from, bytes, at);
}

int fsync(int fd) {
  return FAILS("fsync", fd) ? (errno = EIO, -1) : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to) {
  return FAILS("rename", 0) ? (errno = ENOSPC, -1) : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int ftruncate(int fd, off_t bytes) {
  return FAILS("ftruncate", bytes) ? (errno = ENOSPC, -1) : (int)syscall(SYS_ftruncate, fd, bytes);
}

int ftruncate64(int fd, off_t bytes) {
  return FAILS("ftruncate", bytes) ? (errno = ENOSPC, -1) : (int)syscall(SYS_ftruncate, fd, bytes);
}

/* Returns the error. Of a file in memory, as scree's are, the system call does all that the C library's would do. */
static int allocate(int fd, off_t at, off_t bytes) {
  return syscall(SYS_fallocate, fd, 0, at, bytes) ? errno : 0;
}

int posix_fallocate(int fd, off_t at, off_t bytes) {
  return FAILS("posix_fallocate", bytes) ? ENOSPC : allocate(fd, at, bytes);
}

int posix_fallocate64(int fd, off_t at, off_t bytes) {
  return FAILS("posix_fallocate", bytes) ? ENOSPC : allocate(fd, at, bytes);
}

/* ---- streams: what the C library's own open and write would do ---- */

static void *next(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

static FILE *open_stream(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *);
  void *symbol = next("fopen64");
  memcpy(&real, &symbol, sizeof real); /* ISO C has no cast between the two */
  return real(path, mode);
}

FILE *fopen(const char *path, const char *mode) {
  return FAILS("fopen", 0) ? (errno = ENOMEM, NULL) : open_stream(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  return FAILS("fopen", 0) ? (errno = ENOMEM, NULL) : open_stream(path, mode);
}

int fflush(FILE *file) {
  int (*real)(FILE *);
  if (FAILS("fflush", 0)) return errno = ENOSPC, EOF;
  void *symbol = next("fflush");
  memcpy(&real, &symbol, sizeof real);
  return real(file);
}

int fclose(FILE *file) {
  int (*real)(FILE *);
  bool fails = FAILS("fclose", 0);
  void *symbol = next("fclose");
  memcpy(&real, &symbol, sizeof real);
  int code = real(file);
  return fails ? (errno = ENOSPC, EOF) : code;
}
