/* unit_study_launch.c - the command line of a configuration: launchers of both MPIs, variables, all refusals.
 *
 * Launchers and programs of other MPIs are scripts in a directory that is the whole PATH. */
#include "study/run/launch.h"

#include <sys/stat.h>
#include <unistd.h>

#include "args/version.h"
#include "harness.h"
#include "package/machine.h"
#include "study/run/eager.h"

static char dir[64], why[1024];

static void script(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *file = fopen(path, "w");
  if (!check(file != NULL)) return;
  fprintf(file, "#!/bin/sh\necho run >>%s/asked\n%s\n", dir, text);
  fclose(file);
  check(chmod(path, 0755) == 0);
}

/* A configuration from "NAME=VALUE|NAME=VALUE"; cut() writes into its text. */
typedef struct {
  char text[1024];
  study_setting settings[16];
  study_configuration c;
} configuration;

static const study_configuration *cut(configuration *of, const char *text) {
  of->c = (study_configuration){of->settings, 0, text};
  snprintf(of->text, sizeof of->text, "%s", text);
  for (char *rest = of->text, *one; (one = strsep(&rest, "|"));) {
    char *value = strchr(one, '=');
    *value++ = 0;
    of->settings[of->c.count++] = (study_setting){one, value};
  }
  return &of->c;
}

/* In the text, "DIR" for the directory of the scripts, "THIS" for this program. */
static void shorten(char *text, size_t size) {
  char own[4096], all[8192] = "";
  ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
  own[n > 0 ? n : 0] = 0;
  for (const char *at = text; *at;) {
    size_t used = strlen(all), d = strlen(dir), o = strlen(own);
    if (strncmp(at, dir, d) == 0)
      at += d, strcat(all, "DIR");
    else if (o && strncmp(at, own, o) == 0)
      at += o, strcat(all, "THIS");
    else
      all[used] = *at++, all[used + 1] = 0;
  }
  snprintf(text, size, "%s", all);
}

static void join(char *const *words, char *text, size_t size) {
  text[0] = 0;
  for (; *words; words++) snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? " " : "", *words);
  shorten(text, size);
}

/* The words of the command, or "refused: WHY". */
static const char *words(const char *text, const char *launcher) {
  static char line[8192];
  configuration of;
  study_command *command = study_command_make(cut(&of, text), launcher, false, why, sizeof why);
  snprintf(line, sizeof line, "refused: %s", why);
  if (command) join(command->argv, line, sizeof line);
  study_command_free(command);
  return line;
}

static void takes(const char *text, const char *expected) {
  check_string(words(text, NULL), expected);
}

static void refuses(const char *text, const char *part) {
  const char *line = words(text, NULL);
  check_contains(line, "refused: ");
  check_contains(line, part);
}

#define OPEN  "mpi=DIR/open|"
#define MPICH "mpi=DIR/mpich|"

/* A text with the directory in the place of DIR. */
static const char *at(const char *text) {
  static char all[1024];
  const char *place = strstr(text, "DIR");
  if (!place) return text;
  snprintf(all, sizeof all, "%.*s%s%s", (int)(place - text), text, dir, place + 3);
  return all;
}

/* ---- what it makes ---- */

HARNESS_TEST(words_of_both) {
  takes(at(OPEN "scale=8|ranks=1"), "DIR/mpirun.openmpi -n 1 --bind-to core DIR/open sssp kron:8 --warmup 1 --json -");
  takes(at(MPICH "scale=8|ranks=1"), "DIR/mpiexec.hydra -n 1 -bind-to core DIR/mpich sssp kron:8 --warmup 1 --json -");
  takes(at(OPEN "kernel=bfs|graph=kron:8,4|bind=none|ranks=1|algorithm=dc|no-pruning=on|directed=off|warmup=3|"
                "coalesce-bytes=4K"),
        "DIR/mpirun.openmpi -n 1 --bind-to none DIR/open bfs kron:8,4 --algorithm dc --no-pruning --warmup 3 "
        "--coalesce-bytes 4K --json -");
  takes(at(MPICH "kernel=pagerank|scale=8|bind=none|damping=0.5"),
        "DIR/mpiexec.hydra -n 2 -bind-to none DIR/mpich pagerank kron:8 --damping 0.5 --warmup 1 --json -");
  takes(at(OPEN "scale=8|ranks=1|bind=core:1"),
        "DIR/mpirun.openmpi -n 1 --bind-to core DIR/open sssp kron:8 --warmup 1 --json -");
}

