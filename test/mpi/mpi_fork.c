/* mpi_fork.c - a process that is forked while a world is open makes each call of the table: all are refused, and the
 * parent's world is as it was. */
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "core/world.h"
#include "harness.h"
#include "setting.h"

enum { MESSAGES = 100 /* if each had a block, so few that no send waits for a rank that makes no progress */ };

typedef struct {
  caller a;
  uint64_t count, bytes;
} player;

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  ((player *)arg)->count += batch->count;
}
static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  ((player *)arg)->bytes += batch->count;
}
SCREE_HANDLER(ping, uint64_t, on_ping);
SCREE_VARIABLE_HANDLER(words, on_words);

/* Calls that are checked inline are refused only in checked worlds; calls that print do so in a child too. */
static int make_calls(player *p, int place, bool checked) {
  int wrong = 0;
  for (size_t i = 0; i < call_rows_count; i++) {
    const char kind = call_rows[i].where[place];
    if (kind != 'F' && kind != 'r' && !(kind == 'f' && checked)) continue;
    if (call_rows[i].call(&p->a) == call_rows[i].refused) continue;
    fprintf(stderr, "%s: not refused in a forked process\n", call_rows[i].title);
    wrong = 1;
  }
  return wrong;
}

static void fork_here(player *p, int place, bool checked) {
  int code = 1;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) _exit(make_calls(p, place, checked));
  check(child > 0 && waitpid(child, &code, 0) == child);
  check_equal(code, 0);
}

/* Blocks are in flight, and some that the child could handle have arrived. */
static void send_all(player *p) {
  scree_worker *w = p->a.w;
  for (uint32_t i = 0; i < MESSAGES; i++) ping_send(w, p->a.ping, i % w->ranks, i);
  for (uint32_t r = 0; r < w->ranks; r++) words_send(w, p->a.words, r, "word", 4);
  scree_flush(w, SCREE_ALL);
}

static void one_world(uint64_t transport, bool checked) {
  player p = {.count = 0};
  scree_world *world = setting_open(&(setting){.transport = transport, .checked = checked});
  if (!world) return;
  p.a = (caller){.world = world, .w = scree_worker_of(world, 0)};
  check_equal(ping_register(world, &p, &p.a.ping), SCREE_OK);
  check_equal(words_register(world, &p, &p.a.words), SCREE_OK);
  check_equal(scree_begin(p.a.w), SCREE_OK);
  send_all(&p);
  harness_all(true);
  fork_here(&p, THREAD, checked);
  check_equal(scree_end(p.a.w, NULL), SCREE_OK);
  fork_here(&p, IDLE_THREAD, checked);
  check_equal(scree_begin(p.a.w), SCREE_OK);
  send_all(&p);
  check_equal(scree_end(p.a.w, NULL), SCREE_OK);
  uint64_t expected = 0;
  for (uint32_t i = 0; i < MESSAGES; i++) expected += i % p.a.w->ranks == p.a.w->rank;
  check_equal(p.count, 2 * expected * p.a.w->ranks);
  check_equal(p.bytes, 2 * p.a.w->ranks);
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_TEST(a_forked_process_is_refused) {
  for (uint64_t transport = SCREE_TRANSPORT_AUTO; transport <= SCREE_TRANSPORT_MPI; transport++)
    for (int checked = 0; checked < 2; checked++) one_world(transport, checked);
}

HARNESS_MPI_MAIN
