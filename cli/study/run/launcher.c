/* launcher.c - programs and what starts their ranks.
 *
 * Room: see launcher.h. What root, too few cores and a second MPI on the same system ask of the launchers is here. */
#include "study/run/launcher.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "commands/version.h"
#include "study/run/child.h"
#include "study/run/launch.h"

bool study_fail(study_why why, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(why.text, why.size, format, list);
  va_end(list);
  return false;
}

/* ---- words ---- */

void study_words_add(study_words *words, const char *format, ...) {
  char **longer = realloc(words->word, (words->count + 2) * sizeof *longer), *text = NULL;
  va_list list;
  va_start(list, format);
  if (longer) words->word = longer;
  if (!longer || vasprintf(&text, format, list) < 0)
    words->lost = true;
  else
    words->word[words->count++] = text;
  va_end(list);
  if (longer) longer[words->count] = NULL;
}

void study_words_free(study_words *words) {
  for (size_t i = 0; i < words->count; i++) free(words->word[i]);
  free(words->word);
  *words = (study_words){0};
}

/* ---- programs ---- */

/* The file that a shell would run by that name. */
static bool find_on_path(const char *name, char path[PATH_MAX]) {
  if (strchr(name, '/')) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
  const char *at = getenv("PATH");
  for (; at && *at; at += at[strcspn(at, ":")] == ':' ? strcspn(at, ":") + 1 : strcspn(at, ":")) {
    int n = (int)strcspn(at, ":");
    if (n && snprintf(path, PATH_MAX, "%.*s/%s", n, at, name) < PATH_MAX && access(path, X_OK) == 0) return true;
  }
  return false;
}

/* Is `word` in the text, between characters that no name has? */
static bool has_word(const char *text, const char *word) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
    const char behind = at[strlen(word)];
    if ((at == text || !strchr(letters, at[-1])) && (!behind || !strchr(letters, behind))) return true;
  }
  return false;
}

/* What `PATH --version` says: 'm' mpich, 'o' openmpi, '?' neither, 0: it did not run; then the reason is in why. */
static char ask(const char *path, study_why why) {
  static const volatile bool never = false;
  char *argv[] = {(char *)path, (char *)"--version", NULL}, *env[] = {NULL};
  study_outcome told = study_child_run(argv, env, 30, &never, NULL, NULL);
  char answer = '?';
  if (told.exit) {
    answer = 0;
    study_fail(why, "'%s --version' ended with code %d%s%.200s", path, told.exit, told.err && *told.err ? ": " : "",
               told.err ? told.err : "");
    why.text[strcspn(why.text, "\n")] = 0;
  } else if (told.out && has_word(told.out, "mpich")) {
    answer = 'm';
  } else if (told.out && has_word(told.out, "openmpi")) {
    answer = 'o';
  }
  free(told.out);
  free(told.err);
  return answer;
}

static bool is_own_mpich(void) {
  return strcmp(cli_mpi_name(), "mpich") == 0;
}

static bool own_path(char path[PATH_MAX], study_why why) {
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (n < 0) return study_fail(why, "/proc/self/exe, which names this program, cannot be read: %s", strerror(errno));
  path[n] = 0;
  return true;
}

/* A program of the MPI that this one is not of: in a build directory beside its own, or on PATH. */
static bool find_other(const char *mpi, char path[PATH_MAX], study_why why) {
  const char *const places[] = {"../build-mpich/scree", "../build-openmpi/scree", "../build/scree"};
  char own[PATH_MAX], name[32], ignored[256];
  if (!own_path(own, why)) return false;
  *strrchr(own, '/') = 0;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
    if (snprintf(path, PATH_MAX, "%s/%s", own, places[i]) < PATH_MAX && access(path, X_OK) == 0 &&
        ask(path, (study_why){ignored, sizeof ignored}) == *mpi)
      return true;
  snprintf(name, sizeof name, "scree-%s", mpi);
  if (find_on_path(name, path)) return true;
  return study_fail(
      why,
      "axis 'mpi': no scree of '%s' was found: this one is of %s, none stands in a build directory beside "
      "it, and %s is not on PATH; './dev build build-%s -Dmpi=%s' builds one",
      mpi, cli_mpi_name(), name, mpi, mpi);
}

