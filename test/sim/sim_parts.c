/* sim_parts.c - records around the size of a block, and what a type keeps of the memory of large ones.
 *
 * Virtual ranks send each other records of the sizes at which the mode of transfer changes, and compare every byte;
 * then the list of reassemblies must be empty. */
#include <scree/scree_sim.h>

#include "core/world.h"
#include "harness.h"

enum { RANKS = 3, ROUNDS = 4, PART = sizeof(scree__fragment), BLOCK = 16384, KEPT_MOST = 4 << 20 };

SCREE_VARIABLE(words);

/* In a lane; whole in one part; in two; in many; too large to be kept. */
static const size_t sizes[] = {4088,   4089,  BLOCK - PART, BLOCK - PART + 1, 2 * (BLOCK - PART),
                               100000, 90000, 1 << 20,      5 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct {
  scree_worker *w;
  words_type type;
  uint64_t seen[SIZES], bad;
} clerk;

static unsigned char byte_of(uint32_t from, size_t bytes, size_t i) {
  return (unsigned char)(from * 31 + bytes + i * 7 + (i >> 8));
}

static size_t index_of(size_t bytes) {
  size_t i = 0;
  while (i < SIZES && sizes[i] != bytes) i++;
  return i;
}

static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  clerk *c = arg;
  (void)w;
  for (uint32_t n = 0; n < batch->count; n++) {
    size_t bytes, wrong = 0;
    const unsigned char *record = scree_record_next(&items, &bytes);
    size_t at = index_of(bytes);
    if (!check(at < SIZES) || !check_equal((uintptr_t)record % 8, 0)) return;
    for (size_t i = 0; i < bytes; i++) wrong += record[i] != byte_of(batch->source, bytes, i);
    c->bad += wrong;
    c->seen[at]++;
  }
}
SCREE_VARIABLE_HANDLER(words, on_words);

static void send_to_all(clerk *c, size_t bytes) {
  unsigned char *record = malloc(bytes);
  if (!check(record)) return;
  for (size_t i = 0; i < bytes; i++) record[i] = byte_of(c->w->rank, bytes, i);
  for (uint32_t d = 0; d < RANKS; d++) words_send(c->w, c->type, d, record, bytes);
  free(record);
}

static void epoch_of(clerk *c, size_t bytes) {
  check_equal(scree_begin(c->w), SCREE_OK);
  send_to_all(c, bytes);
  check_equal(scree_end(c->w, NULL), SCREE_OK);
}

/* The assemblies of the type: none is under way, and their sum is within the bound. */
static size_t kept(const scree_world *world, const clerk *c, size_t *bytes) {
  size_t count = 0;
  *bytes = 0;
  for (const scree__reassembly *a = world->worker[0]->arrivals[c->type.id].reassemblies; a; a = a->next, count++) {
    check_equal(a->origin, UINT32_MAX);
    *bytes += a->total;
  }
  check(*bytes <= KEPT_MOST);
  return count;
}

static bool open_clerk(clerk *c, scree_world *world) {
  *c = (clerk){.w = scree_worker_of(world, 0)};
  return check_equal(words_register(world, c, &c->type), SCREE_OK);
}

static void every_size(scree_world *world, void *arg) {
  clerk c;
  size_t bytes;
  (void)arg;
  if (!open_clerk(&c, world)) return;
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < SIZES; i++) epoch_of(&c, sizes[i]);
  for (size_t i = 0; i < SIZES; i++) check_equal(c.seen[i], RANKS * ROUNDS);
  check_equal(c.bad, 0);
  kept(world, &c, &bytes);
}

/* What fits one block needs no memory; what is done is kept, serves records of like size, and gives way to others. */
static void memory(scree_world *world, void *arg) {
  clerk c;
  size_t bytes;
  (void)arg;
  if (!open_clerk(&c, world)) return;
  epoch_of(&c, BLOCK - PART);
  check_equal(kept(world, &c, &bytes), 0);
  epoch_of(&c, 100000);
  size_t count = kept(world, &c, &bytes);
  check(count >= 1 && count <= RANKS);
  check_equal(bytes, count * 100000);
  const scree__reassembly *first = world->worker[0]->arrivals[c.type.id].reassemblies;
  epoch_of(&c, 90000);
  bool again = false;
  for (const scree__reassembly *a = world->worker[0]->arrivals[c.type.id].reassemblies; a; a = a->next)
    again |= a == first;
  check(again);
  epoch_of(&c, 5 << 20);
  check(kept(world, &c, &bytes) < count || count == 1);
  epoch_of(&c, 1 << 20);
  epoch_of(&c, 1 << 20);
  kept(world, &c, &bytes);
  check(bytes >= 1 << 20);
}

static void run(scree_sim_fn *fn, bool unperturbed) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.coalesce_bytes = BLOCK;
  for (uint64_t seed = 1; seed <= (unperturbed ? 1 : 5) && harness_failures() == 0; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 2, .unperturbed = unperturbed};
    check_equal(scree_sim_run(&config, &options, fn, NULL, NULL), SCREE_OK);
  }
}

static void records_of_every_size(void **unused) {
  (void)unused;
  run(every_size, true);
  run(every_size, false);
}

static void what_is_kept(void **unused) {
  (void)unused;
  run(memory, true);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(records_of_every_size), cmocka_unit_test(what_is_kept)};
HARNESS_MAIN(tests)
