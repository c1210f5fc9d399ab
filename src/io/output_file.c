/* output_file.c - finding, creating, naming, removing.
 *
 * In a folder that others may write, a name can be a link that another user has put there. What is written is therefore
 * a new file (O_EXCL), and a rename replaces a link instead of following it. */
#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/descriptor.h"

#include "io/unfinished.h"

#define ENDING ".scree-part"

/* ---- what the name is ---- */

static int refuse(int error) {
  errno = error;
  return -1;
}

static bool is_trusted(const struct stat *is) {
  return is->st_uid == 0 || is->st_uid == geteuid();
}

/* What has the name, which may be a link, and the text of a link. Both are of the same object, whatever another user
 * does meanwhile. */
static int examine(const char *name, struct stat *is, char text[PATH_MAX]) {
  const int fd = scree__keep_descriptor(open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (fd < 0) return -1;
  int rc = fstat(fd, is);
  ssize_t bytes = rc == 0 && S_ISLNK(is->st_mode) ? readlinkat(fd, "", text, PATH_MAX - 1) : 0;
  if (bytes < 0) rc = -1;
  text[bytes < 0 ? 0 : bytes] = 0;
  const int error = errno;
  close(fd);
  errno = error;
  return rc;
}

/* Replaces the name of a link by its target. */
static int follow(char target[PATH_MAX], const char *text) {
  const char *slash = text[0] == '/' ? NULL : strrchr(target, '/');
  const size_t folder = slash ? (size_t)(slash + 1 - target) : 0, bytes = strlen(text) + 1;
  if (folder + bytes > PATH_MAX) return refuse(ENAMETOOLONG);
  memcpy(target + folder, text, bytes);
  return 0;
}

/* Follows links. 0, and what `target` is then; -1 and ENOENT: nothing. */
static int find_target(const char *name, char target[PATH_MAX], struct stat *is) {
  enum { LINKS_MAX = 40 }; /* the kernel's limit */
  char text[PATH_MAX];
  if (strlen(name) >= PATH_MAX) return refuse(ENAMETOOLONG);
  strcpy(target, name);
  for (int links = 0; links <= LINKS_MAX; links++) {
    if (examine(target, is, text)) return -1;
    if (!S_ISLNK(is->st_mode) && !S_ISFIFO(is->st_mode)) return 0;
    if (!is_trusted(is)) return refuse(EACCES);
    if (S_ISFIFO(is->st_mode)) return 0;
    if (follow(target, text)) return -1;
  }
  return refuse(ELOOP);
}

/* ---- creating ---- */

static int create(const char *path, mode_t mode) {
  return scree__keep_descriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
}

static int give_up(int fd) {
  const int error = errno;
  close(fd);
  return refuse(error);
}

static int create_beside(scree__output_file *out, mode_t mode) {
  int fd = -1;
  for (unsigned i = 0; i < 100 && fd < 0; i++) {
    uint32_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
    const int n = snprintf(out->path, sizeof out->path, "%s.%08x" ENDING, out->name, (unsigned)random);
    if (n < 0 || (size_t)n >= sizeof out->path) return refuse(ENAMETOOLONG);
    scree__unfinished_add(out->path);
    fd = create(out->path, mode);
    if (fd < 0) scree__unfinished_drop(out->path);
    if (fd < 0 && errno != EEXIST) return -1;
  }
  return fd;
}

/* A folder that takes no new files, where a file that exists may be written. */
static bool refuses_new_files(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG;
}

/* `is`: what the name was found to be; NULL: nothing. Only that is emptied. */
static int open_in_place(scree__output_file *out, const char *name, const struct stat *is) {
  struct stat now;
  out->in_place = true;
  if (strlen(name) >= sizeof out->path) return refuse(ENAMETOOLONG);
  strcpy(out->path, name);
  if (!is) return create(name, 0666);
  const int fd = scree__keep_descriptor(open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (fd < 0 || fstat(fd, &now)) return fd < 0 ? -1 : give_up(fd);
  errno = ESTALE;
  if (now.st_dev != is->st_dev || now.st_ino != is->st_ino) return give_up(fd);
  return S_ISREG(now.st_mode) && ftruncate(fd, 0) ? give_up(fd) : fd;
}

/* The mode of a user's own file is kept; that of another user's does not widen what the umask allows. */
static int replace(scree__output_file *out, const struct stat *is) {
  const mode_t mode = is->st_mode & 0777;
  if (access(out->name, W_OK)) return -1;
  const int fd = create_beside(out, mode);
  if (fd >= 0 && is->st_uid == geteuid()) fchmod(fd, mode);
  return fd < 0 && refuses_new_files(errno) ? open_in_place(out, out->name, is) : fd;
}

/* Nothing has the name of the target. What /dev/stdout is may have none. */
static int create_new(scree__output_file *out, const char *name) {
  struct stat is;
  if (stat(name, &is) == 0 && !S_ISREG(is.st_mode)) return open_in_place(out, name, &is);
  const int fd = create_beside(out, 0666);
  return fd < 0 && refuses_new_files(errno) ? open_in_place(out, out->name, NULL) : fd;
}

static int create_target(scree__output_file *out, const char *name) {
  struct stat is;
  if (find_target(name, out->name, &is)) return errno == ENOENT ? create_new(out, name) : -1;
  return S_ISREG(is.st_mode) ? replace(out, &is) : open_in_place(out, out->name, &is);
}

int scree__output_file_create(scree__output_file *out, const char *name) {
  struct stat is;
  *out = (scree__output_file){.in_place = false};
  const int fd = create_target(out, name);
  if (fd < 0) out->path[0] = 0;
  if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode)) out->inode = is.st_ino;
  return fd;
}

