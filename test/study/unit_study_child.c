/* unit_study_child.c - jobs that are started, watched and ended; the jobs are shells. */
#include "study/run/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

static char directory[] = "/tmp/unit_study_child.XXXXXX", mark[64];

static bool marked(void) {
  return access(mark, F_OK) == 0;
}

/* Is the process there, and no zombie? (Where no process reaps orphans, they remain zombies.) */
static bool runs(long pid) {
  char name[64], line[512] = "";
  snprintf(name, sizeof name, "/proc/%ld/stat", pid);
  FILE *file = fopen(name, "r");
  if (!file) return false;
  bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  const char *state = strrchr(line, ')');
  return read && state && state[2] != 'Z';
}

static void wait_until_gone(long pid) {
  while (runs(pid)) nanosleep(&(struct timespec){0, 10000000}, NULL); /* the watchdog ends what never returns */
}

static volatile sig_atomic_t stop;

static void stop_when_marked(void *unused) {
  if (marked()) stop = 1;
}

static study_outcome shell(const char *script, double timeout) {
  char variable[96], *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
  char *env[] = {variable, (char[]){"ADDED=some words"}, NULL};
  snprintf(variable, sizeof variable, "MARK=%s", mark);
  stop = 0;
  unlink(mark);
  study_outcome o = study_child_run(argv, env, timeout, &stop, stop_when_marked, NULL);
  check(o.out && o.err);
  return o;
}

static void forget(study_outcome *o) {
  free(o->out);
  free(o->err);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static void ends_with(const char *script, int code, const char *out, const char *err) {
  study_outcome o = shell(script, 60);
  check_text(o.exit == code, "'%s' ended with %d, not %d", script, o.exit, code);
  check(!o.timed_out && !o.stopped && o.seconds > 0);
  check_string(o.out, out);
  check_string(o.err, err);
  forget(&o);
}

HARNESS_TEST(exit_codes) {
  ends_with("echo good", 0, "good\n", "");
  ends_with("echo good; echo bad >&2; exit 3", 3, "good\n", "bad\n");
  ends_with("kill -SEGV $$", 128 + SIGSEGV, "", "");
  ends_with("kill -KILL $$", 128 + SIGKILL, "", "");
  ends_with("echo \"$ADDED\"; cat", 0, "some words\n", "");
  ends_with("exec >&- 2>&-; exit 4", 4, "", "");
}

HARNESS_TEST(not_started) {
  char *argv[] = {(char[]){"/nowhere/to be found"}, NULL};
  study_outcome o = study_child_run(argv, NULL, 60, NULL, NULL, NULL);
  check_equal(o.exit, -1);
  check_string(o.out, "");
  check_contains(o.err, "'/nowhere/to be found' could not be started: No such file");
  forget(&o);
}

/* The signals of this process are not the job's. */
HARNESS_TEST(signals_are_reset) {
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  signal(SIGXFSZ, SIG_IGN);
  ends_with("kill -TERM $$; echo no", 128 + SIGTERM, "", "");
  ends_with("kill -XFSZ $$; echo no", 128 + SIGXFSZ, "", "");
  signal(SIGXFSZ, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static bool all(const char *text, size_t n, char c) {
  for (size_t i = 0; i < n; i++)
    if (text[i] != c) return false;
  return true;
}

/* More than any pipe holds on both, in an order that blocks who reads one after the other. */
HARNESS_TEST(big_output) {
  study_outcome o = shell("head -c 3000000 /dev/zero | tr '\\0' e >&2; head -c 5000000 /dev/zero | tr '\\0' o;"
                          "head -c 3000000 /dev/zero | tr '\\0' E >&2; printf end >&2",
                          60);
  check_equal(o.exit, 0);
  check_equal(strlen(o.out), 5000000);
  check(all(o.out, 5000000, 'o'));
  check_equal(strlen(o.err), 65536);
  check(all(o.err, 65533, 'E'));
  check_string(o.err + 65533, "end");
  forget(&o);
}

/* Who writes without end keeps nobody from the clock. */
HARNESS_TEST(endless_output) {
  study_outcome o = shell("exec yes", 1);
  check(o.timed_out && !o.stopped);
  check_equal(o.exit, 128 + SIGUSR1);
  check(strlen(o.out) <= 16 << 20);
  forget(&o);
}

/* ---- told to end ------------------------------------------------------------------------------------------------- */

/* Two seconds: time enough for a shell to set a trap. */
HARNESS_TEST(timeout_is_told) {
  study_outcome o =
      shell("trap 'echo report >&2; trap \"echo term >&2; exit 9\" TERM' USR1; while :; do sleep 0.02; done", 2);
  check(o.timed_out && !o.stopped);
  check_equal(o.exit, 9);
  check_contains(o.err, "report\n");
  check_contains(o.err, "term\n");
  forget(&o);
}

HARNESS_TEST(stopped) {
  study_outcome o = shell("echo begun; : >$MARK; sleep 1000; echo no", 60);
  check(o.stopped && !o.timed_out);
  check_equal(o.exit, 128 + SIGTERM);
  check_string(o.out, "begun\n");
  forget(&o);
}

HARNESS_TEST(stopped_against_its_will) {
  study_outcome o = shell("trap '' TERM; : >$MARK; while :; do sleep 0.1; done", 60);
  check(o.stopped);
  check_equal(o.exit, 128 + SIGKILL);
  forget(&o);
}

/* ---- what is left behind ----------------------------------------------------------------------------------------- */

HARNESS_TEST(grandchild_holds_the_pipe) {
  study_outcome o = shell("sleep 1000 & echo $!", 60);
  check_equal(o.exit, 0);
  wait_until_gone(atol(o.out));
  forget(&o);
  o = shell("setsid sleep 1000 & echo $!", 60); /* out of reach, and not waited for */
  check_equal(o.exit, 0);
  kill((pid_t)atol(o.out), SIGKILL);
  forget(&o);
}

/* Reads a number that a job has put into the mark. */
static long marked_pid(void) {
  long pid = 0;
  while (pid == 0) {
    FILE *file = fopen(mark, "r");
    if (file && fscanf(file, "%ld\n", &pid) != 1) pid = 0;
    if (file) fclose(file);
  }
  return pid;
}

/* A process that is killed while it runs a job: the job ends too, and what the job has started. */
HARNESS_TEST(ends_with_its_parent) {
  for (int round = 0; round < 3; round++) {
    unlink(mark);
    pid_t pid = fork();
    if (pid == 0) {
      char script[256], *argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
      snprintf(script, sizeof script, "sleep 1000 & echo $! >%s.part; mv %s.part %s; wait; sleep 1000", mark, mark,
               mark);
      study_child_run(argv, NULL, 60, NULL, NULL, NULL);
      _exit(0);
    }
    long job = marked_pid();
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    wait_until_gone(job);
    check(!runs(job));
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exit_codes),
                                     cmocka_unit_test(not_started),
                                     cmocka_unit_test(signals_are_reset),
                                     cmocka_unit_test(big_output),
                                     cmocka_unit_test(endless_output),
                                     cmocka_unit_test(timeout_is_told),
                                     cmocka_unit_test(stopped),
                                     cmocka_unit_test(stopped_against_its_will),
                                     cmocka_unit_test(grandchild_holds_the_pipe),
                                     cmocka_unit_test(ends_with_its_parent)};
  if (!mkdtemp(directory)) return 1;
  snprintf(mark, sizeof mark, "%s/mark", directory);
  int rc = harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  unlink(mark);
  rmdir(directory);
  return rc;
}
