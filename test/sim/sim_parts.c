/* sim_parts.c - records around the sizes of blocks, how long a handler may read a large one, and what a type keeps of
 * the memory of those that came in fragments.
 *
 * Virtual ranks send each other records of the sizes at which the mode of transfer changes, and compare every byte;
 * then the list of reassemblies must be empty. */
#include <scree/scree_sim.h>

#include "core/world.h"
#include "harness.h"
#include "observe/memory_stats.h"

enum { RANKS = 3, ROUNDS = 2, PART = sizeof(scree__fragment), BLOCK = 16384, KEPT_MOST = 4 << 20 };
/* Memory in which no block is larger than those of lanes; with blocks of up to LARGE bytes; the default. */
enum { NONE_LARGE = 8 * BLOCK, SOME_LARGE = 1 << 20, LARGE = SOME_LARGE / 8 + 64, DEFAULT = 16 << 20 };

SCREE_VARIABLE(words);
SCREE_VARIABLE(pages);

/* In a lane; in a block of its own, of the sizes of lanes; in a larger one, or in fragments; too large to be kept. */
static const size_t sizes[] = {4088,  4089,   BLOCK - 256,  BLOCK - PART,     BLOCK - PART + 1, 2 * (BLOCK - PART),
                               90000, 100000, LARGE - PART, LARGE - PART + 1, 1 << 20,          5 << 20};
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

/* The reassemblies of the type: none is in progress, and their sum is within the bound. */
static size_t kept(const scree_world *world, const clerk *c, size_t *bytes) {
  size_t count = 0;
  *bytes = 0;
  for (const scree__reassembly *a = world->worker[0]->in.arrivals[c->type.id].reassemblies; a; a = a->next, count++) {
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
  if (!open_clerk(&c, world)) return;
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < SIZES; i++) epoch_of(&c, sizes[i]);
  for (size_t i = 0; i < SIZES; i++) check_equal(c.seen[i], RANKS * ROUNDS);
  check_equal(c.bad, 0);
  kept(world, &c, &bytes);
}

/* What fits one block needs no memory; what is done is kept, serves records of like size, and is replaced by others. */
static void memory(scree_world *world, void *arg) {
  clerk c;
  size_t bytes;
  if (!open_clerk(&c, world)) return;
  epoch_of(&c, BLOCK - 256);
  check_equal(kept(world, &c, &bytes), 0);
  epoch_of(&c, 100000);
  size_t count = kept(world, &c, &bytes);
  check(count >= 1 && count <= RANKS);
  check_equal(bytes, count * 100000);
  const scree__reassembly *first = world->worker[0]->in.arrivals[c.type.id].reassemblies;
  epoch_of(&c, 90000);
  bool again = false;
  for (const scree__reassembly *a = world->worker[0]->in.arrivals[c.type.id].reassemblies; a; a = a->next)
    again |= a == first;
  check(again);
  epoch_of(&c, 5 << 20);
  check(kept(world, &c, &bytes) < count || count == 1);
  epoch_of(&c, 1 << 20);
  epoch_of(&c, 1 << 20);
  kept(world, &c, &bytes);
  check(bytes >= 1 << 20);
}

static void run(scree_sim_fn *fn, uint64_t bytes, bool unperturbed) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.coalesce_bytes = BLOCK;
  options.memory = bytes;
  for (uint64_t seed = 1; seed <= (unperturbed ? 1 : 4) && harness_failures() == 0; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 2, .unperturbed = unperturbed};
    check_equal(scree_sim_run(&config, &options, fn, NULL, NULL), SCREE_OK);
  }
}

HARNESS_TEST(records_of_every_size) {
  static const uint64_t memories[] = {NONE_LARGE, SOME_LARGE, DEFAULT};
  for (int i = 0; i < 3; i++) {
    run(every_size, memories[i], true);
    run(every_size, memories[i], false);
  }
}

HARNESS_TEST(what_is_kept) {
  run(memory, NONE_LARGE, true);
}

/* ---- few blocks ---- */

enum { MANY = 100, ONE = 100000, ONE_BLOCK = (1 << 17) + 2 * 64 };

/* A sender waits for its receiver, itself included, before it fills more blocks than may be in flight. */
static void few_blocks(scree_world *world, void *arg) {
  clerk c;
  scree__memory m;
  if (!open_clerk(&c, world)) return;
  unsigned char *record = malloc(ONE);
  if (!check(record)) return;
  for (size_t i = 0; i < ONE; i++) record[i] = byte_of(c.w->rank, ONE, i);
  const uint32_t to[] = {(c.w->rank + 1) % RANKS, c.w->rank};
  for (int k = 0; k < 2; k++) {
    check_equal(scree_begin(c.w), SCREE_OK);
    for (int i = 0; i < MANY; i++) words_send(c.w, c.type, to[k], record, ONE);
    check_equal(scree_end(c.w, NULL), SCREE_OK);
  }
  free(record);
  scree__memory_read(world, &m);
  check_equal(c.seen[index_of(ONE)], 2 * MANY);
  check_equal(c.bad, 0);
  uint64_t max = scree_options_of(world)->in_flight + 2;
  check_text(m.blocks <= 2 * max * ONE_BLOCK, "%llu bytes of blocks", (unsigned long long)m.blocks);
  check(m.receives <= 4 * ONE_BLOCK); /* of what is posted to MPI, what was used */
}

HARNESS_TEST(blocks_are_reused) {
  run(few_blocks, DEFAULT, true);
}

/* ---- a handler's own record, while it sends others ---- */

typedef struct {
  scree_worker *w;
  pages_type type;
  uint64_t seen, bad;
  unsigned char blank[LARGE - PART]; /* zeros, as the answers are */
} reader;

static uint64_t count_wrong(const unsigned char *record, size_t bytes, uint32_t from) {
  uint64_t wrong = 0;
  for (size_t i = 0; i < bytes; i++) wrong += record[i] != byte_of(from, bytes, i);
  return wrong;
}

static void on_read(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  reader *r = arg;
  size_t bytes;
  const unsigned char *record = scree_record_next(&items, &bytes);
  check_equal(batch->count, 1);
  if (count_wrong(record, bytes, batch->source)) return; /* an answer */
  for (uint32_t d = 0; d < RANKS; d++) pages_send(w, r->type, d, r->blank, bytes);
  r->bad += count_wrong(record, bytes, batch->source);
  r->seen++;
}
SCREE_VARIABLE_HANDLER(pages, on_read);

static void read_while_sending(scree_world *world, void *arg) {
  static const size_t lengths[] = {BLOCK - PART, LARGE - PART};
  reader *r = calloc(1, sizeof *r);
  clerk c = {.w = scree_worker_of(world, 0)};
  if (!check(r)) return;
  check_equal(pages_register(world, r, &r->type), SCREE_OK);
  c.type.id = r->type.id;
  for (int i = 0; i < 4 * ROUNDS; i++) epoch_of(&c, lengths[i % 2]);
  check_equal(r->seen, 4 * ROUNDS * RANKS);
  check_equal(r->bad, 0);
  free(r);
}

HARNESS_TEST(not_overwritten_while_read) {
  run(read_while_sending, SOME_LARGE, true);
  run(read_while_sending, SOME_LARGE, false);
}

HARNESS_MAIN
