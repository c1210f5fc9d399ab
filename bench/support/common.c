/* common.c - options, medians, the JSON record, memory. */
#include "common.h"

#include <math.h>
#include <scree/scree.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/huge.h"
#include "common_machine.h"

static bench_machine machine; /* at the start */

static void usage(const bench_mode *mode, const bench_mode *modes) {
  printf("%s: %s\n"
         "  --json FILE|-  write a record\n  --full         all rows, not only the default ones\n"
         "  --rounds N     rounds per row (median), default 7\n  --scale N      size of the job\n",
         mode->name, mode->what);
  for (const bench_own_option *own = mode->own; own && own->name; own++)
    printf("  %s %-*s %s, %g to %g\n", own->name, 13 - (int)strlen(own->name), own->value, own->help, own->min,
           own->max);
  if (!modes[1].name) return;
  printf("modes, as the first argument:\n");
  for (; modes->name; modes++) printf("  %-14s %s\n", modes->name, modes->what);
}

/* Decimal notation without a sign; strtod alone would take "0x1p3", "nan" and " 1". */
static bool read_own(const bench_own_option *own, const char *value) {
  char *end;
  if (strspn(value, "0123456789.eE+-") != strlen(value) || value[0] == '+' || value[0] == '-') return false;
  *own->to = strtod(value, &end);
  return end != value && !*end && *own->to >= own->min && *own->to <= own->max;
}

static const bench_own_option *find_own(const bench_mode *mode, const char *name) {
  const bench_own_option *own = mode->own;
  while (own && own->name && strcmp(own->name, name)) own++;
  return own && own->name ? own : NULL;
}

static bool read_argument(bench *b, int argc, char **argv, int *i, const bench_mode *mode) {
  const char *arg = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
  const bench_own_option *own = find_own(mode, arg);
  if (!strcmp(arg, "--full")) {
    b->full = true;
    return true;
  }
  if (!value) return false;
  ++*i;
  if (own) return read_own(own, value);
  if (!strcmp(arg, "--json"))
    b->json = value;
  else if (!strcmp(arg, "--rounds"))
    b->rounds = atoi(value);
  else if (!strcmp(arg, "--scale"))
    b->scale = atoi(value);
  else
    return false;
  return b->rounds > 0 && b->rounds < 1000 && b->scale >= 0 && b->scale < 40;
}

/* argv[i] cannot be read. */
static void refuse(char **argv, int i, const bench_mode *mode) {
  const bench_own_option *own = find_own(mode, argv[i - 1]);
  if (own)
    fprintf(stderr, "%s: %s '%s' is not a number from %g to %g\n", mode->name, own->name, argv[i], own->min, own->max);
  else
    fprintf(stderr, "%s: cannot use '%s': see --help\n", mode->name, argv[i]);
}

static cJSON *environment(const bench *b, double foreign) {
  cJSON *to = cJSON_CreateObject();
  struct utsname host;
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  char cpu[128];
  int length;
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, "\n,")] = 0;
  uname(&host);
  bench_cpu(cpu, sizeof cpu);
  cJSON_AddStringToObject(to, "cpu", cpu);
  cJSON_AddNumberToObject(to, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
  cJSON_AddNumberToObject(to, "ranks", b->ranks);
  cJSON_AddStringToObject(to, "kernel", host.release);
  cJSON_AddStringToObject(to, "mpi", mpi);
  cJSON_AddStringToObject(to, "compiler", __VERSION__);
  cJSON_AddStringToObject(to, "scree", SCREE_VERSION);
  cJSON_AddNumberToObject(to, "rounds", b->rounds);
  cJSON_AddNumberToObject(to, "foreign_load", foreign);
  return to;
}

