/* unit_pool.c - pools: sizes, limits, carving again, and blocks that other threads return.
 *
 * Each pool is over an arena of the test's own. It also runs under the thread sanitizer. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "block/pool.h"
#include "block/stack.h"
#include "harness.h"

enum { ARENA = 64 * 1024 };

static char map[64 + ARENA] __attribute__((aligned(64))); /* offsets into it are never 0 */
static char *const arena = map + 64;

static scree__pool make(size_t bytes, uint32_t max) {
  scree__pool pool = {.arena = arena, .bytes = bytes, .granted = bytes, .storage = SCREE__STORAGE_SELF, .max = max};
  scree__pool_reset(&pool, 1024);
  return pool;
}

HARNESS_TEST(sizes_and_places) {
  scree__pool pool = make(ARENA, 0);
  const scree__block *last = NULL;
  for (size_t want = 1; want <= 8192; want = want * 2 + 1) {
    scree__block *block = scree__pool_take(&pool, want);
    if (!check(block != NULL)) return;
    check(block->capacity >= want && block->capacity >= 1024);
    check(block->capacity == 1024 || block->capacity < 2 * want);
    check_equal(block->storage, SCREE__STORAGE_SELF);
    check_equal((uintptr_t)scree__block_data(block) % 64, 0);
    check(!last || (const char *)block >= (const char *)(last + 1) + last->capacity);
    last = block;
  }
}

/* Neighbours of the same size start in different cache sets, of 64, as far as the arena and the sets reach. */
HARNESS_TEST(coloured) {
  for (size_t size = 128; size <= 16384; size *= 2) {
    scree__pool pool = {.arena = arena, .bytes = ARENA, .granted = ARENA, .storage = SCREE__STORAGE_SELF};
    uint64_t sets = 0;
    int blocks = 0;
    for (scree__block *b; blocks < 64 && (b = scree__pool_take(&pool, size)) && b->capacity == size; blocks++)
      sets |= UINT64_C(1) << ((uintptr_t)b / 64 % 64);
    check(blocks >= 3);
    check_text(__builtin_popcountll(sets) == blocks, "%d blocks of %zu bytes start in %d sets", blocks, size,
               __builtin_popcountll(sets));
  }
}

/* The pool is empty when the arena, the limit, or the reserved memory is used up. */
HARNESS_TEST(limits) {
  scree__pool pool = make(4 * (1024 + sizeof(scree__block)), 0);
  for (int i = 0; i < 4; i++) check(scree__pool_take(&pool, 1024) != NULL);
  check(scree__pool_take(&pool, 1024) == NULL);
  pool = make(2 * (1024 + sizeof(scree__block)) - 1, 0); /* no smaller one is carved than fits */
  check(scree__pool_take(&pool, 1024) && !scree__pool_take(&pool, 1024) && !scree__pool_take(&pool, 1));
  pool = make(ARENA, 2);
  scree__block *one = scree__pool_take(&pool, 1024), *two = scree__pool_take(&pool, 1024);
  check(one && two && one != two && scree__pool_take(&pool, 1024) == NULL);
  scree__pool_put(&pool, one);
  check(scree__pool_take(&pool, 1024) == one);
}

/* What is no block of the pool is not put into it, where invariants are checked. */
static void put_elsewhere(char *where, uint8_t class_log2, bool listed) {
  scree__pool pool = make(ARENA, 0);
  scree__block *taken = scree__pool_take(&pool, 1024), *block = (scree__block *)(void *)where;
  check(taken && scree__pool_take(&pool, 1024));
  const pid_t child = fork();
  int status = 0;
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    close(STDERR_FILENO);
    signal(SIGABRT, SIG_DFL); /* not cmocka's */
    block->class_log2 = class_log2;
    if (listed) scree__pool_put(&pool, block);
    scree__pool_put(&pool, block);
    _exit(0);
  }
  check(child > 0 && waitpid(child, &status, 0) == child);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

HARNESS_TEST(others_are_noticed) {
#ifdef SCREE__TESTED
  put_elsewhere(arena, SCREE__CLASSES, false);
  put_elsewhere(arena - 64, 10, false);
  put_elsewhere(arena + ARENA - 4096, 10, false);
  put_elsewhere(arena + 2 * (1024 + sizeof(scree__block)), 10, false); /* not carved yet */
  put_elsewhere(arena, 10, true);
#else
  harness_skip("the library checks no invariants in this build");
  put_elsewhere(arena, 10, true);
#endif
}

