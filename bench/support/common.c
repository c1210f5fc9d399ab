/* common.c - options, medians, the JSON record, memory. */
#include "common.h"

#include <math.h>
#include <scree/scree.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/huge.h"
#include "common_machine.h"

static bench_machine machine; /* at the start */
bench_taker bench_results;

static void usage(const bench_mode *mode, const bench_mode *modes) {
  printf("%s: %s\n"
         "  --ranks N      without mpirun: so many ranks, which have no MPI\n"
         "  --json FILE|-  write a record\n  --full         all rows, not only the default ones\n"
         "  --rounds N     rounds per row (median), default 7\n  --scale N      size of the job\n%s",
         mode->name, mode->what, mode->sizes ? "  --bytes N      rows with items of this size alone\n" : "");
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

static bool has_size(const bench_mode *mode, size_t bytes) {
  const size_t *size = mode->sizes;
  while (size && *size && *size != bytes) size++;
  return size && *size;
}

bool bench_wants(const bench *b, size_t bytes) {
  return !b->bytes || b->bytes == bytes;
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
  else if (!strcmp(arg, "--bytes") && has_size(mode, strtoul(value, NULL, 10)))
    b->bytes = strtoul(value, NULL, 10);
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
  if (!ranks_are_local) MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, "\n,")] = 0;
  uname(&host);
  bench_cpu(cpu, sizeof cpu);
  cJSON_AddStringToObject(to, "cpu", cpu);
  cJSON_AddNumberToObject(to, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
  cJSON_AddNumberToObject(to, "ranks", b->ranks);
  cJSON_AddStringToObject(to, "kernel", host.release);
  cJSON_AddStringToObject(to, "mpi", ranks_are_local ? "none" : mpi);
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

/* Writes the record, finalises MPI. Returns the exit code, the same on all ranks. */
static int finish(bench *b, int code) {
  const double foreign = bench_machine_foreign(&machine);
  if (b->rank == 0 && b->json && code == 0 && !write_record(b, foreign)) code = 1;
  if (b->rank == 0 && code == 0 && !b->is_help) bench_machine_print(b->name, foreign);
  if (b->rank == 0 && bench_results.take && code == 0 && !bench_results.take(b, bench_results.arg)) code = 1;
  cJSON_Delete(b->results);
  const uint64_t mine = (uint64_t)code;
  uint64_t all;
  ranks_reduce(MPI_COMM_WORLD, &mine, &all, 1, RANKS_MAX);
  if (!ranks_are_local) MPI_Finalize();
  return (int)all;
}

static bool start(bench *b, int argc, char **argv, const bench_mode *mode, const bench_mode *modes) {
  bench_machine_start(&machine);
  if (b->rank == 0) b->results = cJSON_CreateArray();
  if (ranks_are_local) bench_transports[1] = NULL;
  for (int i = 1; i < argc; i++) {
    b->is_help = !strcmp(argv[i], "--help");
    b->rest = argv + i + 1;
    if (mode->takes_rest && !strcmp(argv[i], "--")) return true;
    if (!b->is_help && read_argument(b, argc, argv, &i, mode)) continue;
    if (b->rank == 0 && !b->is_help) refuse(argv, i, mode);
    if (b->rank == 0 && b->is_help) usage(mode, modes);
    return false;
  }
  b->rest = argv + argc;
  return true;
}

typedef struct {
  int argc;
  char **argv;
  const bench_mode *mode, *modes;
} call;

static bool may_run(const bench *b, const bench_mode *mode) {
  const bool right = mode->ranks == 0 || b->ranks == mode->ranks, mpi = !mode->needs_mpi || !ranks_are_local;
  if (b->rank == 0 && !right)
    fprintf(stderr, "%s: needs %d ranks, not %d: start it with mpirun -n %d or --ranks %d\n", mode->name, mode->ranks,
            b->ranks, mode->ranks, mode->ranks);
  else if (b->rank == 0 && !mpi)
    fprintf(stderr, "%s: needs MPI: start it with mpirun\n", mode->name);
  return right && mpi;
}

static int run_mode(void *arg, int rank, int ranks) {
  const call *c = arg;
  bench b = {.name = c->mode->name, .rank = rank, .ranks = ranks, .rounds = 7, .quiet = bench_results.quiet};
  if (!start(&b, c->argc, c->argv, c->mode, c->modes)) return finish(&b, b.is_help ? 0 : 2);
  if (!may_run(&b, c->mode)) return finish(&b, 2);
  return finish(&b, bench_all(c->mode->run(&b)) ? 0 : 1);
}

/* --ranks N is taken out and, unless there is a launcher, obeyed. */
static int take_ranks(int argc, char **argv) {
  for (int i = 1; i + 1 < argc && strcmp(argv[i], "--"); i++) {
    if (strcmp(argv[i], "--ranks")) continue;
    setenv("SCREE_RANKS", argv[i + 1], 1);
    memmove(argv + i, argv + i + 2, (size_t)(argc - i - 1) * sizeof *argv); /* with the NULL */
    return argc - 2;
  }
  return argc;
}

int bench_main(int argc, char **argv, const bench_mode *modes) {
  call c = {.mode = modes, .modes = modes};
  argc = take_ranks(argc, argv);
  while (argc > 1 && c.mode->name && strcmp(c.mode->name, argv[1])) c.mode++;
  const int named = argc > 1 && c.mode->name;
  if (!named) c.mode = modes;
  c.argc = argc - named;
  c.argv = argv + named;
  const int level = c.mode->thread_level ? c.mode->thread_level : MPI_THREAD_FUNNELED;
  return ranks_run(&c.argc, &c.argv, level, !c.mode->thread_level, run_mode, &c);
}

void bench_head(const bench *b, const char *format, ...) {
  va_list list;
  if (b->rank != 0 || b->quiet) return;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  fflush(stdout);
}

void bench_add_row(bench *b, const bench_cell *cells, size_t count) {
  if (b->rank != 0) return;
  cJSON *record = cJSON_CreateObject();
  cJSON_AddItemToArray(b->results, record);
  for (const bench_cell *c = cells; c < cells + count; c++) {
    const bool prints = c->format && !b->quiet;
    if (prints && c->text) printf(c->format, c->text);
    if (prints && !c->text) printf(c->format, isnan(c->value) ? (double)NAN : c->value * (c->scale > 0 ? c->scale : 1));
    if (c->name && c->text) cJSON_AddStringToObject(record, c->name, c->text);
    if (c->name && !c->text && !isnan(c->value)) cJSON_AddNumberToObject(record, c->name, c->value);
  }
  bench_head(b, "\n");
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

void *bench_alloc(size_t bytes, bool huge) {
  void *table = scree__huge_alloc(bytes, huge, false);
  if (!table) return NULL;
  if (!huge) madvise(table, bytes, MADV_NOHUGEPAGE);
  memset(table, 0, bytes);
  return table;
}
