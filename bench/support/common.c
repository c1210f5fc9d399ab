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
#include "base/option_table.h"
#include "common_machine.h"

static bench_machine machine; /* at the start */
bench_taker bench_results;

#define AT(field) .offset = offsetof(bench, field), .bytes = sizeof(((bench *)0)->field)
static const scree_option common[] = {
    {SCREE__ROW("json", NAME, "FILE|-", "write a record"), AT(json)},
    {SCREE__ROW("full", FLAG, "", "all rows, not only the default ones"), AT(full)},
    {SCREE__ROW("rounds", COUNT, "", "rounds per row (median), default 7"), .min = 1, .max = 999, AT(rounds)},
    {SCREE__ROW("scale", COUNT, "", "size of the job"), .max = 39, AT(scale)},
    {SCREE__ROW("bytes", SIZE, "", "rows with items of this size alone"), .min = 1, .max = 1 << 20, AT(bytes)},
};
enum { COMMON = sizeof common / sizeof *common };

static void print_option(const scree_option *row) {
  const char *value = scree__option_placeholder(row);
  char legal[64] = "";
  if (row->kind < SCREE_KIND_FLAG) scree__option_format_legal(row, legal, sizeof legal);
  printf("  --%s %-*s %s%s%s\n", row->name, 11 - (int)strlen(row->name), value ? value : "", row->help,
         *legal ? "; " : "", legal);
}

static void usage(const bench_mode *mode, const bench_mode *modes) {
  printf("%s: %s\n  --ranks N      without mpirun: the number of ranks, which have no MPI\n", mode->name, mode->what);
  for (size_t i = 0; i < COMMON - (mode->sizes == NULL); i++) print_option(&common[i]);
  for (const bench_own_option *own = mode->own; own && own->row.name; own++) print_option(&own->row);
  if (!modes[1].name) return;
  printf("modes, as the first argument:\n");
  for (; modes->name; modes++) printf("  %-14s %s\n", modes->name, modes->what);
}

static bool has_size(const bench_mode *mode, size_t bytes) {
  const size_t *size = mode->sizes;
  while (size && *size && *size != bytes) size++;
  return size && *size;
}

bool bench_wants(const bench *b, size_t bytes) {
  return !b->bytes || b->bytes == bytes;
}

uint64_t bench_threads(uint64_t otherwise) {
  const char *text = getenv("SCREE_THREADS");
  char why[256];
  scree_options options = SCREE_OPTIONS_INIT;
  return text && scree_options_set(&options, "threads", text, why, sizeof why) == 0 ? options.threads : otherwise;
}

/* The mode's own options come first. Returns NULL if there is none of that name. */
static const scree_option *find(bench *b, const bench_mode *mode, const char *name, void **fields) {
  for (const bench_own_option *own = mode->own; own && own->row.name; own++)
    if (scree__option_find(&own->row, 1, name)) return *fields = own->to, &own->row;
  *fields = b;
  return scree__option_find(common, COMMON - (mode->sizes == NULL), name);
}

/* Reads argv[*i], and the value that follows it. Returns false with the reason in why[size]. */
static bool read_argument(bench *b, char **argv, int *i, const bench_mode *mode, char *why, size_t size) {
  const char *arg = argv[*i], *value = argv[*i + 1];
  void *fields;
  const scree_option *row = strncmp(arg, "--", 2) ? NULL : find(b, mode, arg + 2, &fields);
  const bool flag = row && row->kind == SCREE_KIND_FLAG;
  if (!row || !(flag || value)) return snprintf(why, size, "cannot use '%s': see --help", arg), false;
  *i += !flag;
  if (scree__option_parse(row, fields, flag ? NULL : value, "", why, size)) return false;
  if (row != &common[COMMON - 1] || has_size(mode, b->bytes)) return true;
  int n = snprintf(why, size, "option 'bytes': '%s' is not legal; legal:", value);
  for (const size_t *each = mode->sizes; *each && n < (int)size; each++)
    n += snprintf(why + n, size - (size_t)n, " %zu", *each);
  return false;
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
  char why[256];
  for (int i = 1; i < argc; i++) {
    b->is_help = !strcmp(argv[i], "--help");
    b->rest = argv + i + 1;
    if (mode->takes_rest && !strcmp(argv[i], "--")) return true;
    if (!b->is_help && read_argument(b, argv, &i, mode, why, sizeof why)) continue;
    if (b->rank == 0 && !b->is_help) fprintf(stderr, "%s: %s\n", mode->name, why);
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
