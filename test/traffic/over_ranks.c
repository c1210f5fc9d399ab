/* over_ranks.c - random programs over real ranks: work is passed to other ranks outside scree, by messages of MPI or,
 * by ranks that have none, in shared memory. Nothing waits inside MPI. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interpose.h"
#include "ranks.h"
#include "traffic_ranks.h"

enum { LETTERS = 64 };

static MPI_Comm comm = MPI_COMM_NULL, mail; /* for the judge; for letters */
static uint32_t programs;                   /* played by this process */

/* ---- letters: work for another rank, while a hold keeps the epoch open ---- */

static struct {
  MPI_Request out[LETTERS], box;
  uint64_t depth_out[LETTERS], depth_in;
  uint32_t count;
} letters = {.box = MPI_REQUEST_NULL};

/* Of this epoch alone: letters of one that has failed may never be received. */
static uint32_t number_of(const player *me) {
  return programs * MOST_EPOCHS + me->epoch;
}
static int tag_of(const player *me) {
  return (int)(number_of(me) % 30000);
}

static bool post(player *from, uint32_t rank, uint32_t worker, parcel one) {
  (void)worker;
  if (letters.count == LETTERS) return false;
  letters.depth_out[letters.count] = one.depth;
  MPI_Isend(&letters.depth_out[letters.count], 1, MPI_UINT64_T, (int)rank, tag_of(from), mail,
            &letters.out[letters.count]);
  letters.count++;
  return true;
}

static void expect(const player *me) {
  MPI_Irecv(&letters.depth_in, 1, MPI_UINT64_T, MPI_ANY_SOURCE, tag_of(me), mail, &letters.box);
}

static bool fetch(player *me, parcel *one) {
  int arrived = 0;
  if (letters.box == MPI_REQUEST_NULL) expect(me);
  MPI_Test(&letters.box, &arrived, MPI_STATUS_IGNORE);
  if (!arrived) return false;
  *one = (parcel){me->epoch, (uint32_t)letters.depth_in};
  expect(me);
  return true;
}

static bool letters_left(void) {
  MPI_Status states[LETTERS]; /* gcc warns of MPI_STATUSES_IGNORE of MPICH */
  int done;
  MPI_Testall((int)letters.count, letters.out, &done, states);
  return done;
}

/* In a failed world letters may be in flight when the ranks leave the epoch. They are received, so that their senders
 * do not wait: all ranks leave the same epoch, so that they may meet in a barrier. */
static void drop(player *me) {
  MPI_Request all_left = MPI_REQUEST_NULL;
  int done = 0;
  bool entered = false;
  parcel unused;
  while (!done) {
    fetch(me, &unused);
    if (!entered && letters_left()) entered = MPI_Ibarrier(mail, &all_left) == MPI_SUCCESS;
    if (entered) MPI_Test(&all_left, &done, MPI_STATUS_IGNORE);
    sched_yield();
  }
}

/* If the world has not failed, all letters have arrived. */
static void settle(player *me) {
  if (scree_error(me->home->world) != SCREE_OK) drop(me);
  while (!letters_left()) sched_yield();
  letters.count = 0;
  if (letters.box == MPI_REQUEST_NULL) return;
  MPI_Cancel(&letters.box);
  ranks_wait(&letters.box);
}

/* ---- the same by ranks without MPI: a ring from each rank to each ---- */

/* 0: empty; else the number of the epoch, and 1 + the depth. Release, acquire: a slot is written again when it has been
 * read. */
typedef struct {
  AO_t slot[LETTERS];
} ring;
static struct {
  ring (*to)[MOST_RANKS]; /* by receiver, sender */
  uint32_t written[MOST_RANKS], read[MOST_RANKS];
} rings;

static bool post_locally(player *from, uint32_t rank, uint32_t worker, parcel one) {
  AO_t *slot = &rings.to[rank][from->w->rank].slot[rings.written[rank] % LETTERS];
  (void)worker;
  if (AO_load_acquire(slot)) return false;
  AO_store_release(slot, (AO_t)number_of(from) << 32 | (one.depth + 1));
  rings.written[rank]++;
  return true;
}

/* The sender may be an epoch ahead. */
static bool fetch_from(player *me, uint32_t rank, parcel *one) {
  for (;;) {
    AO_t *slot = &rings.to[me->w->rank][rank].slot[rings.read[rank] % LETTERS];
    const AO_t is = AO_load_acquire(slot);
    if (!is || is >> 32 > number_of(me)) return false;
    AO_store_release(slot, 0);
    rings.read[rank]++;
    *one = (parcel){me->epoch, (uint32_t)is - 1};
    if (is >> 32 == number_of(me)) return true;
  }
}