HARNESS_TEST(more_ranks_than_cores) {
  char text[256], expected[512];
  unsigned long long ranks = study_cores() + 1;
  snprintf(text, sizeof text, "mpi=%s/open|scale=8|ranks=%llu", dir, ranks);
  snprintf(expected, sizeof expected,
           "DIR/mpirun.openmpi -n %llu --oversubscribe --bind-to none DIR/open sssp kron:8 --warmup 1 --json -", ranks);
  takes(text, expected);
  snprintf(text, sizeof text, "mpi=%s/open|scale=8|ranks=%llu|bind=core", dir, ranks);
  check_contains(words(text, NULL), "--oversubscribe --bind-to core:overload-allowed");
  snprintf(text, sizeof text, "mpi=%s/mpich|scale=8|ranks=%llu", dir, ranks);
  check_contains(words(text, NULL), "-bind-to none");
  snprintf(text, sizeof text, "scale=8|ranks=%llu|bind=core:2", ranks);
  refuses(text, "ranks with 2 cores each need");
}

/* In an allocation the message names the variable that the Open MPI obeys, and that one alone allows it. */
HARNESS_TEST(more_ranks_than_slots) {
  static const struct {
    const char *program, *name, *value, *no;
  } rows[] = {{"open", "OMPI_MCA_rmaps_base_oversubscribe", "1", "0"},
              {"open5", "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", "slot:nooversubscribe"}};
  setenv("SLURM_JOB_NUM_NODES", "1", 1);
  setenv("SLURM_NTASKS", "2", 1);
  for (int i = 0; i < 2; i++) unsetenv(rows[i].name);
  for (int i = 0; i < 2; i++) {
    char text[256], remedy[128];
    snprintf(text, sizeof text, "mpi=%s/%s|scale=8|ranks=3", dir, rows[i].program);
    snprintf(remedy, sizeof remedy, "has 2 slots; use fewer, or allow it by %s=%s", rows[i].name, rows[i].value);
    refuses(text, remedy);
    setenv(rows[!i].name, rows[!i].value, 1);
    refuses(text, remedy);
    setenv(rows[i].name, rows[i].no, 1);
    refuses(text, remedy);
    setenv(rows[i].name, rows[i].value, 1);
    check_contains(words(text, NULL), " -n 3 --bind-to none ");
    for (int k = 0; k < 2; k++) unsetenv(rows[k].name);
  }
  unsetenv("SLURM_JOB_NUM_NODES");
  unsetenv("SLURM_NTASKS");
}

HARNESS_TEST(as_many_ranks_as_cores) {
  char text[256];
  snprintf(text, sizeof text, "mpi=%s/open|scale=8|ranks=%llu", dir, (unsigned long long)study_cores());
  check_contains(words(text, NULL), " --bind-to core DIR");
}

HARNESS_TEST(several_cores_a_rank) {
  if (study_cores() < 2) harness_skip("one core");
  check_contains(words(at(OPEN "scale=8|ranks=1|bind=core:2"), NULL), "--map-by slot:PE=2 --bind-to core DIR");
  check_contains(words(at(MPICH "scale=8|ranks=1|bind=core:2"), NULL), "-bind-to core:2 DIR");
}