static bool find_program(const char *mpi, char path[PATH_MAX], bool *mpich, study_why why) {
  const bool named = mpi && (!strcmp(mpi, "mpich") || !strcmp(mpi, "openmpi"));
  char said[256] = "";
  *mpich = mpi ? !strcmp(mpi, "mpich") : is_own_mpich();
  if (!mpi || (named && *mpich == is_own_mpich())) return own_path(path, why);
  if (named) return find_other(mpi, path, why);
  if (!strchr(mpi, '/'))
    return study_fail(why, "axis 'mpi': '%s' is not legal; legal: openmpi, mpich, or the path of a scree program", mpi);
  if (!find_on_path(mpi, path))
    return study_fail(why, "axis 'mpi': '%s' is no program that can be run: %s", mpi, strerror(errno));
  char answer = ask(path, (study_why){said, sizeof said});
  *mpich = answer == 'm';
  return answer || study_fail(why, "axis 'mpi': %s", said);
}

bool study_find_program(const char *mpi, study_program *program, study_why why) {
  static struct {
    char *mpi, *path;
    bool mpich;
  } known[32];
  static size_t count;
  const char *key = mpi ? mpi : "";
  for (size_t i = 0; i < count; i++)
    if (strcmp(known[i].mpi, key) == 0) return *program = (study_program){known[i].path, known[i].mpich}, true;
  char path[PATH_MAX];
  bool mpich;
  if (count == sizeof known / sizeof known[0]) return study_fail(why, "axis 'mpi': more than %zu values", count);
  if (!find_program(mpi, path, &mpich, why)) return false;
  known[count].mpi = strdup(key);
  known[count].path = strdup(path);
  known[count].mpich = mpich;
  if (!known[count].mpi || !known[count].path) return study_fail(why, "no memory for the path of a program");
  *program = (study_program){known[count].path, mpich};
  count++;
  return true;
}

/* ---- launchers ---- */

/* The template with the number of ranks in the place of {ranks}, in memory of its own. */
static char *fill(const char *template, uint64_t ranks, size_t *places) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  for (*places = 0; *template;) {
    bool here = strncmp(template, "{ranks}", 7) == 0;
    if (here)
      fprintf(to, "%llu", (unsigned long long)ranks);
    else
      fputc(*template, to);
    *places += here;
    template += here ? 7 : 1;
  }
  return fclose(to) == 0 ? text : NULL;
}

static const char *expansion_error(int code) {
  return code == WRDE_BADCHAR
             ? "it has one of | & ; < > ( ) { } outside quotes; put them into a script that ends in exec"
         : code == WRDE_BADVAL  ? "it names a variable that is not set"
         : code == WRDE_CMDSUB  ? "it runs a command; put that into a script that ends in exec"
         : code == WRDE_NOSPACE ? "no memory"
                                : "its quotes do not match";
}

static bool add_template(const study_launch *launch, study_words *words, study_why why) {
  wordexp_t list = {0};
  char path[PATH_MAX];
  size_t places = 0;
  char *text = fill(launch->template, launch->ranks, &places);
  if (!text) return study_fail(why, "no memory for the launcher");
  int code = wordexp(text, &list, WRDE_NOCMD | WRDE_UNDEF);
  free(text);
  if (code) return study_fail(why, "launcher '%s': %s", launch->template, expansion_error(code));
  bool good = places > 0 && list.we_wordc > 0 && find_on_path(list.we_wordv[0], path);
  if (places == 0)
    study_fail(why, "launcher '%s' has no {ranks}, where their number goes, as in 'srun -n {ranks}'", launch->template);
  else if (!good)
    study_fail(why, "launcher '%s': the program '%s' was not found", launch->template, list.we_wordv[0]);
  for (size_t i = 0; good && i < list.we_wordc; i++) study_words_add(words, "%s", i ? list.we_wordv[i] : path);
  wordfree(&list);
  return good;
}