static bool fetch_locally(player *me, parcel *one) {
  for (uint32_t r = 0; r < me->w->ranks; r++)
    if (fetch_from(me, r, one)) return true;
  return false;
}

/* ---- its progress: a line of each rank from time to time, so that slow and stuck can be distinguished ---- */

static home playing;
static AO_t at_play; /* the program that is played, from 1; 0: none. Relaxed, as all that is read here of players */

static void print_progress(unsigned seconds) {
  static uint64_t epoch, handled;
  const uint64_t epoch_before = epoch, before = handled;
  const player *first = &playing.player[0];
  handled = 0;
  for (uint32_t i = 0; i <= playing.p->threads; i++) handled += AO_load((const AO_t *)&playing.player[i].handled);
  epoch = (uint64_t)AO_load(&at_play) << 32 | first->epoch;
  fprintf(stderr, "traffic: rank %d of %u: program %u, epoch %u of %u, %llu messages handled in it%s %u s ago\n",
          first->w ? (int)first->w->rank : -1, playing.p->ranks, (unsigned)AO_load(&at_play), first->epoch,
          playing.p->epochs, (unsigned long long)handled,
          epoch == epoch_before && handled == before ? ": the same as" : ", others than", seconds);
}

static void *watch_progress(void *unused) {
  const char *text = getenv("SCREE_TEST_PROGRESS");
  const unsigned seconds = text ? (unsigned)atoi(text) : 10;
  AO_t before = 0;
  while (seconds) {
    sleep(seconds);
    const AO_t now = AO_load(&at_play);
    if (now && now == before) print_progress(seconds);
    before = now;
  }
  return unused;
}

/* Once. */
static void start_watching(void) {
  pthread_t thread;
  if (programs == 1 && pthread_create(&thread, NULL, watch_progress, NULL) == 0) pthread_detach(thread);
}

/* ---- a run ---- */

static void enter(player *me, uint32_t type, uint64_t hash, bool handled) {
  fprintf(stderr, "ledger: epoch %u %016llx type %u (%s): %s by worker %u of rank %u\n", me->epoch,
          (unsigned long long)hash, type, me->home->p->type[type].kind->name, handled ? "handled" : "sent",
          me->w->index, me->w->rank);
}

static void wait_a_little(player *me) {
  nanosleep(&(struct timespec){0, (long)below(&me->random, 2000000)}, NULL);
}

uint64_t traffic_max(uint64_t mine) {
  uint64_t max;
  ranks_reduce(comm, &mine, &max, 1, RANKS_MAX);
  return max;
}

static scree_status play(home *h, account *accounts) {
  scree_world *world = NULL;
  virtual_nodes = (int)h->p->nodes;
  scree_status status = scree_open(&h->p->drawn.user, &world);
  virtual_nodes = 1;
  if (status != SCREE_OK) return status;
  traffic_play(h, world, accounts, 1);
  status = scree_error(world);
  const scree_status closed = scree_close(world);
  return status ? status : closed;
}

/* Once. */
static void open_mail(void) {
  if (ranks_are_local) {
    if (!rings.to) rings.to = ranks_share(sizeof(ring[MOST_RANKS][MOST_RANKS]));
  } else if (comm == MPI_COMM_NULL) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &mail);
  }
}

bool traffic_over_ranks(const program *p, const driver *hooks, account *all, char *why) {
  static account accounts[MOST_THREADS + 1], mine;
  home *h = &playing;
  driver d = *hooks;
  d.post = post, d.fetch = fetch, d.settle = settle, d.at_once = true;
  if (ranks_are_local) d.post = post_locally, d.fetch = fetch_locally, d.settle = NULL;
  d.enter = getenv("SCREE_TEST_LEDGER") ? enter : NULL;
  if (!d.pause) d.pause = wait_a_little;
  open_mail();
  programs++;
  memset(accounts, 0, sizeof accounts);
  memset(&mine, 0, sizeof mine);
  memset(h->player, 0, sizeof h->player);
  h->p = p;
  h->driver = &d;
  h->stage = hooks->stage;
  start_watching();
  AO_store_release(&at_play, programs);
  note_extreme(&mine.max.status, (uint64_t)play(h, accounts));
  AO_store(&at_play, 0);
  for (uint32_t i = 0; i <= p->threads; i++) fold(&mine, &accounts[i]);
  ranks_reduce(comm, &mine.sum, &all->sum, sizeof mine.sum / 8, RANKS_SUM);
  ranks_reduce(comm, &mine.max, &all->max, sizeof mine.max / 8, RANKS_MAX);
  const bool right = judge(p, all, why);
  for (uint32_t i = 0; i <= p->threads; i++)
    if (h->player[i].why[0]) snprintf(why, WHY, "%s", h->player[i].why);
  return right;
}
