/* launcher.c - the command that starts the ranks of a job: mpirun, mpiexec or a template.
 *
 * Handles what launchers require as root, with too few cores, and beside a second MPI. */
#include "study/run/launcher.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "package/allocation.h"
#include "study/util/fail.h"

/* The template with {ranks}, {nodes} and {ppn} replaced by their numbers; *count: how often {ranks} or both of the
 * others occur. The caller frees it. */
static char *fill(const study_launch *launch, size_t *count) {
  const struct {
    const char *name;
    uint64_t number;
  } words[] = {{"{ranks}", launch->ranks}, {"{nodes}", launch->nodes}, {"{ppn}", launch->ranks_per_node}};
  size_t found[3] = {0};
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  for (const char *at = launch->template; *at;) {
    size_t i = 0;
    while (i < 3 && strncmp(at, words[i].name, strlen(words[i].name)) != 0) i++;
    if (i < 3)
      fprintf(to, "%llu", (unsigned long long)words[i].number), found[i]++, at += strlen(words[i].name);
    else
      fputc(*at++, to);
  }
  *count = found[0] + (found[1] && found[2]);
  return fclose(to) == 0 ? text : NULL;
}

static const char *expansion_error(int code) {
  return code == WRDE_BADCHAR
             ? "it contains one of | & ; < > ( ) { } outside quotes; use a script that ends with exec instead"
         : code == WRDE_BADVAL  ? "it uses a variable that is not set"
         : code == WRDE_CMDSUB  ? "it contains a command substitution; use a script that ends with exec instead"
         : code == WRDE_NOSPACE ? "no memory"
                                : "its quotes are unbalanced";
}

static bool add_template(const study_launch *launch, study_words *words, study_why why) {
  wordexp_t list = {0};
  char path[PATH_MAX];
  size_t count = 0;
  char *text = fill(launch, &count);
  if (!text) return study_fail(why, "no memory for the launcher");
  int code = wordexp(text, &list, WRDE_NOCMD | WRDE_UNDEF);
  free(text);
  if (code) return study_fail(why, "launcher '%s': %s", launch->template, expansion_error(code));
  bool good = count > 0 && list.we_wordc > 0 && study_find_on_path(list.we_wordv[0], path);
  if (count == 0)
    study_fail(why, "launcher '%s' lacks {ranks}, the number of ranks, as in 'srun -n {ranks}', or {nodes} and {ppn}",
               launch->template);
  else if (!good)
    study_fail(why, "launcher '%s': the program '%s' was not found", launch->template, list.we_wordv[0]);
  for (size_t i = 0; good && i < list.we_wordc; i++) study_words_add(words, "%s", i ? list.we_wordv[i] : path);
  wordfree(&list);
  return good;
}

/* Cores per rank; 0: not bound. */
static bool read_bind(const study_launch *launch, uint64_t *cores, study_why why) {
  const uint64_t all = study_allocation_find().slots;
  const char *bind = launch->bind;
  if (!bind) return *cores = launch->ranks <= all, true;
  if (strcmp(bind, "none") == 0) return *cores = 0, true;
  if (strcmp(bind, "core") == 0) return *cores = 1, true;
  char *end;
  *cores = strncmp(bind, "core:", 5) || bind[5] < '1' || bind[5] > '9' ? 0 : strtoull(bind + 5, &end, 10);
  if (!*cores || *end || *cores > 1 << 16)
    return study_fail(why, "axis 'bind': '%s' is not legal; legal: none, core, core:N for N cores per rank", bind);
  if (*cores > 1 && *cores * launch->ranks > all)
    return study_fail(
        why,
        "axis 'bind': %llu ranks with %llu cores each need %llu cores, but only %llu are available; use fewer, or none",
        (unsigned long long)launch->ranks, (unsigned long long)*cores, (unsigned long long)(*cores * launch->ranks),
        (unsigned long long)all);
  return true;
}

static bool find_launcher(bool mpich, char path[PATH_MAX], study_why why) {
  const char *const names[2][2] = {{"mpirun.openmpi", "mpirun"}, {"mpiexec.hydra", "mpiexec"}};
  for (int i = 0; i < 2; i++)
    if (study_find_on_path(names[mpich][i], path)) return true;
  return study_fail(why, "neither %s nor %s is on PATH; install %s, or give --launcher, the command that starts ranks",
                    names[mpich][0], names[mpich][1],
                    mpich ? "MPICH (Debian: mpich)" : "Open MPI (Debian: openmpi-bin)");
}

