/* output_file.c - creating, naming, removing. */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".scree-part"

/* Sets the names. False: the file has to be written in place. */
static bool choose_names(scree__output_file *out, const char *name) {
  struct stat is;
  bool there = stat(name, &is) == 0;
  if (there && (!S_ISREG(is.st_mode) || !realpath(name, out->name))) return false;
  if (!there && lstat(name, &is) == 0) return false; /* a symbolic link to nothing */
  if (!there && strlen(name) >= sizeof out->name) return false;
  if (!there) strcpy(out->name, name);
  int n = snprintf(out->path, sizeof out->path, "%s" ENDING, out->name);
  return n > 0 && (size_t)n < sizeof out->path;
}

static int create(const char *path) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* A folder that takes no new files, where a file that exists may be written. */
static bool refuses_new_files(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG;
}

int scree__output_file_create(scree__output_file *out, const char *name) {
  struct stat is;
  bool there = stat(name, &is) == 0;
  *out = (scree__output_file){.in_place = false};
  if (there && access(name, W_OK)) return -1;
  if (choose_names(out, name)) {
    int fd = create(out->path);
    if (fd >= 0 && there) fchmod(fd, is.st_mode & 0777);
    if (fd >= 0 || !refuses_new_files(errno)) return fd;
  }
  out->in_place = true;
  errno = ENAMETOOLONG;
  if (strlen(name) >= sizeof out->path) return -1;
  strcpy(out->path, name);
  return create(name);
}

int scree__output_file_finish(const scree__output_file *out, bool complete) {
  if (out->in_place || !out->path[0]) return 0;
  if (complete && rename(out->path, out->name) == 0) return 0;
  int error = complete ? errno : 0;
  unlink(out->path);
  return error;
}

FILE *scree__output_open(scree__output_file *out, const char *name) {
  if (strcmp(name, "-") == 0) return stdout;
  int fd = scree__output_file_create(out, name);
  FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
  if (fd >= 0 && !to) {
    int error = errno;
    close(fd);
    scree__output_file_finish(out, false);
    errno = error;
  }
  return to;
}

/* The errno of an earlier failure is lost, so one more byte is tried. */
int scree__output_flush(FILE *to) {
  errno = 0;
  bool bad = fflush(to) != 0 || ferror(to);
  if (bad && !errno && fputc('\n', to) != EOF) fflush(to);
  return bad ? errno ? errno : EIO : 0;
}

int scree__output_close(const scree__output_file *out, FILE *to, bool complete) {
  int error = scree__output_flush(to);
  if (to == stdout) return error;
  if (fclose(to) != 0 && !error) error = errno;
  int unnamed = scree__output_file_finish(out, complete && !error);
  return error ? error : unnamed;
}
