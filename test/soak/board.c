/* board.c - the counters of a launch, in a file that all its ranks map: test/soak.sh reads it while they play, because
 * a rank that is stuck cannot answer. */
#include <atomic_ops.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/world.h"
#include "soak.h"

/* Each counter has one writer, but `messages`. All accesses are relaxed: the reader only checks that they change, and
 * concludes no order. */
typedef struct {
  AO_t pid, messages, epochs, created, completed;
  AO_t unused[11]; /* so that no two ranks share cache lines */
} rank_counters;

typedef struct {
  AO_t ranks, programs, refused, epochs, messages, losses;
  char replay[1000];
  rank_counters rank[BOARD_RANKS];
} board;

static board *shown;
static rank_counters *mine;
static const scree_world *watched;
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;

static void add(AO_t *counter, uint64_t n) {
  AO_store(counter, AO_load(counter) + n);
}

static board *map_board(const char *path, int flags, int protection) {
  int fd = open(path, flags, 0600);
  void *at = MAP_FAILED;
  if (fd >= 0 && (!(flags & O_CREAT) || ftruncate(fd, sizeof(board)) == 0))
    at = mmap(NULL, sizeof(board), protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) perror(path);
  if (fd >= 0) close(fd);
  return at == MAP_FAILED ? NULL : at;
}

/* ---- blocks, which move while no handler runs: counted by a thread, since the rank may be inside scree_end ---- */

static void copy_block_counters(void) {
  pthread_mutex_lock(&watching);
  if (watched) {
    scree__transport *t = watched->worker[0]->transport;
    scree__node_slot *slot = &t->slots[t->topology->node_index];
    AO_store(&mine->created, AO_load(&slot->created));
    AO_store(&mine->completed, AO_load(&slot->completed));
  }
  pthread_mutex_unlock(&watching);
}

static void *watch_blocks(void *unused) {
  for (;; nanosleep(&(struct timespec){0, 250000000}, NULL)) copy_block_counters();
  return unused;
}

void board_world(const scree_world *world) {
  pthread_mutex_lock(&watching);
  watched = world;
  pthread_mutex_unlock(&watching);
}

/* ---- writing ---- */

bool board_open(const char *path, uint32_t rank, uint32_t ranks) {
  pthread_t thread;
  if (ranks > BOARD_RANKS || !(shown = map_board(path, O_RDWR | O_CREAT, PROT_READ | PROT_WRITE))) return false;
  mine = &shown->rank[rank];
  AO_store(&mine->pid, (AO_t)getpid());
  if (rank == 0) AO_store(&shown->ranks, ranks);
  return pthread_create(&thread, NULL, watch_blocks, NULL) == 0 && pthread_detach(thread) == 0;
}

void board_messages(uint64_t n) {
  AO_fetch_and_add(&mine->messages, n);
}

void board_epoch(void) {
  add(&mine->epochs, 1);
}

void board_program(const char *replay) {
  if (mine == &shown->rank[0]) snprintf(shown->replay, sizeof shown->replay, "%s", replay);
}

void board_verdict(const verdict *v) {
  if (mine != &shown->rank[0]) return;
  add(&shown->programs, 1);
  add(&shown->refused, v->refused);
  add(&shown->epochs, v->epochs);
  add(&shown->messages, v->messages);
  add(&shown->losses, v->losses);
}

/* ---- reading ---- */

int board_show(const char *path) {
  const board *b = map_board(path, O_RDONLY, PROT_READ);
  uint64_t progress = 0;
  if (!b) return 1;
  printf("totals %zu %zu %zu %zu %zu\n", b->programs, b->refused, b->epochs, b->messages, b->losses);
  printf("plan %s\n", b->replay);
  for (size_t r = 0; r < b->ranks && r < BOARD_RANKS; r++) {
    const rank_counters *c = &b->rank[r];
    printf("rank %zu pid %zu messages %zu epochs %zu created %zu completed %zu\n", r, c->pid, c->messages, c->epochs,
           c->created, c->completed);
    progress += c->messages + c->epochs + c->created + c->completed;
  }
  printf("progress %" PRIu64 "\n", progress + b->programs);
  return 0;
}
