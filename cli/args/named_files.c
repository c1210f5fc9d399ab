/* named_files.c - the files that a command line reads and writes: a file that is written must be neither read nor
 * written under another name, else its contents are lost.
 *
 * Files are compared by device and inode, and one that does not exist yet by its folder and its name there. Pipes,
 * terminals and devices may be named twice. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/args.h"

/* A file, or a new name in a folder. `name` is empty if the file exists; else device and inode identify its folder. */
typedef struct {
  dev_t device;
  ino_t inode;
  char name[NAME_MAX + 1];
} identity;

bool cli_add_file(cli_args *args, const cli_named_file *path) {
  for (size_t i = 0; i < args->files.count; i++) /* the last value of an option counts */
    if (path->access == CLI_WRITES && path->option && args->files.named[i].option == path->option)
      return args->files.named[i] = *path, true;
  cli_named_file *more = realloc(args->files.named, (args->files.count + 1) * sizeof *more);
  if (!more) return cli_fail(args, "no memory for the names of files; free memory on this host");
  args->files.named = more;
  more[args->files.count++] = *path;
  return true;
}

/* ---- identities ---- */

/* Replaces the last component of `path` by `text`, or all of it if `text` is absolute. Returns false if the result is
 * too long. */
static bool replace_name(char path[PATH_MAX], const char *text) {
  const char *slash = text[0] == '/' ? NULL : strrchr(path, '/');
  const size_t folder = slash ? (size_t)(slash + 1 - path) : 0, bytes = strlen(text) + 1;
  if (folder + bytes > PATH_MAX) return false;
  memcpy(path + folder, text, bytes);
  return true;
}

/* Follows symbolic links to a file that does not exist. Returns false if there are too many of them. */
static bool follow(char path[PATH_MAX]) {
  enum { LINKS_MAX = 40 }; /* the kernel's limit */
  char text[PATH_MAX];
  for (int i = 0; i < LINKS_MAX; i++) {
    const ssize_t bytes = readlink(path, text, sizeof text - 1);
    if (bytes < 0) return true;
    text[bytes] = 0;
    if (!replace_name(path, text)) return false;
  }
  return false;
}

/* The folder and the name of a file that does not exist. */
static bool identify_new(const char *path, identity *is) {
  char target[PATH_MAX];
  struct stat folder;
  if (strlen(path) >= sizeof target) return false;
  strcpy(target, path);
  if (!follow(target)) return false;
  const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
  if (!*name || strlen(name) > NAME_MAX) return false;
  strcpy(is->name, name);
  if (!replace_name(target, ".") || stat(target, &folder)) return false;
  is->device = folder.st_dev;
  is->inode = folder.st_ino;
  return true;
}

/* Returns false if nothing can be lost there: it is not a regular file, or cannot be created. "-" is standard output,
 * and as a graph standard input. */
static bool identify(const cli_named_file *path, identity *is) {
  struct stat found;
  const bool standard = strcmp(path->path, "-") == 0 && (path->access == CLI_WRITES || !path->option);
  *is = (identity){.name = ""};
  if (standard ? fstat(path->access == CLI_WRITES ? STDOUT_FILENO : STDIN_FILENO, &found) : stat(path->path, &found))
    return !standard && identify_new(path->path, is);
  is->device = found.st_dev;
  is->inode = found.st_ino;
  return S_ISREG(found.st_mode);
}

static bool is_same(const identity *a, const identity *b) {
  return a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0;
}

/* ---- the comparison ---- */

/* Writes " as 'NAME'" if the two have different names. */
static const char *other_name(const cli_named_file *a, const cli_named_file *b, char *text, size_t size) {
  const char *name = strcmp(b->path, "-") ? b->path : b->access == CLI_READS ? "standard input" : "standard output";
  *text = 0;
  if (strcmp(a->path, b->path) != 0) snprintf(text, size, " as '%s'", name);
  return text;
}

static bool fail_written_twice(cli_args *args, const cli_named_file *a, const cli_named_file *b) {
  char other[512];
  return cli_fail(args, "'%s' is written twice, by %s%s and by %s%s%s; name two files", a->path,
                  a->option ? "option --" : "the operand FILE", a->option ? a->option : "",
                  b->option ? "option --" : "the operand FILE", b->option ? b->option : "",
                  other_name(a, b, other, sizeof other));
}

static bool fail_read(cli_args *args, const cli_named_file *written, const cli_named_file *read) {
  const char *option = written->option;
  char reads[256], other[512];
  snprintf(reads, sizeof reads, read->option ? "option --%s reads" : "%s from",
           read->option ? read->option : args->command->reads);
  return cli_fail(args, "%s%s%s'%s' is the file that %s%s; write to another one", option ? "option '--" : "",
                  option ? option : "", option ? "': " : "", written->path, reads,
                  other_name(written, read, other, sizeof other));
}

/* Both are standard output: the second text follows the first. */
static bool is_one_stream(const cli_named_file *a, const cli_named_file *b) {
  return a->access == b->access && strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0;
}

static bool is_lost(const cli_named_file *written, const cli_named_file *other) {
  identity a, b;
  return written->access == CLI_WRITES && !is_one_stream(written, other) && identify(written, &a) &&
         identify(other, &b) && is_same(&a, &b);
}

bool cli_check_files(cli_args *args) {
  for (size_t w = 0; w < args->files.count; w++)
    for (size_t i = 0; i < args->files.count; i++) {
      const cli_named_file *written = &args->files.named[w], *other = &args->files.named[i];
      if (i == w || !is_lost(written, other)) continue;
      if (other->access == CLI_WRITES)
        fail_written_twice(args, written, other);
      else
        fail_read(args, written, other);
      cli_blame(args, &written->at);
      return false;
    }
  return true;
}
