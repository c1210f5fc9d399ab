/* unit_output_file.c - a file gets its name when it is complete: a new one, one that exists, one behind a symbolic link, a
 * device; and what is left when it is given up. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "harness.h"

static char folder[64];

static const char *in_folder(const char *name) {
  static char paths[4][128];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static int enter(void **unused) {
  (void)unused;
  snprintf(folder, sizeof folder, "/tmp/unit_output_file.XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **unused) {
  (void)unused;
  const char *const names[] = {"file", "link", "nowhere", "file.scree-part"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_folder(names[i]));
  return rmdir(folder);
}

static void check_content(const char *path, const char *expected) {
  char text[64] = "";
  FILE *file = fopen(path, "r");
  if (!check(file != NULL)) return;
  check(fread(text, 1, sizeof text - 1, file) == strlen(expected));
  check_string(text, expected);
  fclose(file);
}

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!check(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

/* Writes "new", completely or not. */
static void write_new(const char *name, bool complete, bool in_place) {
  scree__output_file out;
  int fd = scree__output_file_create(&out, name);
  if (!check(fd >= 0)) return;
  check_equal(out.in_place, in_place);
  check_equal(write(fd, "new", 3), 3);
  close(fd);
  check_equal(scree__output_file_finish(&out, complete), 0);
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

static void not_there_before(void **unused) {
  (void)unused;
  write_new(in_folder("file"), false, false);
  check(!exists(in_folder("file")));
  write_new(in_folder("file"), true, false);
  check_content(in_folder("file"), "new");
  check(!exists(in_folder("file.scree-part")));
}

static void over_another(void **unused) {
  (void)unused;
  struct stat is;
  put(in_folder("file"), "old");
  chmod(in_folder("file"), 0640);
  write_new(in_folder("file"), false, false);
  check_content(in_folder("file"), "old");
  write_new(in_folder("file"), true, false);
  check_content(in_folder("file"), "new");
  check(stat(in_folder("file"), &is) == 0 && (is.st_mode & 0777) == 0640);
}

static void behind_a_link(void **unused) {
  (void)unused;
  struct stat is;
  put(in_folder("file"), "old");
  check_equal(symlink("file", in_folder("link")), 0);
  write_new(in_folder("link"), true, false);
  check_content(in_folder("file"), "new");
  check(lstat(in_folder("link"), &is) == 0 && S_ISLNK(is.st_mode));
  unlink(in_folder("link"));
  check_equal(symlink("nowhere", in_folder("link")), 0);
  write_new(in_folder("link"), true, true);
  check_content(in_folder("nowhere"), "new");
}

static void refused(void **unused) {
  (void)unused;
  scree__output_file out;
  check_equal(scree__output_file_create(&out, in_folder("none/file")), -1);
  check_equal(errno, ENOENT);
  check_equal(scree__output_file_finish(&out, false), 0);
  check_equal(scree__output_file_create(&out, folder), -1);
  check_equal(errno, EISDIR);
  int fd = scree__output_file_create(&out, in_folder("file"));
  if (!check(fd >= 0)) return;
  close(fd);
  unlink(out.path);
  check_equal(scree__output_file_finish(&out, true), ENOENT);
  write_new("/dev/null", false, true);
  check(exists("/dev/null"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(not_there_before, enter, leave),
    cmocka_unit_test_setup_teardown(over_another, enter, leave),
    cmocka_unit_test_setup_teardown(behind_a_link, enter, leave),
    cmocka_unit_test_setup_teardown(refused, enter, leave),
};
HARNESS_MAIN(tests)