HARNESS_TEST(variables) {
  configuration of;
  char line[1024];
  const char *text = at(OPEN "scale=8|ranks=1|env.SCREE_SPIN=0|env.OMPI_MCA_x=two words|env.A1=");
  study_command *command = study_command_make(cut(&of, text), NULL, true, why, sizeof why);
  if (!check_text(command != NULL, "%s", why)) return;
  join(command->argv, line, sizeof line);
  check_string(line, "DIR/mpirun.openmpi -n 1 --bind-to core -x SCREE_SPIN -x A1 DIR/open sssp kron:8 --warmup 1 "
                     "--validate --json -");
  join(command->env, line, sizeof line);
  check_string(line, geteuid() ? "SCREE_SPIN=0 OMPI_MCA_x=two words A1="
                               : "SCREE_SPIN=0 OMPI_MCA_x=two words A1= OMPI_ALLOW_RUN_AS_ROOT=1 "
                                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  check_equal(command->ranks, 1);
  check(!command->too_many);
  study_command_free(command);
  study_command_free(NULL);
  check(!strstr(words(at(MPICH "scale=8|ranks=1|env.A=1"), NULL), "-x"));
}

static bool too_many(const char *mpi, unsigned long long ranks, const char *more) {
  char text[256];
  configuration of;
  snprintf(text, sizeof text, "mpi=%s/%s|scale=8|bind=none|ranks=%llu%s", dir, mpi, ranks, more);
  study_command *command = study_command_make(cut(&of, text), NULL, false, why, sizeof why);
  bool answer = check_text(command != NULL, "%s", why) && command->too_many;
  study_command_free(command);
  return answer;
}

HARNESS_TEST(threads_and_cores) {
  const unsigned long long cores = study_cores();
  check(!too_many("mpich", cores, ""));
  check(too_many("mpich", cores + 1, ""));
  check(too_many("mpich", cores, "|env.MPIR_CVAR_ASYNC_PROGRESS=1"));
  check(too_many("mpich", cores, "|env.MPICH_ASYNC_PROGRESS=1"));
  check(!too_many("mpich", cores, "|env.MPIR_CVAR_ASYNC_PROGRESS=0"));
  check(!too_many("open", cores, "|env.MPIR_CVAR_ASYNC_PROGRESS=1"));
  configuration of; /* ranks of a template may be elsewhere */
  study_command *command = study_command_make(cut(&of, "scale=8|ranks=100000"), "open {ranks}", false, why, sizeof why);
  check(command && !command->too_many);
  study_command_free(command);
}

HARNESS_TEST(this_program) {
  char text[64];
  check_contains(words("scale=8|ranks=1", NULL), " THIS sssp kron:8");
  snprintf(text, sizeof text, "scale=8|ranks=1|mpi=%s", cli_mpi_name());
  check_contains(words(text, NULL), " THIS sssp kron:8");
}

/* The one that this program is not of is found on PATH. */
HARNESS_TEST(the_other_mpi) {
  const char *other = strcmp(cli_mpi_name(), "mpich") == 0 ? "openmpi" : "mpich";
  char text[64], name[32], part[64], path[128];
  snprintf(text, sizeof text, "scale=9|ranks=1|mpi=%s", other);
  snprintf(part, sizeof part, "./dev build build-%s -Dmpi=%s", other, other);
  refuses(text, part);
  snprintf(name, sizeof name, "scree-%s", other);
  script(name, "");
  snprintf(part, sizeof part, "DIR/%s sssp kron:9", name);
  check_contains(words(text, NULL), part);
  snprintf(path, sizeof path, "%s/%s", dir, name);
  unlink(path);
}

HARNESS_TEST(asked_once) {
  char path[128];
  snprintf(path, sizeof path, "%s/asked", dir);
  unlink(path);
  script("once", "echo scree 9; echo mpi: mpich");
  for (int i = 0; i < 3; i++) check_contains(words(at("mpi=DIR/once|scale=8|ranks=1"), NULL), "mpiexec.hydra");
  struct stat status;
  check(stat(path, &status) == 0 && status.st_size == 4);
}

HARNESS_TEST(says_nothing_of_mpi) {
  script("silent", "echo scree of mpichx and openmpi4, xmpich");
  check_contains(words(at("mpi=DIR/silent|scale=8|ranks=1"), NULL), "mpirun.openmpi");
  script("broken", "echo no library >&2; exit 3");
  refuses(at("mpi=DIR/broken|scale=8"), "--version' ended with code 3");
}

/* ---- no launcher ---- */

HARNESS_TEST(local) {
  check_string(words(at(OPEN "scale=8|ranks=3"), "local"), "DIR/open sssp kron:8 --ranks 3 --warmup 1 --json -");
  check_string(words(at(OPEN "scale=8|ranks=1"), "mpirun"),
               "DIR/mpirun.openmpi -n 1 --bind-to core DIR/open sssp kron:8 --warmup 1 --json -");
  check_contains(words("scale=8|bind=core", "local"), "refused: axis 'bind' cannot be combined with launcher 'local'");
  check_contains(words("scale=8|nodes=2", "local"), "refused: axis 'nodes' cannot be combined with launcher 'local'");
  check_string(words(at(OPEN "scale=8|ranks=1|launcher=local"), "mpirun"),
               "DIR/open sssp kron:8 --ranks 1 --warmup 1 --json -");
  check_contains(words("scale=8|ranks=1|launcher=mpirun", "local"), "DIR/mpi");
}

static const char *of_plan(const char *text) {
  configuration one, other;
  study_configuration both[2] = {*cut(&one, "scale=8"), *cut(&other, text)};
  return study_default_launcher(&(study_plan){.configurations = both, .count = 2});
}

/* One configuration that asks for MPI decides for all. */
HARNESS_TEST(default_launcher) {
  static const char *const by_mpi[] = {"mpi=mpich",
                                       "bind=none",
                                       "nodes=1",
                                       "ranks-per-node=2",
                                       "transport=mpi",
                                       "progress=comm",
                                       "env.MPIR_CVAR_ASYNC_PROGRESS=1",
                                       "env.SCREE_TRANSPORT=mpi"};
  static const char *const plain[] = {"scale=9", "transport=auto", "transport=shm", "progress=full",
                                      "env.SCREE_SPIN=0"};
  for (size_t i = 0; i < sizeof by_mpi / sizeof *by_mpi; i++)
    check_text(strcmp(of_plan(by_mpi[i]), "mpirun") == 0, "%s", by_mpi[i]);
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    check_text(strcmp(of_plan(plain[i]), "local") == 0, "%s", plain[i]);
  setenv("SCREE_TRANSPORT", "mpi", 1);
  check_string(of_plan("scale=9"), "mpirun");
  check_string(of_plan("transport=shm"), "mpirun"); /* the other one */
  unsetenv("SCREE_TRANSPORT");
  setenv("PMI_RANK", "0", 1);
  check_string(of_plan("scale=9"), "mpirun");
  unsetenv("PMI_RANK");
  setenv("SLURM_JOB_NUM_NODES", "2", 1);
  setenv("SLURM_NTASKS", "4", 1);
  check_string(of_plan("scale=9"), "mpirun");
  setenv("SLURM_JOB_NUM_NODES", "1", 1);
  check_string(of_plan("scale=9"), "local");
  unsetenv("SLURM_JOB_NUM_NODES");
  unsetenv("SLURM_NTASKS");
}

/* ---- templates ---- */

HARNESS_TEST(templates) {
  script("srun", "");
  check_string(words(at(OPEN "scale=8|ranks=3"), "srun -n {ranks} --label='a {ranks}' x{ranks}"),
               "DIR/srun -n 3 --label=a 3 x3 DIR/open sssp kron:8 --warmup 1 --json -");
  check_contains(words("scale=8|bind=none", "srun -n {ranks}"),
                 "refused: axis 'bind' cannot be combined with launcher");
  check_contains(words("scale=8", "srun -n 2"), "refused: launcher 'srun -n 2' lacks {ranks}");
  check_contains(words("scale=8", "nosuch {ranks}"), "refused: launcher 'nosuch {ranks}': the program 'nosuch'");
  check_contains(words("scale=8", "srun {ranks} $(id)"),
                 "refused: launcher 'srun {ranks} $(id)': it contains a command substitution");
  check_contains(words("scale=8", "srun {ranks} | x"), "outside quotes");
  check_contains(words("scale=8", "srun {ranks} 'x"), "its quotes are unbalanced");
  check_contains(words("scale=8", "srun {ranks} $NO_SUCH_VARIABLE"), "a variable that is not set");
  check_contains(words("scale=8", ""), "lacks {ranks}");
}

/* ---- what it refuses ---- */

HARNESS_TEST(refusals) {
  refuses("ranks=2", "name a graph");
  refuses("graph=kron:8|scale=8", "both graph 'kron:8' and scale '8'");
  refuses("scale=41", "axis 'scale': '41' is not legal; legal: a whole number from 1 to 40");
  refuses("scale=x", "axis 'scale': 'x'");
  refuses("graph=kron:99", "kron:99: expected kron:");
  refuses("graph=nosuchfile.gr", "neither a readable file nor a generator");
  refuses("kernel=info|scale=8", "axis 'kernel': 'info' is unknown; known are: sssp, bfs, cc, pagerank");
  refuses("kernel=gups|scale=8", "axis 'scale': gups reads no graph; leave it out");
  refuses("scale=8|ranks=0", "axis 'ranks': '0' is not legal");
  refuses("scale=8|ranks=2x", "axis 'ranks': '2x' is not legal");
  refuses("scale=8|mpi=lam", "axis 'mpi': 'lam' is not legal; legal: openmpi, mpich");
  refuses("scale=8|mpi=/no/such", "axis 'mpi': '/no/such' is not an executable program: No such file");
  refuses("scale=8|bind=socket", "axis 'bind': 'socket' is not legal; legal: none, core, core:N");
  refuses("scale=8|bind=core:0", "axis 'bind': 'core:0'");
  refuses("scale=8|bind=core:2x", "axis 'bind': 'core:2x'");
  refuses("scale=8|env.2A=1", "axis 'env.2A': '2A' is not a name of a variable");
  refuses("scale=8|env.=1", "is not a name of a variable");
  refuses("scale=8|json=x", "axis 'json' is not legal");
  refuses("scale=8|validate=on", "axis 'validate' is not legal: the sweep validates the first repetition");
}

/* What the parser of the command line says becomes the reason. */
HARNESS_TEST(refusals_of_options) {
  refuses("scale=8|colaesce-bytes=4", "axis 'colaesce-bytes' is unknown; the nearest is 'coalesce-bytes'");
  refuses("scale=8|rank=2", "the nearest is 'ranks'");
  refuses("scale=8|algoritm=dc", "the nearest is 'algorithm'");
  refuses("scale=8|damping=0.5",
          "axis 'damping' belongs to pagerank, but the kernel is sssp; write 'if kernel = pagerank'");
  refuses("scale=8|no-pruning=maybe", "axis 'no-pruning': 'maybe' is not legal; legal: on, off");
  refuses("scale=8|coalesce-bytes=2M", "coalesce-bytes");
  refuses("scale=8|algorithm=dijkstra", "'dijkstra' is unknown to sssp; known are: ");
  refuses("scale=8|algorithm=dc|delta=2",
          "option '--delta' is for --algorithm opt, horizon, delta, delta-sort or auto");
  refuses("scale=8|sources=0", "option '--sources': '0' is not legal");
}

/* Their text is not kept, which a check for leaks would see. */
HARNESS_TEST(options_files) {
  char path[128];
  snprintf(path, sizeof path, "%s/best.options", dir);
  FILE *file = fopen(path, "w");
  if (!check(file != NULL)) return;
  fputs("delta = 0.5\n", file);
  fclose(file);
  check_contains(words(at("scale=8|ranks=1|algorithm=delta|options=DIR/best.options"), NULL), "--options DIR/best");
  refuses(at("scale=8|ranks=1|algorithm=dc|options=DIR/best.options"), "best.options:1: option '--delta' is for");
}

HARNESS_TEST(no_launcher) {
  setenv("PATH", "/nosuch::", 1);
  refuses("scale=8|ranks=1", "is on PATH; install ");
  setenv("PATH", dir, 1);
}

HARNESS_TEST(whole_plans) {
  configuration good, bad;
  study_configuration both[2];
  both[0] = *cut(&good, "scale=8|ranks=1");
  both[1] = *cut(&bad, "scale=8|ranks=1|spin=no");
  study_plan plan = {.configurations = both, .count = 1};
  check_equal(study_check(&plan, why, sizeof why), 0);
  char crowd[64];
  snprintf(crowd, sizeof crowd, "scale=8|bind=none|ranks=%llu", (unsigned long long)study_cores() + 1);
  both[0] = *cut(&good, crowd);
  check_equal(study_check(&plan, why, sizeof why), 1);
  plan.count = 2;
  check(study_check(&plan, why, sizeof why) == -1);
  check_contains(why, "configuration 'scale=8|ranks=1|spin=no': ");
  check_contains(why, "spin");
}

/* ---- the machine ---- */

HARNESS_TEST(machine) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  check(study_cores() >= 1 && study_cores() <= (uint64_t)online);
  check(study_fit() >= 1 && study_fit() < 40);
}