static size_t granted_upto;
static size_t grant(void *context, size_t upto) {
  granted_upto = upto;
  return 4096; /* memory is short */
}

HARNESS_TEST(granted) {
  scree__pool pool = make(ARENA, 0);
  pool.granted = 0;
  pool.grant = grant;
  check(scree__pool_take(&pool, 1024) != NULL);
  check_equal(granted_upto, 1024 + sizeof(scree__block));
  check(scree__pool_take(&pool, 1024) && scree__pool_take(&pool, 1024));
  check(scree__pool_take(&pool, 1024) == NULL); /* and it does not write after what is reserved */
  check_equal(pool.granted, 4096);
}

/* A smaller or a larger block is better than none. */
HARNESS_TEST(other_sizes) {
  scree__pool pool = make(4096 + 1024 + 2 * sizeof(scree__block), 0);
  scree__block *large = scree__pool_take(&pool, 4096), *small = scree__pool_take(&pool, 4096);
  if (!check(large && small)) return;
  check_equal(large->capacity, 4096);
  check_equal(small->capacity, 1024);
  scree__pool_put(&pool, large);
  check(scree__pool_take(&pool, 1024) == large);
}

/* The minimum size grows while a block is out: the pool is carved again as soon as that one has returned. */
static void carve_anew(uint32_t size) {
  for (int late = 0; late < 2; late++) {
    scree__pool pool = make(8 * (1024 + sizeof(scree__block)), 0);
    scree__block *blocks[8];
    for (int i = 0; i < 8; i++) blocks[i] = scree__pool_take(&pool, 1024);
    for (int i = late; i < 8; i++) scree__pool_put(&pool, blocks[i]);
    scree__pool_reset(&pool, size);
    check_equal(pool.blocks, late ? 8 : 0);
    check((scree__pool_take(&pool, 1) == NULL) == late);
    if (late)
      scree__pool_put(&pool, blocks[0]);
    else
      continue;
    scree__block *large = scree__pool_take(&pool, 1);
    check(large && large->capacity == size);
  }
}

HARNESS_TEST(carved_anew) {
  carve_anew(2048);
  carve_anew(4096);
}

/* Between epochs a pool of mixed sizes forgets them. */
HARNESS_TEST(mixed_sizes_forgotten) {
  scree__pool pool = make(4096 + 1024 + 2 * sizeof(scree__block), 0);
  scree__block *small = scree__pool_take(&pool, 1024), *rest = scree__pool_take(&pool, 1024);
  check(small && rest);
  scree__pool_put(&pool, small);
  scree__pool_put(&pool, rest);
  scree__pool_reset(&pool, 1024);
  check_equal(pool.blocks, 2); /* one size: kept */
  scree__block *large = scree__pool_take(&pool, 2048);
  check(large && large->capacity == 2048);
  scree__pool_put(&pool, large);
  scree__pool_reset(&pool, 1024);
  check_equal(pool.blocks, 0);
  large = scree__pool_take(&pool, 4096);
  check(large && large->capacity == 4096);
}

/* ---- large blocks ---- */

/* However large an arena is, no block of it is larger than any may be. */
HARNESS_TEST(largest_of_all) {
  for (size_t bytes = (size_t)1 << 20; bytes <= (size_t)1 << 40; bytes *= 2) {
    scree__pool pool = {.arena = arena, .bytes = bytes};
    scree__pool_allow_large(&pool, 1024);
    check_equal(scree__pool_largest(&pool), (bytes < 8 << 20 ? bytes / 8 : 1 << 20) + (SCREE__BLOCK_MAX - (1 << 20)));
  }
}

enum { LANE = 2048, RECORD = 8192 };

static scree__pool make_large(void) {
  scree__pool pool = make(ARENA, 0);
  scree__pool_allow_large(&pool, LANE);
  return pool;
}