static void add_open_mpi(const study_launch *launch, uint64_t cores, study_words *words, const study_words *env) {
  const study_allocation here = study_allocation_find();
  const bool crowded = launch->ranks > here.slots;
  if (crowded && !here.from) study_words_add(words, "--oversubscribe"); /* a batch system decides for itself */
  if (cores > 1 || launch->ranks_per_node) study_words_add(words, "--map-by");
  if (launch->ranks_per_node && cores > 1)
    study_words_add(words, "ppr:%llu:node:PE=%llu", (unsigned long long)launch->ranks_per_node,
                    (unsigned long long)cores);
  else if (launch->ranks_per_node)
    study_words_add(words, "ppr:%llu:node", (unsigned long long)launch->ranks_per_node);
  else if (cores > 1)
    study_words_add(words, "slot:PE=%llu", (unsigned long long)cores);
  study_words_add(words, "--bind-to");
  study_words_add(words, "%s", !cores ? "none" : crowded ? "core:overload-allowed" : "core");
  for (size_t i = 0; i < env->count; i++) {
    if (strncmp(env->word[i], "OMPI_", 5) == 0) continue; /* mpirun exports these itself */
    study_words_add(words, "-x");
    study_words_add(words, "%.*s", (int)strcspn(env->word[i], "="), env->word[i]);
  }
}

/* What allows more ranks than slots in the environment of Open MPI's launcher: ORTE, PRRTE. Each ignores the other's. */
static const char *const crowding[2][2] = {{"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                           {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"}};

static bool may_crowd(bool prrte) {
  const char *value = getenv(crowding[prrte][0]);
  return value && (prrte ? strcasestr(value, "oversubscribe") && !strcasestr(value, "nooversubscribe")
                         : strcmp(value, "0") != 0);
}

/* More ranks than the allocation has slots, or more nodes, are an error of the plan, unless they were asked for. */
static bool check_allocation(const study_launch *launch, study_why why) {
  const study_allocation here = study_allocation_find();
  const bool prrte = launch->program.prrte;
  if (launch->nodes > here.nodes)
    return study_fail(why, "axis 'nodes': %llu, but %s has %llu; use fewer, or start the sweep in a larger allocation",
                      (unsigned long long)launch->nodes, here.from ? here.from : "this machine alone",
                      (unsigned long long)here.nodes);
  if (!here.from || launch->ranks <= here.slots || may_crowd(prrte)) return true;
  return study_fail(why, "axis 'ranks': %llu, but the allocation (%s) has %llu slots; use fewer, or allow it by %s=%s",
                    (unsigned long long)launch->ranks, here.from, (unsigned long long)here.slots, crowding[prrte][0],
                    crowding[prrte][1]);
}

static bool add_default(const study_launch *launch, study_words *words, const study_words *env, study_why why) {
  const bool mpich = launch->program.mpich;
  uint64_t cores;
  char path[PATH_MAX];
  if (!check_allocation(launch, why) || !read_bind(launch, &cores, why) || !find_launcher(mpich, path, why))
    return false;
  study_words_add(words, "%s", path);
  study_words_add(words, "-n");
  study_words_add(words, "%llu", (unsigned long long)launch->ranks);
  if (!mpich) {
    add_open_mpi(launch, cores, words, env);
    return true;
  }
  if (launch->ranks_per_node) {
    study_words_add(words, "-ppn");
    study_words_add(words, "%llu", (unsigned long long)launch->ranks_per_node);
  }
  study_words_add(words, "-bind-to");
  if (cores > 1)
    study_words_add(words, "core:%llu", (unsigned long long)cores);
  else
    study_words_add(words, cores ? "core" : "none");
  return true;
}

/* The program's own ranks are on this machine, and it binds them. */
static bool check_local(const study_launch *launch, study_why why) {
  const bool placed = launch->nodes || launch->ranks_per_node;
  if (!placed && !launch->bind) return true;
  return study_fail(
      why,
      "axis '%s' cannot be combined with launcher 'local', whose ranks are on this machine, each bound to "
      "cores of its own; leave it out, or use launcher 'mpirun'",
      placed ? "nodes" : "bind");
}

bool study_add_launcher(const study_launch *launch, study_words *words, study_words *env, study_why why) {
  if (study_is_local(launch->template)) return check_local(launch, why);
  if (launch->template && launch->bind)
    return study_fail(why, "axis 'bind' cannot be combined with launcher '%s'; let the launcher bind the ranks",
                      launch->template);
  if (!(launch->template ? add_template(launch, words, why) : add_default(launch, words, env, why))) return false;
  if (!launch->program.mpich && geteuid() == 0) {
    study_words_add(env, "OMPI_ALLOW_RUN_AS_ROOT=1");
    study_words_add(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  }
  return true;
}
