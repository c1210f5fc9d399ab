/* objects.c - what tasks synchronise by, beside the messages of a program: a task opens objects, spawns users of them
 * on drawn workers, and waits for these. The value of a full/empty word is a message. Users that share memory
 * examine there what else objects promise: if the object alone orders the uses of a word, that word is a plain one, so
 * that the thread sanitizer and the simulated memory see an order that is missing. */
#include <scree/task_sync.h>
#include <string.h>

#include "traffic.h"

enum { BOARDS = 64, USERS = 6, ITEMS = 4, ROOM = 3 };
typedef enum { SEMAPHORE, MUTEX, CONDITION, WORD, BARRIER, KINDS } object;

/* Memory that the users of an object share. */
typedef struct {
  AO_t taken, stock; /* stock: in the buffer of the semaphores */
  uint64_t held, inside,
      served;       /* held: in the buffer of the conditions; then users that have the mutex, and have had it */
  uint64_t arrived; /* at the mutex, if all are on its worker */
  uint64_t written[USERS * ITEMS]; /* before the word was filled */
  bool came[ITEMS][USERS];         /* to the barrier */
} board;
static board boards[BOARDS];

/* Even users produce, odd ones consume. */
typedef struct {
  board *shared; /* NULL if they are in several processes */
  union {
    struct {
      scree_semaphore items, space;
    };
    struct {
      scree_mutex mutex;
      scree_condition not_full, not_empty;
    };
    scree_full_empty word;
    scree_barrier barrier;
  };
  uint32_t type; /* of what passes through a word */
  uint8_t kind, user, users, local;
} use;
SCREE_TASK(user, use);

static bool consumes(const use *u) {
  return u->user % 2;
}

static scree_status use_semaphore(scree_task *self, player *me, const use *u) {
  const scree_status status = scree_semaphore_wait(self, consumes(u) ? u->items : u->space);
  if (status) return status;
  const AO_t before = !u->shared ? 1 : AO_fetch_and_add(&u->shared->stock, consumes(u) ? (AO_t)-1 : 1);
  if (consumes(u) ? !before : before >= ROOM)
    flaw(me, "a semaphore lets a task pass at a stock of %zu", (size_t)before);
  scree_semaphore_post(me->w, consumes(u) ? u->space : u->items, 1);
  return SCREE_OK;
}

/* Tasks of the mutex' worker get it in the order of their arrival. */
static scree_status use_mutex(scree_task *self, player *me, const use *u) {
  board *b = u->shared;
  const uint64_t turn = u->local ? b->arrived++ : 0;
  scree_status status = scree_mutex_lock(self, u->mutex);
  if (status) return status;
  if (b && b->inside++) flaw(me, "two tasks have a mutex");
  if (u->local && turn != b->served) flaw(me, "a task has overtaken another one at a mutex");
  if (b) b->served++;
  if (below(&me->random, 2)) status = scree_task_yield(self);
  if (status) return status;
  if (b && --b->inside) flaw(me, "another task has a mutex too");
  scree_mutex_unlock(self, u->mutex);
  return SCREE_OK;
}

static scree_status use_condition(scree_task *self, player *me, const use *u) {
  board *b = u->shared;
  const uint64_t none = consumes(u) ? 0 : ROOM;
  scree_status status = scree_mutex_lock(self, u->mutex);
  while (!status && b->held == none)
    status = scree_condition_wait(self, consumes(u) ? u->not_empty : u->not_full, u->mutex);
  if (status) return status;
  b->held += consumes(u) ? (uint64_t)-1 : 1;
  const scree_condition changed = consumes(u) ? u->not_full : u->not_empty;
  if (below(&me->random, 2))
    scree_condition_signal(me->w, changed);
  else
    scree_condition_broadcast(me->w, changed);
  scree_mutex_unlock(self, u->mutex);
  return SCREE_OK;
}

/* The value has the number of the item, and who has sent it. */
static scree_status use_word(scree_task *self, player *me, const use *u, uint32_t item) {
  live_type *t = &me->home->type[u->type];
  uint64_t value =
      scree__draw(&me->random) << 24 | (uint64_t)(u->user * ITEMS + item) << 16 | me->w->rank << 8 | me->w->index;
  if (consumes(u)) {
    const scree_status status = scree_full_empty_read_fe(self, u->word, &value);
    if (status) return status;
    if (u->shared && u->shared->written[value >> 16 & 255] != value) flaw(me, "a word is filled before what it guards");
    take_bytes(me, t, hash_start(t, me->epoch, 0, MOST_THREADS, value >> 8 & 255, value & 255),
               (const unsigned char *)&value, sizeof value);
    return SCREE_OK;
  }
  const message m = {.type = t, .worker = MOST_THREADS};
  count_sent(me, &m, &value, sizeof value);
  if (u->shared) u->shared->written[value >> 16 & 255] = value;
  return scree_full_empty_write_ef(self, u->word, value);
}