/* By programs that stand for mpirun: what they print is what `scree limits` would. */
HARNESS_TEST(eager) {
  uint64_t bytes = 0;
  script("limits", "echo noise; echo '{\"eager_bytes\": 4040, \"told\": {}}'");
  check(study_eager(NULL, "limits {ranks}", &bytes, why, sizeof why) == 0);
  check_equal(bytes, 4040);
  script("limits", "e=4040; [ \"${2##*/}\" != mpich ] || e=16; echo \"{\\\"eager_bytes\\\": $e}\"");
  check(study_eager(at("DIR/mpich"), "limits {ranks}", &bytes, why, sizeof why) == 0);
  check_equal(bytes, 16);
  check(study_eager(NULL, "limits {ranks}", &bytes, why, sizeof why) == 0);
  check_equal(bytes, 4040);
  script("limits", "echo cannot >&2; exit 1");
  check(study_eager(NULL, "limits {ranks}", &bytes, why, sizeof why) == -1);
  check_contains(why, "ended with code 1");
  script("limits", "echo '{\"eager'");
  check(study_eager(NULL, "limits {ranks}", &bytes, why, sizeof why) == -1);
  check(study_eager(NULL, "nosuch {ranks}", &bytes, why, sizeof why) == -1);
  check_contains(why, "'nosuch' was not found");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words_of_both),
                                     cmocka_unit_test(more_ranks_than_cores),
                                     cmocka_unit_test(more_ranks_than_slots),
                                     cmocka_unit_test(as_many_ranks_as_cores),
                                     cmocka_unit_test(several_cores_a_rank),
                                     cmocka_unit_test(variables),
                                     cmocka_unit_test(threads_and_cores),
                                     cmocka_unit_test(this_program),
                                     cmocka_unit_test(the_other_mpi),
                                     cmocka_unit_test(asked_once),
                                     cmocka_unit_test(says_nothing_of_mpi),
                                     cmocka_unit_test(local),
                                     cmocka_unit_test(default_launcher),
                                     cmocka_unit_test(templates),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(refusals_of_options),
                                     cmocka_unit_test(options_files),
                                     cmocka_unit_test(no_launcher),
                                     cmocka_unit_test(whole_plans),
                                     cmocka_unit_test(machine),
                                     cmocka_unit_test(eager)};
  snprintf(dir, sizeof dir, "/tmp/scree-launch-XXXXXX");
  if (!mkdtemp(dir)) return perror(dir), 1;
  setenv("PATH", dir, 1);
  unsetenv("MPIR_CVAR_ASYNC_PROGRESS");
  unsetenv("MPICH_ASYNC_PROGRESS");
  script("mpirun.openmpi", "");
  script("mpiexec.hydra", "");
  script("open", "echo scree 1; echo mpi: openmpi 4");
  script("open5", "echo scree 1; echo 'mpi: openmpi (Open MPI v5.0.7, package: Open MPI)'");
  script("mpich", "echo scree 1; echo mpi: mpich 4");
  int code = harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  char command[128];
  snprintf(command, sizeof command, "/bin/rm -r %s", dir);
  return system(command) ? 1 : code;
}