/* Device numbers differ between the nodes that have mounted one file system. */
static bool is_written(const scree__output_file *out, const struct stat *is) {
  return out->inode ? S_ISREG(is->st_mode) && is->st_ino == out->inode : !S_ISREG(is->st_mode);
}

/* Examined before it is opened, since opening something else could have effects, and after. */
int scree__output_file_join(const scree__output_file *out, int flags) {
  struct stat is;
  if (stat(out->path, &is)) return -1;
  if (!is_written(out, &is)) return refuse(ESTALE);
  const int fd = scree__keep_descriptor(
      open(out->path, O_WRONLY | O_NOCTTY | O_CLOEXEC | (out->in_place ? 0 : O_NOFOLLOW) | flags));
  if (fd < 0 || fstat(fd, &is)) return fd < 0 ? -1 : give_up(fd);
  errno = ESTALE;
  return is_written(out, &is) ? fd : give_up(fd);
}

int scree__output_file_reopen(const char *name) {
  char target[PATH_MAX];
  struct stat is;
  if (find_target(name, target, &is)) return -1;
  if (!S_ISREG(is.st_mode)) return refuse(EINVAL);
  return scree__keep_descriptor(open(target, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
}

/* ---- naming ---- */

static void remove_part(const scree__output_file *out) {
  unlink(out->path);
  scree__unfinished_drop(out->path);
}

int scree__output_file_finish(const scree__output_file *out, bool complete) {
  if (out->in_place || !out->path[0]) return 0;
  const int error = complete && rename(out->path, out->name) ? errno : 0;
  if (!complete || error)
    remove_part(out);
  else
    scree__unfinished_drop(out->path);
  return error;
}

/* Gives the file a second name, which no file may have; some file systems have no second names. */
int scree__output_file_finish_new(const scree__output_file *out) {
  if (out->in_place) return 0;
  const bool named = link(out->path, out->name) == 0, taken = !named && access(out->name, F_OK) == 0;
  if (!named && !taken) return scree__output_file_finish(out, true);
  remove_part(out);
  return taken ? EEXIST : 0;
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