static scree_status use_barrier(scree_task *self, player *me, const use *u, uint32_t item) {
  if (u->shared) u->shared->came[item][u->user] = true;
  const scree_status status = scree_barrier_wait(self, u->barrier);
  for (uint32_t i = 0; i < u->users && u->shared && !status; i++)
    if (!u->shared->came[item][i]) flaw(me, "a task passes a barrier before all have come");
  return status;
}

static void run_user(scree_task *self, const use *u) {
  player *me = player_of(scree_task_arg(self), scree_task_worker(self));
  scree_status status = SCREE_OK;
  for (uint32_t i = 0; i < ITEMS && !status; i++) {
    if (below(&me->random, 8) == 0) send_one(me, 0, false);
    status = u->kind == SEMAPHORE   ? use_semaphore(self, me, u)
             : u->kind == MUTEX     ? use_mutex(self, me, u)
             : u->kind == CONDITION ? use_condition(self, me, u)
             : u->kind == WORD      ? use_word(self, me, u, i)
                                    : use_barrier(self, me, u, i);
  }
}
SCREE_TASK_BODY(user, use, run_user);

/* ---- the task that has the objects ---- */

static bool open_all(scree_worker *w, use *u) {
  return u->kind == SEMAPHORE   ? !scree_semaphore_open(w, 0, &u->items) && !scree_semaphore_open(w, ROOM, &u->space)
         : u->kind == MUTEX     ? !scree_mutex_open(w, &u->mutex)
         : u->kind == CONDITION ? !scree_mutex_open(w, &u->mutex) && !scree_condition_open(w, &u->not_full) &&
                                      !scree_condition_open(w, &u->not_empty)
         : u->kind == WORD ? !scree_full_empty_open(w, &u->word)
                           : !scree_barrier_open(w, u->users, &u->barrier);
}

static bool close_all(scree_worker *w, const use *u) {
  return u->kind == SEMAPHORE   ? !scree_semaphore_close(w, u->items) && !scree_semaphore_close(w, u->space)
         : u->kind == MUTEX     ? !scree_mutex_close(w, u->mutex)
         : u->kind == CONDITION ? !scree_mutex_close(w, u->mutex) && !scree_condition_close(w, u->not_full) &&
                                      !scree_condition_close(w, u->not_empty)
         : u->kind == WORD ? !scree_full_empty_close(w, u->word)
                           : !scree_barrier_close(w, u->barrier);
}

/* Returns NULL if all are in use. */
static board *take_board(void) {
  for (board *b = boards; b < boards + BOARDS; b++)
    if (!AO_load(&b->taken) && AO_compare_and_swap_acquire(&b->taken, 0, 1)) { /* pairs with check_board */
      memset((char *)b + offsetof(board, stock), 0, sizeof *b - offsetof(board, stock));
      return b;
    }
  return NULL;
}

static void check_board(player *me, const use *u, board *b) {
  if (AO_load(&b->stock) || b->held) flaw(me, "objects of kind %d end with a stock of %zu", u->kind, (size_t)b->stock);
  if (u->kind == MUTEX && u->shared && b->served != u->users * ITEMS)
    flaw(me, "a mutex was held %llu times", (unsigned long long)b->served);
  AO_store_release(&b->taken, 0);
}

/* The world closes objects that are not closed here: a message of a user elsewhere may come after the user's end. */
scree_status use_objects(scree_task *self, player *me, const live_type *t) {
  const bool one_process = me->home->driver->one_process;
  use u = {.type = t->index, .kind = (uint8_t)below(&me->random, KINDS)};
  board *b = take_board();
  if (!b) return SCREE_OK;
  u.users = (uint8_t)(2 * (1 + below(&me->random, USERS / 2)));
  u.local = below(&me->random, 4) == 0 || (u.kind == CONDITION && !one_process);
  u.shared = u.local || one_process ? b : NULL;
  scree_scope *scope = open_all(me->w, &u) ? scree_finish(self) : NULL;
  if (!scope) return scree_error(me->home->world);
  count_bytes(me, u.users * sizeof u);
  for (; u.user < u.users; u.user++) {
    const uint32_t rank = below(&me->random, me->w->ranks), takers = me->home->p->epoch[me->epoch].takers,
                   to = scree_worker_number(me->w, rank, below(&me->random, takers));
    user_spawn_on(me->w, (user_type){me->home->user, me->home->user_id}, scope,
                  u.local ? scree_worker_number(me->w, me->w->rank, me->w->index) : to, u);
  }
  const scree_status status = scree_finish_end(self, scope);
  if (status) return status;
  me->account->sum.totals.objects++;
  check_board(me, &u, b);
  if (u.local && below(&me->random, 4) && !close_all(me->w, &u)) flaw(me, "'%s'", scree_error_text(me->home->world));
  return SCREE_OK;
}

scree_status open_objects(home *h) {
  user_type user = {0};
  for (board *b = boards; b < boards + BOARDS; b++) AO_store(&b->taken, 0); /* as scopes */
  const scree_status status = user_register(h->world, h, &user);
  h->user = user.of, h->user_id = user.id;
  return status;
}
