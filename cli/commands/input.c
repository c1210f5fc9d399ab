/* input.c - standard input, or a pipe that a shell has opened, as a file that all ranks read.
 *
 * A folder for temporary files is open to every user of its node, and may be another one on another node. So the name
 * of the copy is unpredictable, and each rank checks that the file of that name is the copy: by its owner, its size,
 * and a checksum of chunks from all over it, of the whole file if it is small. */
#include "commands/input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/unfinished.h"

enum { CHUNK = 1 << 16, CHUNKS = 64 /* that are read for the checksum */, SUFFIX = 6 /* characters of mkostemp */ };

/* The copy as rank 0 made it. */
typedef struct {
  char suffix[sizeof(uint64_t)]; /* of its name */
  uint64_t bytes, owner;
} identity;

static uint64_t buffer[CHUNK / sizeof(uint64_t)];

static bool is_standard(const char *name) {
  return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0;
}

/* ---- rank 0 ---- */

/* All that can be read from `from`. 0, or an errno. */
static int copy_to(int fd, int from, identity *copy) {
  ssize_t n;
  while ((n = read(from, buffer, sizeof buffer)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    for (ssize_t done = 0, w; done < n; done += w)
      if ((w = write(fd, (char *)buffer + done, (size_t)(n - done))) < 0) return errno;
    copy->bytes += (uint64_t)n;
  }
  return 0;
}

/* No signal comes between creating it and knowing its name. */
static int create_copy(char *name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int fd = mkostemp(name, O_CLOEXEC), error = errno;
  if (fd >= 0) scree__unfinished_add(name);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return fd;
}

/* 0, or an errno. */
static int make_copy(cli_input *input, const char *name, identity *copy) {
  struct stat is = {.st_uid = 0};
  int fd = create_copy(input->copy);
  if (fd < 0) return errno;
  input->owner = true;
  memcpy(copy->suffix, input->copy + strlen(input->copy) - SUFFIX, SUFFIX);
  const int from = is_standard(name) ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
  int error = from < 0 || fstat(fd, &is) ? errno : copy_to(fd, from, copy);
  if (from > STDIN_FILENO) close(from);
  copy->owner = is.st_uid;
  return close(fd) && !error ? errno : error;
}

/* Sends what rank 0 knows to all. Collective. */
static scree_status share(scree_graphs *graphs, identity *copy) {
  scree_reduce r = {.sum = {0, copy->bytes}, .min = UINT64_MAX, .max = copy->owner};
  memcpy(&r.sum[0], copy->suffix, sizeof r.sum[0]);
  scree_status status = scree_graphs_reduce(graphs, &r);
  memcpy(copy->suffix, &r.sum[0], sizeof r.sum[0]);
  copy->bytes = r.sum[1], copy->owner = r.max;
  return status;
}

/* ---- all ranks ---- */

/* A checksum of the first chunk, the last one, and others at equal distances. False: it cannot be read. */
static bool sum_up(int fd, uint64_t bytes, uint64_t *sum) {
  const uint64_t all = (bytes + CHUNK - 1) / CHUNK, count = all < CHUNKS ? all : CHUNKS;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t from = count > 1 ? i * (all - 1) / (count - 1) * CHUNK : 0;
    const size_t n = bytes - from < CHUNK ? (size_t)(bytes - from) : CHUNK;
    memset(buffer, 0, sizeof buffer);
    if (pread(fd, buffer, n, (off_t)from) != (ssize_t)n) return false;
    for (size_t k = 0; k < (n + 7) / 8; k++) *sum = scree__hash(*sum ^ buffer[k]);
  }
  return true;
}

/* The file of that name is as rank 0's. */
static bool is_copy(const char *name, const identity *copy, uint64_t *sum) {
  struct stat is;
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const bool same = !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_uid == copy->owner &&
                    (uint64_t)is.st_size == copy->bytes && sum_up(fd, copy->bytes, sum);
  close(fd);
  return same;
}

#define REMEDY "set TMPDIR to a folder that all nodes share, or give a file"

/* All ranks have the copy. Collective. */
static scree_status check_copy(scree_graphs *graphs, const char *name, const identity *copy) {
  const uint32_t rank = scree_graphs_worker(graphs)->rank;
  uint64_t sum = 0;
  scree_status status =
      scree_graphs_agree(graphs, is_copy(name, copy, &sum) ? SCREE_OK : SCREE_EINVAL,
                         "rank %u: '%s' is not the copy of standard input that rank 0 made; " REMEDY, rank, name);
  scree_reduce r = {.min = sum, .max = sum};
  if (!status) status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  return scree_graphs_agree(graphs, r.min == r.max ? SCREE_OK : SCREE_EINVAL,
                            "'%s' is not the copy of standard input on all nodes; " REMEDY, name);
}

const char *cli_input_name(const char *name) {
  return is_standard(name) ? "standard input" : name;
}

/* A pipe that a shell has opened, as for <(zcat FILE): only rank 0 can read it. Collective. */
static scree_status find_pipe(scree_graphs *graphs, const char *name, bool *is_pipe) {
  struct stat is;
  if (strncmp(name, "/dev/fd/", 8) != 0 && strncmp(name, "/proc/self/fd/", 14) != 0) return SCREE_OK;
  const bool first = scree_graphs_worker(graphs)->rank == 0;
  scree_reduce r = {.sum = {first && stat(name, &is) == 0 && S_ISFIFO(is.st_mode)}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &r);
  *is_pipe = r.sum[0] > 0;
  return status;
}

scree_status cli_open_input(scree_graphs *graphs, const char *name, cli_input *input) {
  const bool first = scree_graphs_worker(graphs)->rank == 0;
  *input = (cli_input){.path = name};
  bool copied = is_standard(name);
  scree_status found = copied ? SCREE_OK : find_pipe(graphs, name, &copied);
  if (found || !copied) return found;
  const char *folder = getenv("TMPDIR");
  identity copy = {.bytes = 0};
  const int n = snprintf(input->copy, sizeof input->copy, "%s/scree-input-XXXXXX", folder && *folder ? folder : "/tmp");
  int error = n < (int)sizeof input->copy ? 0 : ENAMETOOLONG;
  if (first && !error) error = make_copy(input, name, &copy);
  input->path = input->copy;
  scree_status status = scree_graphs_agree(graphs, error ? SCREE_ESTATE : SCREE_OK,
                                           "standard input was not copied to '%s': %s; free space there, or set TMPDIR",
                                           input->copy, strerror(error));
  if (!status) status = share(graphs, &copy);
  if (status) return status;
  memcpy(input->copy + n - SUFFIX, copy.suffix, SUFFIX);
  return check_copy(graphs, input->copy, &copy);
}

void cli_close_input(cli_input *input) {
  if (input->owner) unlink(input->copy);
  if (input->owner) scree__unfinished_drop(input->copy);
  input->owner = false;
}
