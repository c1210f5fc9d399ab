/* unit_output_file.c - a file gets its name when it is complete: a new one, one that exists, one that a symbolic link
 * points to, a device; what is left when it is given up; and what another user has put where it is written. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "io/output_file.h"
#include "io/say.h"
#include "io/unfinished.h"

static char folder[64];

static const char *in_folder(const char *name) {
  static char paths[4][128];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static int enter(void **unused) {
  snprintf(folder, sizeof folder, "/tmp/unit_output_file.XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **unused) {
  glob_t all;
  if (glob(in_folder("*"), 0, NULL, &all) == 0)
    for (size_t i = 0; i < all.gl_pathc; i++) unlink(all.gl_pathv[i]);
  globfree(&all);
  return rmdir(folder);
}

/* Files of the folder that have no name yet. */
static size_t unfinished(void) {
  glob_t all;
  const int rc = glob(in_folder("*.scree-part"), 0, NULL, &all);
  const size_t count = rc == 0 ? all.gl_pathc : 0;
  globfree(&all);
  return count;
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

static void not_there_before(void **no_state) {
  write_new(in_folder("file"), false, false);
  check(!exists(in_folder("file")));
  write_new(in_folder("file"), true, false);
  check_content(in_folder("file"), "new");
  check_equal(unfinished(), 0);
}

static void only_if_new(void **no_state) {
  scree__output_file out;
  for (int i = 0; i < 2; i++) {
    const int fd = scree__output_file_create(&out, in_folder("file"));
    check_equal(write(fd, i ? "two" : "one", 3), 3);
    close(fd);
    check_equal(scree__output_file_finish_new(&out), i ? EEXIST : 0);
    check_content(in_folder("file"), "one");
    check_equal(unfinished(), 0);
  }
}

static void over_another(void **no_state) {
  struct stat is;
  put(in_folder("file"), "old");
  chmod(in_folder("file"), 0640);
  write_new(in_folder("file"), false, false);
  check_content(in_folder("file"), "old");
  write_new(in_folder("file"), true, false);
  check_content(in_folder("file"), "new");
  check(stat(in_folder("file"), &is) == 0 && (is.st_mode & 0777) == 0640);
}

static void behind_a_link(void **no_state) {
  struct stat is;
  put(in_folder("file"), "old");
  check_equal(symlink("file", in_folder("link")), 0);
  write_new(in_folder("link"), true, false);
  check_content(in_folder("file"), "new");
  check(lstat(in_folder("link"), &is) == 0 && S_ISLNK(is.st_mode));
  unlink(in_folder("link"));
  check_equal(symlink(in_folder("chain"), in_folder("link")), 0);
  check_equal(symlink("nowhere", in_folder("chain")), 0);
  write_new(in_folder("link"), true, false);
  check_content(in_folder("nowhere"), "new");
  check(lstat(in_folder("chain"), &is) == 0 && S_ISLNK(is.st_mode));
  check_equal(symlink("loop", in_folder("loop")), 0);
  scree__output_file out;
  check_equal(scree__output_file_create(&out, in_folder("loop")), -1);
  check_equal(errno, ELOOP);
}

/* ---- modes ---- */

static mode_t mode_of(int fd) {
  struct stat is;
  return fstat(fd, &is) ? 0 : is.st_mode & 0777;
}

static mode_t before_fchmod;
int fchmod(int fd, mode_t mode) {
  char path[32];
  before_fchmod = mode_of(fd);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return chmod(path, mode);
}

/* A file over one of this mode; fchmod sees no mode that permits others more. */
static mode_t mode_over(mode_t mode, mode_t mask) {
  scree__output_file out;
  put(in_folder("file"), "old");
  chmod(in_folder("file"), mode);
  const mode_t before = umask(mask);
  before_fchmod = 0;
  const int fd = scree__output_file_create(&out, in_folder("file"));
  umask(before);
  check_equal(before_fchmod & ~mode, 0);
  mode = mode_of(fd);
  close(fd);
  check_equal(scree__output_file_finish(&out, true), 0);
  return mode;
}

static void modes(void **no_state) {
  check_equal(mode_over(0600, 022), 0600);
  check_equal(mode_over(0664, 077), 0664);
  unlink(in_folder("file"));
  const mode_t before = umask(077);
  write_new(in_folder("file"), true, false);
  umask(before);
  check_equal(mode_over(0600, 0), 0600);
}

/* ---- other ranks ---- */

static void joined(void **no_state) {
  scree__output_file out;
  const int fd = scree__output_file_create(&out, in_folder("file"));
  int other = scree__output_file_join(&out, O_APPEND);
  check_equal(write(fd, "one ", 4), 4);
  check_equal(write(other, "two", 3), 3);
  close(other);
  close(fd);
  check_content(out.path, "one two");
  check_equal(rename(out.path, in_folder("moved")), 0);
  check_equal(symlink("moved", out.path), 0);
  other = scree__output_file_join(&out, 0);
  check_equal(other, -1);
  unlink(out.path);
  put(out.path, "another's");
  check_equal(scree__output_file_join(&out, 0), -1);
  check_equal(errno, ESTALE);
  check_equal(scree__output_file_finish(&out, false), 0);
}

static void joined_in_place(void **no_state) {
  scree__output_file out;
  const int fd = scree__output_file_create(&out, "/dev/null"), other = scree__output_file_join(&out, 0);
  check(fd >= 0 && other >= 0);
  close(fd);
  close(other);
}

/* ---- what another user has put there ---- */

static void planted_contents(void **no_state) {
  struct stat is;
  put(in_folder("victim"), "precious");
  check_equal(symlink("victim", in_folder("file.scree-part")), 0);
  write_new(in_folder("file"), true, false);
  check_content(in_folder("victim"), "precious");
  check(lstat(in_folder("file"), &is) == 0 && S_ISREG(is.st_mode));
  check_content(in_folder("file"), "new");
}

enum { ANOTHER = 12345 };

static void refuses_name(const char *name) {
  scree__output_file out;
  const int fd = scree__output_file_create(&out, name);
  const int error = errno;
  check_equal(fd, -1);
  check_equal(error, EACCES);
  if (fd >= 0) close(fd);
  check_equal(scree__output_file_finish(&out, false), 0);
  check_equal(unfinished(), 0);
}

static void names_of_another(void **no_state) {
  if (geteuid()) harness_skip("only root can give a file to another user");
  put(in_folder("victim"), "precious");
  check_equal(symlink("victim", in_folder("link")), 0);
  check_equal(lchown(in_folder("link"), ANOTHER, ANOTHER), 0);
  check_equal(symlink("link", in_folder("own")), 0);
  refuses_name(in_folder("link"));
  refuses_name(in_folder("own"));
  check_equal(scree__output_file_reopen(in_folder("own")), -1);
  check_equal(errno, EACCES);
  check_content(in_folder("victim"), "precious");
  check_equal(mkfifo(in_folder("pipe"), 0666), 0);
  check_equal(chown(in_folder("pipe"), ANOTHER, ANOTHER), 0);
  const int reader = open(in_folder("pipe"), O_RDWR); /* so that to open it would not wait */
  refuses_name(in_folder("pipe"));
  close(reader);
}

static void file_of_another(void **no_state) {
  if (geteuid()) harness_skip("only root can give a file to another user");
  put(in_folder("file"), "planted");
  check_equal(chmod(in_folder("file"), 0666) || chown(in_folder("file"), ANOTHER, ANOTHER), 0);
  scree__output_file out;
  const mode_t before = umask(077);
  const int fd = scree__output_file_create(&out, in_folder("file"));
  umask(before);
  check_equal(mode_of(fd), 0600);
  close(fd);
  check_equal(scree__output_file_finish(&out, true), 0);
}

static void refused(void **no_state) {
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

static void a_process_that_ends_removes_what_is_unfinished(void **no_state) {
  scree__output_file out[UNFINISHED_MAX + 1], place;
  write_new(in_folder("complete"), true, false);
  write_new(in_folder("given_up"), false, false);
  put(in_folder("given_up"), "old");
  check_equal(mkfifo(in_folder("fifo"), 0600), 0);
  const int reader = open(in_folder("fifo"), O_RDONLY | O_NONBLOCK);
  close(scree__output_file_create(&place, in_folder("fifo")));
  for (int turn = 0; turn < 3; turn++) { /* entries are used again */
    for (int i = 0; i < UNFINISHED_MAX + 1; i++) close(scree__output_file_create(&out[i], in_folder("part")));
    check_equal(unfinished(), UNFINISHED_MAX + 1);
    scree__unfinished_remove();
    check_equal(unfinished(), 1); /* the table was full */
    for (int i = 0; i < UNFINISHED_MAX + 1; i++) scree__output_file_finish(&out[i], false);
  }
  check_content(in_folder("complete"), "new");
  check_content(in_folder("given_up"), "old");
  check(exists(in_folder("fifo")));
  close(reader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(not_there_before, enter, leave),
    cmocka_unit_test_setup_teardown(over_another, enter, leave),
    cmocka_unit_test_setup_teardown(behind_a_link, enter, leave),
    cmocka_unit_test_setup_teardown(only_if_new, enter, leave),
    cmocka_unit_test_setup_teardown(refused, enter, leave),
    cmocka_unit_test_setup_teardown(a_process_that_ends_removes_what_is_unfinished, enter, leave),
    cmocka_unit_test_setup_teardown(modes, enter, leave),
    cmocka_unit_test_setup_teardown(joined, enter, leave),
    cmocka_unit_test_setup_teardown(joined_in_place, enter, leave),
    cmocka_unit_test_setup_teardown(planted_contents, enter, leave),
    cmocka_unit_test_setup_teardown(names_of_another, enter, leave),
    cmocka_unit_test_setup_teardown(file_of_another, enter, leave),
};
static int writes, written;
static ssize_t count_write(void *cookie, const char *data, size_t bytes) {
  (void)cookie, (void)data;
  writes++;
  written += (int)bytes;
  return (ssize_t)bytes;
}

/* Several ranks have one standard error. */
HARNESS_TEST(a_line_is_one_write) {
  FILE *before = stderr, *counted = fopencookie(NULL, "w", (cookie_io_functions_t){.write = count_write});
  assert_non_null(counted);
  setvbuf(counted, NULL, _IONBF, 0);
  stderr = counted;
  scree__say("%0300d\n", 1);
  const int one = writes, bytes = written;
  scree__say("%02000d\n", 1);
  stderr = before;
  fclose(counted);
  check_equal(one, 1);
  check_equal(bytes, 301);
  check_equal(written, 301 + 2001);
}

HARNESS_MAIN_OF(tests)