static bool write_record(bench *b, double foreign) {
  cJSON *all = cJSON_CreateObject();
  cJSON_AddStringToObject(all, "benchmark", b->name);
  cJSON_AddItemToObject(all, "environment", environment(b, foreign));
  cJSON_AddItemToObject(all, "results", b->results);
  b->results = NULL;
  char *text = cJSON_Print(all);
  cJSON_Delete(all);
  FILE *file = strcmp(b->json, "-") ? fopen(b->json, "we") : stdout;
  bool good = file && text && fprintf(file, "%s\n", text) > 0;
  if (file && (file == stdout ? fflush(file) : fclose(file))) good = false;
  if (!good) fprintf(stderr, "%s: cannot write '%s'\n", b->name, b->json);
  free(text);
  return good;
}

/* Writes the record, finalises MPI. Returns the exit code. */
static int finish(bench *b, int code) {
  const double foreign = bench_machine_foreign(&machine);
  if (b->rank == 0 && b->json && code == 0 && !write_record(b, foreign)) code = 1;
  if (b->rank == 0 && code == 0 && !b->is_help) bench_machine_print(b->name, foreign);
  cJSON_Delete(b->results);
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}

static bool start(bench *b, int argc, char **argv, const bench_mode *mode, const bench_mode *modes) {
  int level;
  MPI_Init_thread(&argc, &argv, mode->thread_level ? mode->thread_level : MPI_THREAD_FUNNELED, &level);
  *b = (bench){.name = mode->name, .rounds = 7, .rest = argv + argc};
  MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
  bench_machine_start(&machine);
  if (b->rank == 0) b->results = cJSON_CreateArray();
  for (int i = 1; i < argc; i++) {
    const bool help = !strcmp(argv[i], "--help");
    b->rest = argv + i + 1;
    if (mode->takes_rest && !strcmp(argv[i], "--")) return true;
    if (!help && read_argument(b, argc, argv, &i, mode)) continue;
    if (b->rank == 0 && !help) refuse(argv, i, mode);
    if (b->rank == 0 && help) usage(mode, modes);
    b->is_help = help;
    if (help) exit(finish(b, 0));
    return false;
  }
  b->rest = argv + argc;
  return true;
}

int bench_main(int argc, char **argv, const bench_mode *modes) {
  bench b;
  const bench_mode *mode = modes;
  while (argc > 1 && mode->name && strcmp(mode->name, argv[1])) mode++;
  const int named = argc > 1 && mode->name;
  if (!named) mode = modes;
  if (!start(&b, argc - named, argv + named, mode, modes)) return finish(&b, 2);
  if (mode->ranks == 0 || b.ranks == mode->ranks) return finish(&b, bench_all(mode->run(&b)) ? 0 : 1);
  if (b.rank == 0)
    fprintf(stderr, "%s: needs %d ranks, not %d: start it with mpirun -n %d\n", mode->name, mode->ranks, b.ranks,
            mode->ranks);
  return finish(&b, 2);
}

void bench_add_row(bench *b, const bench_cell *cells, size_t count) {
  if (b->rank != 0) return;
  cJSON *record = cJSON_CreateObject();
  cJSON_AddItemToArray(b->results, record);
  for (const bench_cell *c = cells; c < cells + count; c++) {
    if (c->format && c->text) printf(c->format, c->text);
    if (c->format && !c->text) printf(c->format, c->value * (c->scale > 0 ? c->scale : 1));
    if (c->name && c->text) cJSON_AddStringToObject(record, c->name, c->text);
    if (c->name && !c->text && !isnan(c->value)) cJSON_AddNumberToObject(record, c->name, c->value);
  }
  putchar('\n');
  fflush(stdout);
}

double bench_now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, ascending);
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double bench_slowest(double mine) {
  double max;
  MPI_Request request;
  MPI_Iallreduce(&mine, &max, 1, MPI_DOUBLE, MPI_MAX, bench_comm, &request);
  bench_wait(&request);
  return max;
}

void *bench_alloc(size_t bytes, bool huge) {
  void *table = scree__huge_alloc(bytes, huge, false);
  if (!table) return NULL;
  if (!huge) madvise(table, bytes, MADV_NOHUGEPAGE);
  memset(table, 0, bytes);
  return table;
}
