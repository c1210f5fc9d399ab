/* unit_old_struct.c - programs that were compiled against another release of the headers: their structs are shorter or
 * longer than the library's.
 *
 * A short struct is at the end of a page with no page after it, so that an access beyond its size is a fault. */
#include <scree/scree_mpi.h>
#include <scree/scree_sim.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"

SCREE_MESSAGE(count, uint64_t);

static void on_count(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
SCREE_HANDLER(count, uint64_t, on_count);

/* The first fields of release 0.3.0; rows added since must follow them. */
typedef struct {
  size_t size;
  uint64_t transport, coalesce_bytes, memory;
} older_options;

typedef struct {
  scree_options known;
  uint64_t added;
} newer_options;

/* The order of 0.3.0, which stays as long as the soname. */
static const char *const frozen[] = {
    "transport",    "coalesce-bytes", "memory",       "huge-pages",    "in-flight",    "batch-max",  "flush-age",
    "overflow-max", "spin",           "hang-timeout", "checked",       "stats",        "chaos",      "threads",
    "pin",          "trace-events",   "lock",         "detector",      "thread-level", "progress",   "lock-sample",
    "route",        "aggregate",      "combine",      "combine-cache", "urgent-types", "node-arrays"};

HARNESS_TEST(order_of_rows) {
  for (size_t i = 0; i < sizeof frozen / sizeof frozen[0]; i++) {
    check_string(scree_option_at(i)->name, frozen[i]);
    check_equal(scree_option_at(i)->offset, sizeof(size_t) + i * sizeof(uint64_t));
  }
}

/* `bytes` bytes in front of a page that cannot be touched; never freed. */
static void *guarded(const void *from, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(map != MAP_FAILED);
  assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
  return memcpy(map + page - bytes, from, bytes);
}

static void *older(void) {
  const older_options options = {sizeof options, SCREE_UNSET, 2048, SCREE_UNSET};
  return guarded(&options, sizeof options);
}

static void use(scree_world *world, uint64_t *sum) {
  scree_worker *w = scree_worker_of(world, 0);
  count_type count;
  if (!check_equal(count_register(world, sum, &count), SCREE_OK)) return;
  check_equal(scree_begin(w), SCREE_OK);
  count_send_all(w, count, 1);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

/* What the struct sets is taken; the options that it lacks come from the environment and the table. */
static void check_in_force(const scree_options *o) {
  check_equal(o->size, sizeof *o);
  check_equal(o->coalesce_bytes, 2048);
  check_equal(o->memory, 1 << 20);
  check_equal(o->batch_max, 77);
  check_equal(o->spin, 256);
}

static void set_environment(void) {
  setenv("SCREE_MEMORY", "1M", 1);
  setenv("SCREE_BATCH_MAX", "77", 1);
}

static void clear_environment(void) {
  unsetenv("SCREE_MEMORY");
  unsetenv("SCREE_BATCH_MAX");
}

static void simulated(scree_world *world, void *sums) {
  check_in_force(scree_options_of(world));
  use(world, (uint64_t *)sums + scree_worker_of(world, 0)->rank);
}

HARNESS_TEST(opens_in_the_simulator) {
  scree_sim_config config = {.seed = 5, .ranks = 3, .nodes = 2};
  uint64_t sums[3] = {0};
  set_environment();
  check_equal(scree_sim_run(&config, older(), simulated, sums, NULL), SCREE_OK);
  clear_environment();
  for (int i = 0; i < 3; i++) check_equal(sums[i], 3);
}

HARNESS_TEST(opens_by_itself) {
  scree_world *world = NULL, *second = NULL;
  uint64_t sum = 0;
  older_options *options = older();
  set_environment();
  options->transport = SCREE_TRANSPORT_MPI;
  check_equal(scree_open((const void *)options, &world), SCREE_OK);
  if (!world) return;
  check_in_force(scree_options_of(world));
  use(world, &sum);
  check_equal(sum, 1);
  check_equal(scree_open_mpi(MPI_COMM_SELF, (const void *)options, &second), SCREE_OK);
  if (second) check_in_force(scree_options_of(second));
  clear_environment();
  if (second) check_equal(scree_close(second), SCREE_OK);
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- the table's functions ---- */

HARNESS_TEST(sets_and_prints) {
  older_options *options = older();
  char text[64], why[320] = "";
  check_equal(scree_options_set((void *)options, "memory", "8M", why, sizeof why), 0);
  check_equal(options->memory, 8 << 20);
  check_equal(scree_options_set((void *)options, "batch-max", "5", why, sizeof why), -1);
  check_string(why, "option 'batch-max': the program was compiled against an older release, whose scree_options (32 "
                    "bytes) has no such field; set the environment variable, or recompile the program");
  for (size_t i = 0; i < scree_option_count(); i++) {
    scree_option_format((void *)options, i, text, sizeof text);
    check_string(text, i == 1 ? "2K" : i == 2 ? "8M" : "");
  }
}

HARNESS_TEST(resolves) {
  older_options *options = older();
  char *from = guarded("xxx", 3), why[320] = "";
  set_environment();
  check_equal(scree_options_resolve((void *)options, from, why, sizeof why), 0);
  clear_environment();
  check_equal(options->size, sizeof *options);
  check_equal(options->transport, SCREE_TRANSPORT_AUTO);
  check_equal(options->coalesce_bytes, 2048);
  check_equal(options->memory, 1 << 20);
  check(memcmp(from, "dfe", 3) == 0);
}

/* ---- sizes that no release has, and structs of newer ones ---- */

static void nothing(scree_world *world, void *ran) {
  *(bool *)ran = true;
}

static char *said_by_open(const void *options, scree_status expected) {
  scree_sim_config config = {.seed = 5, .ranks = 1, .nodes = 1};
  bool ran = false;
  capture_start();
  check_equal(scree_sim_run(&config, options, nothing, &ran, NULL), expected);
  check_equal(ran, expected == SCREE_OK);
  return capture_end();
}

HARNESS_TEST(without_initialiser) {
  static const size_t sizes[] = {0, 4, sizeof(older_options) - 1, sizeof(scree_options) + 4};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const older_options bad = {sizes[i], SCREE_UNSET, 2048, SCREE_UNSET};
    older_options *options = guarded(&bad, sizeof bad);
    char text[64], why[320] = "";
    char *said = said_by_open(options, SCREE_EINVAL);
    check_contains(said, "initialise the struct with SCREE_OPTIONS_INIT");
    free(said);
    check_equal(scree_options_set((void *)options, "transport", "mpi", why, sizeof why), -1);
    check_contains(why, "initialise the struct with SCREE_OPTIONS_INIT");
    check_equal(scree_options_resolve((void *)options, NULL, why, sizeof why), -1);
    check_contains(why, "initialise the struct with SCREE_OPTIONS_INIT");
    check(memcmp(options, &bad, sizeof bad) == 0);
    scree_option_format((void *)options, 2, text, sizeof text);
    check_string(text, "");
  }
}

HARNESS_TEST(newer_release) {
  newer_options options = {SCREE_OPTIONS_INIT, SCREE_UNSET};
  options.known.size = sizeof options;
  char *said = said_by_open(&options, SCREE_OK);
  check_string(said, "");
  free(said);
  options.added = 0;
  said = said_by_open(&options, SCREE_EINVAL);
  char text[300];
  snprintf(text, sizeof text,
           "scree_options: the program sets an option that this release of the library does not have (byte %zu of %zu, "
           "known are %zu); initialise the struct with SCREE_OPTIONS_INIT and leave it unset, or use the release",
           sizeof(scree_options), sizeof options, sizeof(scree_options));
  check_contains(said, text);
  free(said);
}

/* ---- descriptions of types ---- */

typedef struct {
  scree_type_desc known;
  uint64_t added;
} newer_desc;

static void describe(scree_world *world, void *sum) {
  const newer_desc desc = {.known = {.size = sizeof desc, .name = "newer", .item = 8, .fn = count_batch, .arg = sum}};
  newer_desc both[] = {desc, desc};
  both[1].known.name = "second";
  scree_worker *w = scree_worker_of(world, 0);
  uint32_t ids[] = {77, 77};
  check_equal(scree_register_all(world, &both[0].known, 2, ids), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (int i = 0; i < 2; i++) count_send(w, (count_type){ids[i]}, 0, 5);
  check_equal(scree_end(w, NULL), SCREE_OK);
  both[1].added = 1;
  check_equal(scree_register_all(world, &both[0].known, 2, ids), SCREE_EINVAL);
  check_equal(ids[1], 0);
  char text[80];
  snprintf(text, sizeof text, "type 'second': the description (%zu bytes) sets fields that this release", sizeof desc);
  check_contains(scree_error_text(world), text);
}

/* The description of 0.1.0 ends with `arg`. */
HARNESS_TEST(types_of_other_releases) {
  scree_sim_config config = {.seed = 5, .ranks = 1, .nodes = 1};
  uint64_t sum = 0;
  check_equal(scree_sim_run(&config, NULL, describe, &sum, NULL), SCREE_OK);
  check_equal(sum, 10);
  check(sizeof(scree_type_desc) >= offsetof(scree_type_desc, arg) + sizeof(void *));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_of_rows),   cmocka_unit_test(opens_in_the_simulator),
    cmocka_unit_test(opens_by_itself), cmocka_unit_test(sets_and_prints),
    cmocka_unit_test(resolves),        cmocka_unit_test(without_initialiser),
    cmocka_unit_test(newer_release),   cmocka_unit_test(types_of_other_releases),
};
HARNESS_MAIN(tests)
