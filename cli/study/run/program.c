/* program.c - which scree runs a job, and of which MPI it is. */
#include "study/run/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/version.h"
#include "study/run/child.h"
#include "study/util/fail.h"

bool study_find_on_path(const char *name, char path[PATH_MAX]) {
  if (strchr(name, '/')) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
  const char *at = getenv("PATH");
  for (; at && *at; at += at[strcspn(at, ":")] == ':' ? strcspn(at, ":") + 1 : strcspn(at, ":")) {
    int n = (int)strcspn(at, ":");
    if (n && snprintf(path, PATH_MAX, "%.*s/%s", n, at, name) < PATH_MAX && access(path, X_OK) == 0) return true;
  }
  return false;
}

/* True if `word` is in the text and not part of a longer word. */
static bool has_word(const char *text, const char *word) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
    const char next = at[strlen(word)];
    if ((at == text || !strchr(letters, at[-1])) && (!next || !strchr(letters, next))) return true;
  }
  return false;
}

/* The MPI that a version text names: 'm' mpich, 'o' openmpi, 'p' openmpi from version 5 on, '?' neither. */
static char mpi_in(const char *text) {
  static const char version[] = "Open MPI v";
  const char *number = strstr(text, version);
  if (has_word(text, "mpich")) return 'm';
  if (!has_word(text, "openmpi")) return '?';
  return number && strtoul(number + strlen(version), NULL, 10) >= 5 ? 'p' : 'o';
}

/* The MPI according to `PATH --version`; 0: it did not run, with the reason in why. */
static char query_mpi(const char *path, study_why why) {
  static const volatile sig_atomic_t never = 0;
  char *argv[] = {(char *)path, (char *)"--version", NULL}, *env[] = {NULL};
  study_outcome outcome = study_child_run(argv, env, 30, &never, NULL, NULL);
  char answer = '?';
  if (outcome.exit) {
    answer = 0;
    study_fail(why, "'%s --version' ended with code %d%s%.200s", path, outcome.exit,
               outcome.err && *outcome.err ? ": " : "", outcome.err ? outcome.err : "");
    why.text[strcspn(why.text, "\n")] = 0;
  } else if (outcome.out) {
    answer = mpi_in(outcome.out);
  }
  free(outcome.out);
  free(outcome.err);
  return answer;
}

static char own_mpi(void) {
  char version[256], text[300];
  cli_mpi_version(version, sizeof version);
  snprintf(text, sizeof text, "%s %s", cli_mpi_name(), version);
  return mpi_in(text);
}

static bool own_path(char path[PATH_MAX], study_why why) {
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (n < 0) return study_fail(why, "cannot read /proc/self/exe to find this program: %s", strerror(errno));
  path[n] = 0;
  return true;
}

/* A program of another MPI than this one: in a build directory beside that of this program, or on PATH. */
static bool find_other(const char *mpi, char path[PATH_MAX], char *found, study_why why) {
  const char *const paths[] = {"../build-mpich/scree", "../build-openmpi/scree", "../build/scree"};
  char own[PATH_MAX], name[32], ignored[256];
  if (!own_path(own, why)) return false;
  *strrchr(own, '/') = 0;
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    if (snprintf(path, PATH_MAX, "%s/%s", own, paths[i]) >= PATH_MAX || access(path, X_OK) != 0) continue;
    *found = query_mpi(path, (study_why){ignored, sizeof ignored});
    if ((*mpi == 'm') == (*found == 'm') && *found && *found != '?') return true;
  }
  snprintf(name, sizeof name, "scree-%s", mpi);
  if (study_find_on_path(name, path)) {
    *found = query_mpi(path, (study_why){ignored, sizeof ignored});
    if (*found != 'p') *found = *mpi;
    return true;
  }
  return study_fail(why,
                    "axis 'mpi': no scree for '%s' was found: this one is for %s, no build directory beside it has "
                    "one, and %s is not on PATH; './dev build build-%s -Dmpi=%s' builds one",
                    mpi, cli_mpi_name(), name, mpi, mpi);
}

/* *found: as mpi_in() */
static bool find_program(const char *mpi, char path[PATH_MAX], char *found, study_why why) {
  const bool named = mpi && (!strcmp(mpi, "mpich") || !strcmp(mpi, "openmpi"));
  char said[256] = "";
  *found = own_mpi();
  if (!mpi || (named && (*mpi == 'm') == (*found == 'm'))) return own_path(path, why);
  if (named) return find_other(mpi, path, found, why);
  if (!strchr(mpi, '/'))
    return study_fail(why, "axis 'mpi': '%s' is not legal; legal: openmpi, mpich, or the path of a scree program", mpi);
  if (!study_find_on_path(mpi, path))
    return study_fail(why, "axis 'mpi': '%s' is not an executable program: %s", mpi, strerror(errno));
  *found = query_mpi(path, (study_why){said, sizeof said});
  return *found || study_fail(why, "axis 'mpi': %s", said);
}

bool study_find_program(const char *mpi, study_program *program, study_why why) {
  static struct {
    char *mpi;
    study_program program;
  } known[32];
  static size_t count;
  const char *key = mpi ? mpi : "";
  for (size_t i = 0; i < count; i++)
    if (strcmp(known[i].mpi, key) == 0) return *program = known[i].program, true;
  char path[PATH_MAX], found;
  if (count == sizeof known / sizeof known[0]) return study_fail(why, "axis 'mpi': more than %zu values", count);
  if (!find_program(mpi, path, &found, why)) return false;
  known[count].mpi = strdup(key);
  known[count].program = (study_program){strdup(path), found == 'm', found == 'p'};
  if (!known[count].mpi || !known[count].program.path) return study_fail(why, "no memory for the path of a program");
  *program = known[count++].program;
  return true;
}
