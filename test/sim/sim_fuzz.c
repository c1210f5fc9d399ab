/* sim_fuzz.c - the readers of graphs, options and sources on damaged files: a short, repeatable run of
 * what ./dev fuzz does at length.
 *
 * The mutations are drawn from a printed seed; SCREE_TEST_SEED=N begins there. With SCREE_TEST_VERBOSE=1 the last
 * number printed is that of the input that ended the process. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "capture.h"
#include "harness.h"
#include "one_input.h"

enum { SEEDS_MOST = 256, BYTES_MOST = 1024, ROUNDS = 40, ROUNDS_FULL = 3000 };

typedef struct {
  uint8_t bytes[BYTES_MOST];
  size_t size;
} input;

static input seeds[SEEDS_MOST];
static size_t seed_count;

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_seed(const char *dir, const char *name) {
  char path[1024];
  input *to = &seeds[seed_count];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *file = *name == '.' ? NULL : fopen(path, "rb");
  if (!file) return;
  to->size = fread(to->bytes, 1, BYTES_MOST, file);
  seed_count += seed_count + 1 < SEEDS_MOST;
  fclose(file);
  unlink(path);
}

static void read_seeds(const char *dir) {
  struct dirent **names;
  int count = scandir(dir, &names, NULL, by_name);
  seed_count = 0;
  for (int i = 0; i < count; i++) {
    read_seed(dir, names[i]->d_name);
    free(names[i]);
  }
  if (count >= 0) free(names);
  rmdir(dir);
}

static uint64_t draw(uint64_t *state) {
  return scree__hash_draw(7, (*state)++);
}

/* Flips, inserts, drops, doubles: from one to three times. */
static void mutate(input *in, uint64_t *state) {
  static const char words[] = "0 1\n\t\r#%~c.-e+9ap\0\xff";
  for (uint64_t times = 1 + draw(state) % 3; times && in->size > 2; times--) {
    size_t at = 2 + draw(state) % (in->size - 2), many = 1 + draw(state) % 4;
    switch (draw(state) % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      in->bytes[at] ^= (uint8_t)(1U << draw(state) % 8);
      break;
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      in->bytes[at] = (uint8_t)words[draw(state) % sizeof words];
      break;
    case 9:
    case 10:
    case 11:
      if (at + many < in->size) memmove(in->bytes + at, in->bytes + at + many, in->size - at - many);
      in->size -= at + many < in->size ? many : 0;
      break;
    case 12:
    case 13:
    case 14:
      many = in->size + many <= BYTES_MOST ? many : 0;
      memmove(in->bytes + at + many, in->bytes + at, in->size - at);
      in->size += many;
      break;
    default:
      in->size = at;
    }
  }
  if (draw(state) % 4 == 0) in->bytes[1] = (uint8_t)draw(state);
}

static const struct {
  const char *name;
  int (*one)(const uint8_t *data, size_t size);
} kinds[] = {
#define KIND(name) {#name, fuzz_##name},
    FUZZ_KINDS(KIND)};

static void damage(size_t kind, uint64_t number, bool verbose) {
  uint64_t loaded = 0, refused = 0;
  if (!verbose) capture_start(); /* notes of unread columns */
  const uint64_t rounds = harness_seeds(ROUNDS, ROUNDS_FULL);
  for (uint64_t round = 0; round < rounds; round++)
    for (size_t i = 0; i < seed_count; i++) {
      input in = seeds[i];
      uint64_t drawn = (number + round * SEEDS_MOST + i) << 16;
      if (round) mutate(&in, &drawn);
      if (verbose) fprintf(stderr, "%s, round %" PRIu64 ", seed file %zu\n", kinds[kind].name, round, i);
      *(kinds[kind].one(in.bytes, in.size) ? &loaded : &refused) += 1;
    }
  if (!verbose) free(capture_end());
  printf("%s: %" PRIu64 " inputs loaded, %" PRIu64 " refused\n", kinds[kind].name, loaded, refused);
  check(loaded * ROUNDS > seed_count * rounds); /* not everything is refused at the start */
  check(refused > rounds / 10);
}

/* On what seeds.sh writes into a directory of its own. */
HARNESS_TEST(damaged_files) {
  const char *given = getenv("SCREE_TEST_SEED");
  const uint64_t number = given && *given ? strtoull(given, NULL, 10) : 1;
  char dir[] = "/tmp/scree-fuzz-XXXXXX", text[512];
  if (!check(mkdtemp(dir) != NULL)) return;
  snprintf(text, sizeof text, "%s/seeds.sh %s", FUZZ_DIR, dir);
  check_equal(system(text), 0);
  printf("SCREE_TEST_SEED=%" PRIu64 "\n", number);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    snprintf(text, sizeof text, "%s/%s", dir, kinds[k].name);
    read_seeds(text);
    check(seed_count > 0);
    damage(k, number, getenv("SCREE_TEST_VERBOSE") != NULL);
  }
  rmdir(dir);
}

HARNESS_MAIN
