/* unit_local_traffic.c - random programs over ranks that the process starts itself, without and with faults. What a program
 * does and how it is judged is in test/traffic. SCREE_TEST_ROW='seed=N ...' runs one alone; SCREE_TEST_SEEDS=N changes their
 * number. */
#include <scree/local.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "traffic.h"

/* What ranks leave. */
typedef struct {
  account of[MOST_RANKS][MOST_THREADS + 1];
  char why[WHY];
} common;

typedef struct {
  program p;
  common *shared;
} stage;

/* Work is handed to other workers of a rank alone. */
static bool post(player *from, uint32_t rank, uint32_t worker, parcel one) {
  (void)from, (void)rank, (void)worker, (void)one;
  return false;
}
static bool fetch(player *me, parcel *one) {
  (void)me, (void)one;
  return false;
}

static void wait_a_little(player *me) {
  nanosleep(&(struct timespec){0, (long)below(&me->random, 2000000)}, NULL);
}

static scree_status play(scree_world *world, void *stage_) {
  static home h;
  stage *s = stage_;
  const driver own = {.post = post, .fetch = fetch, .pause = wait_a_little, .at_once = true};
  account *mine = s->shared->of[scree_worker_of(world, 0)->rank];
  h.p = &s->p;
  h.driver = &own;
  traffic_play(&h, world, mine, 1);
  note_extreme(&mine->max.status, (uint64_t)scree_error(world));
  for (uint32_t i = 0; i <= s->p.threads; i++)
    if (h.player[i].why[0]) snprintf(s->shared->why, WHY, "%s", h.player[i].why);
  return scree_error(world);
}

static bool run(stage *s, const char *row, char *why) {
  static account all;
  memset(&all, 0, sizeof all);
  memset(s->shared, 0, sizeof *s->shared);
  if (!traffic_draw(&s->p, row, why)) return false;
  const scree_status status = scree_local_run(&s->p.drawn.user, s->p.ranks, play, s);
  for (uint32_t r = 0; r < s->p.ranks; r++)
    for (uint32_t i = 0; i <= s->p.threads; i++) fold(&all, &s->shared->of[r][i]);
  const bool right = judge(&s->p, &all, why);
  if (right && status != (scree_status)all.max.status.most)
    return snprintf(why, WHY, "the job ends with code %d, its ranks with %d", (int)status, (int)all.max.status.most),
           false;
  if (s->shared->why[0]) snprintf(why, WHY, "%s", s->shared->why);
  return right;
}

/* The harness has a thread of its own, which a process that starts ranks may not have. */
static bool alone(stage *s, const char *row) {
  char why[WHY] = "";
  int code = 1;
  const pid_t child = fork();
  if (child == 0) _exit(!check_text(run(s, row, why), "%s; to replay: SCREE_TEST_ROW='%s'", why, row));
  return check(child > 0 && waitpid(child, &code, 0) == child && code == 0);
}

static void programs(void **words) {
  static stage s;
  const char *one = getenv("SCREE_TEST_ROW");
  s.shared = mmap(NULL, sizeof *s.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(s.shared != MAP_FAILED);
  const uint64_t count = one ? 1 : harness_seeds(40, 1000);
  uint64_t handled = 0;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    char row[ROW];
    snprintf(row, ROW, "seed=%" PRIu64 " nodes=1 transport=default progress=default %s", seed, (const char *)*words);
    alone(&s, one ? one : row);
    for (int r = 0; r < MOST_RANKS; r++)
      for (int i = 0; i <= MOST_THREADS; i++) handled += s.shared->of[r][i].sum.totals.messages;
  }
  printf("%" PRIu64 " messages\n", handled);
  check(one || handled > 10 * count);
  munmap(s.shared, sizeof *s.shared);
}

#define TEST(title, words)                                                                                             \
  { title, programs, NULL, NULL, (void *)(uintptr_t)(words) }
static const struct CMUnitTest tests[] = {TEST("one worker", "faults=0 threads=1"),
                                          TEST("each rank leads detection", "faults=0 detector=flat"),
                                          TEST("progress threads", "progress=full"), TEST("workers and faults", "")};

HARNESS_MAIN(tests)
