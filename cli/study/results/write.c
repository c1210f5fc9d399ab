/* write.c - writes result files.
 *
 * A file receives its name only when its header is complete. Each line is one write; an incomplete line is cut off
 * again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output_file.h"
#include "study/results/results.h"
#include "study/util/utf8.h"

struct study_writer {
  int fd;
  off_t end; /* of the last complete line */
  char *name;
};

static int fail(char *why, size_t size, const char *name, const char *what, int error) {
  bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  snprintf(why, size, "results '%s': %s: %s%s%s", name, what, full ? "the disk is full (" : "", strerror(error),
           full ? "); free some space, then continue with --resume" : "");
  return -1;
}

/* File systems without locks are used without one. */
static int lock(int fd, const char *name, char *why, size_t size) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK) return 0;
  if (errno != EWOULDBLOCK) return fail(why, size, name, "cannot be locked", errno);
  snprintf(
      why, size,
      "results '%s': another sweep is writing to this file; wait for its end, or name another file with --results FILE",
      name);
  return -1;
}

/* One write; a short one means that the disk is full. Returns 0 or an errno; after an error the file is as before. */
static int append(study_writer *w, const char *line, size_t bytes) {
  ssize_t n = pwrite(w->fd, line, bytes, w->end);
  int error = n < 0 ? errno : (size_t)n < bytes ? ENOSPC : fsync(w->fd) ? errno : 0;
  if (!error) w->end += n;
  if (error && ftruncate(w->fd, w->end)) return error; /* --resume removes the rest */
  return error;
}

/* JSON must be UTF-8, but output of jobs and paths may contain any bytes: replaces invalid bytes by '?'. */
static void make_utf8(char *line) {
  for (size_t n; *line != '\n'; line += n ? n : 1) {
    n = study_utf8(line);
    if (n == 0) *line = '?';
  }
}

int study_writer_add(study_writer *w, const cJSON *record, char *why, size_t size) {
  char *text = cJSON_PrintUnformatted(record);
  size_t bytes = text ? strlen(text) : 0;
  char *line = text ? malloc(bytes + 1) : NULL;
  int error = ENOMEM;
  if (line) {
    memcpy(line, text, bytes);
    line[bytes] = '\n';
    make_utf8(line);
    error = append(w, line, bytes + 1);
  }
  cJSON_free(text);
  free(line);
  return error ? fail(why, size, w->name, "a record could not be written", error) : 0;
}

static int exists(char *why, size_t size, const char *name) {
  snprintf(why, size, "results '%s': the file exists; --resume continues it, --results FILE names another", name);
  return -1;
}

/* The file gets its name when it has its header: every file NAME has one. It is locked before. */
static int make_file(study_writer *w, const cJSON *header, char *why, size_t size) {
  scree__output_file out;
  if (access(w->name, F_OK) == 0) return exists(why, size, w->name);
  w->fd = scree__output_file_create(&out, w->name);
  if (w->fd < 0) return fail(why, size, w->name, "cannot be created", errno);
  if (lock(w->fd, w->name, why, size) || study_writer_add(w, header, why, size)) {
    scree__output_file_finish(&out, false);
    return -1;
  }
  const int error = scree__output_file_finish_new(&out);
  if (error == EEXIST) return exists(why, size, w->name);
  return error ? fail(why, size, w->name, "cannot be created", error) : 0;
}

/* Finds the end of the last complete line. */
static int find_end(study_writer *w, off_t from) {
  char part[4096];
  while (from > 0) {
    size_t bytes = from < (off_t)sizeof part ? (size_t)from : sizeof part;
    from -= (off_t)bytes;
    if (pread(w->fd, part, bytes, from) != (ssize_t)bytes) return -1;
    const char *last = memrchr(part, '\n', bytes);
    if (!last) continue;
    w->end = from + (last - part) + 1;
    return 0;
  }
  return 0;
}

static int open_file(study_writer *w, char *why, size_t size) {
  struct stat s;
  w->fd = scree__output_file_reopen(w->name);
  if (w->fd < 0) return fail(why, size, w->name, "cannot be opened", errno);
  if (lock(w->fd, w->name, why, size)) return -1;
  if (fstat(w->fd, &s) || find_end(w, s.st_size) || ftruncate(w->fd, w->end))
    return fail(why, size, w->name, "its incomplete last line cannot be removed", errno);
  return 0;
}

study_writer *study_writer_open(const char *name, const cJSON *header, bool resume, char *why, size_t size) {
  study_writer *w = calloc(1, sizeof *w);
  if (w) *w = (study_writer){.fd = -1, .name = strdup(name)};
  if (!w || !w->name)
    fail(why, size, name, "cannot be created", ENOMEM);
  else if ((resume ? open_file(w, why, size) : make_file(w, header, why, size)) == 0)
    return w;
  study_writer_close(w);
  return NULL;
}

void study_writer_close(study_writer *w) {
  if (!w) return;
  if (w->fd >= 0) close(w->fd);
  free(w->name);
  free(w);
}