/* Cores a rank, 0: not bound. */
static bool read_bind(const study_launch *launch, uint64_t *cores, study_why why) {
  const uint64_t all = study_cores();
  const char *bind = launch->bind;
  if (!bind) return *cores = launch->ranks <= all, true;
  if (strcmp(bind, "none") == 0) return *cores = 0, true;
  if (strcmp(bind, "core") == 0) return *cores = 1, true;
  char *end;
  *cores = strncmp(bind, "core:", 5) || bind[5] < '1' || bind[5] > '9' ? 0 : strtoull(bind + 5, &end, 10);
  if (!*cores || *end || *cores > 1 << 16)
    return study_fail(why, "axis 'bind': '%s' is not legal; legal: none, core, core:N for N cores a rank", bind);
  if (*cores > 1 && *cores * launch->ranks > all)
    return study_fail(why,
                      "axis 'bind': %llu ranks of %llu cores each need %llu, and %llu are here; take fewer, or none",
                      (unsigned long long)launch->ranks, (unsigned long long)*cores,
                      (unsigned long long)(*cores * launch->ranks), (unsigned long long)all);
  return true;
}

static bool find_launcher(bool mpich, char path[PATH_MAX], study_why why) {
  const char *const names[2][2] = {{"mpirun.openmpi", "mpirun"}, {"mpiexec.hydra", "mpiexec"}};
  for (int i = 0; i < 2; i++)
    if (find_on_path(names[mpich][i], path)) return true;
  return study_fail(why, "neither %s nor %s is on PATH; install %s, or say by --launcher how ranks are started",
                    names[mpich][0], names[mpich][1],
                    mpich ? "MPICH (Debian: mpich)" : "Open MPI (Debian: openmpi-bin)");
}

static void add_open_mpi(const study_launch *launch, uint64_t cores, study_words *words, const study_words *env) {
  const bool crowded = launch->ranks > study_cores();
  if (crowded) study_words_add(words, "--oversubscribe");
  if (cores > 1) {
    study_words_add(words, "--map-by");
    study_words_add(words, "slot:PE=%llu", (unsigned long long)cores);
  }
  study_words_add(words, "--bind-to");
  study_words_add(words, "%s", !cores ? "none" : crowded ? "core:overload-allowed" : "core");
  for (size_t i = 0; i < env->count; i++) {
    if (strncmp(env->word[i], "OMPI_", 5) == 0) continue; /* passed on unasked */
    study_words_add(words, "-x");
    study_words_add(words, "%.*s", (int)strcspn(env->word[i], "="), env->word[i]);
  }
}

static bool add_default(const study_launch *launch, study_words *words, const study_words *env, study_why why) {
  const bool mpich = launch->program.mpich;
  uint64_t cores;
  char path[PATH_MAX];
  if (!read_bind(launch, &cores, why) || !find_launcher(mpich, path, why)) return false;
  study_words_add(words, "%s", path);
  study_words_add(words, "-n");
  study_words_add(words, "%llu", (unsigned long long)launch->ranks);
  if (!mpich) {
    add_open_mpi(launch, cores, words, env);
    return true;
  }
  study_words_add(words, "-bind-to");
  if (cores > 1)
    study_words_add(words, "core:%llu", (unsigned long long)cores);
  else
    study_words_add(words, cores ? "core" : "none");
  return true;
}

bool study_add_launcher(const study_launch *launch, study_words *words, study_words *env, study_why why) {
  if (launch->template && launch->bind)
    return study_fail(why, "axis 'bind' cannot go with launcher '%s', which says itself how ranks are bound",
                      launch->template);
  if (!(launch->template ? add_template(launch, words, why) : add_default(launch, words, env, why))) return false;
  if (!launch->program.mpich && geteuid() == 0) {
    study_words_add(env, "OMPI_ALLOW_RUN_AS_ROOT=1");
    study_words_add(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  }
  return true;
}