/* A record of a power of two fits together with its header; large blocks start on a cache line too. */
HARNESS_TEST(large_sizes) {
  scree__pool pool = make_large();
  check_equal(scree__pool_largest(&pool), ARENA / 8 + 64);
  const struct {
    size_t want, capacity;
  } cases[] = {
      {LANE, LANE},          {LANE + 1, 2 * LANE + 64}, {2 * LANE + 64, 2 * LANE + 64}, {2 * LANE + 65, RECORD + 64},
      {RECORD, RECORD + 64}, {RECORD + 64, RECORD + 64}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pool = make_large();
    scree__block *block = scree__pool_take(&pool, cases[i].want);
    if (!check(block)) return;
    check_equal(block->capacity, cases[i].capacity);
    check_equal((uintptr_t)scree__block_data(block) % 64, 0);
    check_equal(pool.used, sizeof *block + block->capacity);
  }
  pool = make_large();
  const scree__block *largest = scree__pool_take(&pool, 1 << 20);
  check(largest && largest->capacity == RECORD + 64);
  pool = make(SIZE_MAX / 2, 0); /* nothing is carved */
  scree__pool_allow_large(&pool, LANE);
  check_equal(scree__pool_largest(&pool), SCREE__BLOCK_MAX);
}

/* They leave half of the arena to lanes, and serve again when they return; a block for which an arena is too small is
 * unavailable. */
HARNESS_TEST(large_share) {
  scree__pool pool = make_large();
  scree__block *last = NULL;
  int large = 0, small = 0;
  for (scree__block *b; (b = scree__pool_take(&pool, RECORD)) && b->capacity > LANE; large++) last = b;
  check(large == 4 && pool.used <= ARENA / 2 + sizeof *last + LANE);
  for (; scree__pool_take(&pool, LANE); small++) {
  }
  check(small >= 14);
  check(scree__pool_take(&pool, RECORD) == NULL);
  scree__pool_put(&pool, last);
  check(scree__pool_take(&pool, RECORD) == last);
  pool = make(8 * 2 * LANE - 1, 0);
  scree__pool_allow_large(&pool, LANE);
  check_equal(scree__pool_largest(&pool), LANE);
  const scree__block *none = scree__pool_take(&pool, RECORD);
  check(none && none->capacity == LANE);
}

/* ---- blocks that return from other threads ---- */

#if defined(__SANITIZE_THREAD__)
enum { ROUNDS = 20000 };
#else
enum { ROUNDS = 400000 };
#endif
enum { RETURNERS = 3, OUT = 16 };

static struct {
  AO_t returned;
  AO_t hand[RETURNERS]; /* a block for that thread; 0: none; 1: no more will come */
} shared;

static void *return_blocks(void *hand_) {
  AO_t *hand = hand_;
  for (;;) {
    AO_t block = AO_load_acquire(hand);
    if (block == 1) return NULL;
    if (block == 0) {
      sched_yield();
      continue;
    }
    scree__block *b = (scree__block *)block;
    check_equal(b->dest, *(uint32_t *)(void *)scree__block_data(b)); /* the receiver's read */
    AO_store_release(hand, 0);
    scree__stack_push(&shared.returned, map, b);
  }
}

/* Takes back what has come; each block must have been out. */
static uint32_t take_back(scree__pool *pool, bool *out) {
  uint32_t count = 0;
  for (scree__block *b = scree__stack_take(&shared.returned, map), *next; b; b = next) {
    size_t i = (size_t)((char *)b - arena) / (1024 + sizeof *b);
    next = b->next;
    check_text(i < OUT && out[i], "block %zu came back, but was not out", i);
    out[i] = false;
    scree__pool_put(pool, b);
    count++;
  }
  return count;
}

HARNESS_TEST(returned) {
  pthread_t threads[RETURNERS];
  bool out[OUT] = {false};
  uint32_t sent = 0, back = 0;
  scree__pool pool = make(OUT * (1024 + sizeof(scree__block)), 0);
  for (int i = 0; i < RETURNERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, return_blocks, &shared.hand[i]), 0);
  while (back < ROUNDS && harness_failures() == 0) {
    back += take_back(&pool, out);
    scree__block *b =
        sent < ROUNDS && !AO_load_acquire(&shared.hand[sent % RETURNERS]) ? scree__pool_take(&pool, 1) : NULL;
    if (!b) {
      sched_yield();
      continue;
    }
    out[(size_t)((char *)b - arena) / (1024 + sizeof *b)] = true;
    b->dest = sent;
    *(uint32_t *)(void *)scree__block_data(b) = sent;
    AO_store_release(&shared.hand[sent++ % RETURNERS], (AO_t)b);
  }
  for (int i = 0; i < RETURNERS; i++) AO_store_release(&shared.hand[i], 1);
  for (int i = 0; i < RETURNERS; i++) pthread_join(threads[i], NULL);
  check_equal(back, ROUNDS);
  check_equal(pool.free_blocks, pool.blocks);
}

HARNESS_MAIN
