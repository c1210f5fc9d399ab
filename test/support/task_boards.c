#include "task_boards.h"

#include "base/random.h"
#include "harness.h"

static uint64_t draw(uint64_t *random, uint64_t n) {
  return scree__draw(random) % n;
}

/* ---- users: even ones produce, odd ones consume ---- */

typedef struct {
  scree_task *self;
  board *b;
  uint32_t user;
  bool consumes;
  uint64_t *random;
} use;

static scree_status use_semaphore(const use *u) {
  for (int i = 0; i < BOARD_ITEMS; i++) {
    const scree_status status = scree_semaphore_wait(u->self, u->consumes ? u->b->items : u->b->space);
    if (status) return status;
    const AO_t before = AO_fetch_and_add(&u->b->stock, u->consumes ? (AO_t)-1 : 1);
    check(u->consumes ? before > 0 : before < BOARD_ROOM);
    scree_semaphore_post(scree_task_worker(u->self), u->consumes ? u->b->space : u->b->items, 1);
  }
  return SCREE_OK;
}

/* Tasks of the mutex' worker get it in the order of their arrival. */
static scree_status use_mutex(const use *u) {
  board *b = u->b;
  for (int i = 0; i < BOARD_ITEMS; i++) {
    const uint64_t ticket = b->local ? b->tickets++ : 0;
    scree_status status = scree_mutex_lock(u->self, b->mutex);
    if (status) return status;
    check_equal(b->inside++, 0);
    if (b->local) check_equal(ticket, b->served);
    b->served++;
    if (draw(u->random, 2)) status = scree_task_yield(u->self);
    check_equal(--b->inside, 0);
    if (status) return status;
    scree_mutex_unlock(u->self, b->mutex);
  }
  return SCREE_OK;
}

static scree_status use_condition(const use *u) {
  board *b = u->b;
  for (int i = 0; i < BOARD_ITEMS; i++) {
    scree_status status = scree_mutex_lock(u->self, b->mutex);
    while (!status && b->held == (u->consumes ? 0 : BOARD_ROOM))
      status = scree_condition_wait(u->self, u->consumes ? b->not_empty : b->not_full, b->mutex);
    if (status) return status;
    check(u->consumes ? b->held > 0 : b->held < BOARD_ROOM);
    b->held += u->consumes ? (uint64_t)-1 : 1;
    const scree_condition changed = u->consumes ? b->not_full : b->not_empty;
    if (draw(u->random, 2))
      scree_condition_signal(scree_task_worker(u->self), changed);
    else
      scree_condition_broadcast(scree_task_worker(u->self), changed);
    scree_mutex_unlock(u->self, b->mutex);
  }
  return SCREE_OK;
}

/* What was written before the word was filled is seen by the task that empties it. */
static scree_status use_full_empty(const use *u) {
  board *b = u->b;
  for (uint32_t i = 0; i < BOARD_ITEMS; i++) {
    uint64_t value = 1 + u->user * BOARD_ITEMS + i;
    if (!u->consumes) b->written[value] = scree__hash(value);
    const scree_status status = u->consumes ? scree_full_empty_read_fe(u->self, b->word, &value)
                                            : scree_full_empty_write_ef(u->self, b->word, value);
    if (status) return status;
    if (u->consumes && check(value <= BOARD_USERS * BOARD_ITEMS)) check_equal(b->written[value], scree__hash(value));
    b->sum[u->user] += value * value;
  }
  return SCREE_OK;
}

static scree_status use_barrier(const use *u) {
  for (int i = 0; i < BOARD_ITEMS; i++) {
    u->b->came[i][u->user] = true;
    const scree_status status = scree_barrier_wait(u->self, u->b->barrier);
    if (status) return status;
    for (uint32_t n = 0; n < u->b->users; n++) check(u->b->came[i][n]);
  }
  return SCREE_OK;
}

static void run_user(scree_task *self, const board_args *args) {
  static scree_status (*const by_kind[BOARD_KINDS])(const use *) = {use_semaphore, use_mutex, use_condition,
                                                                    use_full_empty, use_barrier};
  boards *s = ((const boards_rank *)scree_task_arg(self))->s;
  board *b = &s->b[args->kind];
  uint64_t random = scree__hash_draw(s->random, 100 * args->kind + args->user);
  const use u = {self, b, args->user, args->user % 2 == 1, &random};
  if (s->fails && draw(&random, 4 * BOARD_USERS) == 0) scree_fail(scree_task_worker(self), SCREE_EINVAL, "drawn");
  b->done[args->user] = by_kind[args->kind](&u) == SCREE_OK;
}
SCREE_TASK_BODY(board_user, board_args, run_user);

/* ---- the task that has the objects ---- */

bool board_open(scree_worker *w, board *b) {
  return !scree_semaphore_open(w, 0, &b->items) && !scree_semaphore_open(w, BOARD_ROOM, &b->space) &&
         !scree_mutex_open(w, &b->mutex) && !scree_condition_open(w, &b->not_full) &&
         !scree_condition_open(w, &b->not_empty) && !scree_full_empty_open(w, &b->word) &&
         !scree_barrier_open(w, b->users, &b->barrier);
}

static void close_all(scree_worker *w, board *b) {
  check_equal(scree_semaphore_close(w, b->items), SCREE_OK);
  check_equal(scree_semaphore_close(w, b->space), SCREE_OK);
  check_equal(scree_mutex_close(w, b->mutex), SCREE_OK);
  check_equal(scree_condition_close(w, b->not_full), SCREE_OK);
  check_equal(scree_condition_close(w, b->not_empty), SCREE_OK);
  check_equal(scree_full_empty_close(w, b->word), SCREE_OK);
  check_equal(scree_barrier_close(w, b->barrier), SCREE_OK);
}

static void check_board(const board *b, uint32_t kind) {
  uint64_t sum = 0;
  for (uint32_t u = 0; u < b->users; u++) sum += u % 2 ? b->sum[u] : 0 - b->sum[u];
  check_equal(sum, 0);
  check_equal(AO_load(&b->stock), 0);
  check_equal(b->held, 0);
  if (kind == BOARD_MUTEX) check_equal(b->served, b->users * BOARD_ITEMS);
}

static void run_host(scree_task *self, const board_args *args) {
  const boards_rank *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  board *b = &r->s->b[args->kind];
  const uint32_t workers = r->s->workers;
  uint64_t random = scree__hash_draw(r->s->random, 100 * args->kind + 99);
  b->users = 2 * (1 + (uint32_t)draw(&random, BOARD_USERS / 2));
  b->home = scree_worker_number(w, w->rank, w->index);
  b->local = draw(&random, 4) == 0;
  b->close = draw(&random, 2); /* else the world closes them */
  if (!board_open(w, b)) return;
  scree_scope *scope = scree_finish(self);
  if (!scope) return;
  for (uint32_t u = 0; u < b->users; u++) {
    const uint32_t to = (uint32_t)draw(&random, (uint64_t)w->ranks * workers);
    board_user_spawn_on(w, r->user, scope, b->local ? b->home : scree_worker_number(w, to / workers, to % workers),
                        (board_args){args->kind, u});
  }
  if (scree_finish_end(self, scope)) return;
  check_board(b, args->kind);
  if (b->local && b->close) close_all(w, b);
}
SCREE_TASK_BODY(board_host, board_args, run_host);

/* ---- the driver ---- */

void boards_register(scree_world *world, boards_rank *r) {
  check_equal(board_host_register(world, r, &r->host), SCREE_OK);
  check_equal(board_user_register(world, r, &r->user), SCREE_OK);
}

void boards_play(scree_worker *w, boards_rank *r) {
  if (scree_begin(w)) return;
  for (uint32_t k = 0; w->rank == 0 && w->index == 0 && k < BOARD_KINDS; k++) {
    const uint32_t to = (uint32_t)scree__hash_draw(r->s->random, k) % w->ranks;
    board_host_spawn_on(w, r->host, NULL, scree_worker_number(w, to, 0), (board_args){k, 0});
  }
  if (scree_end(w, NULL)) return;
  for (board *b = r->s->b; b < r->s->b + BOARD_KINDS; b++)
    if (b->home == scree_worker_number(w, w->rank, w->index) && b->close && !b->local) close_all(w, b);
}

void boards_check(const boards *s) {
  for (const board *b = s->b; b < s->b + BOARD_KINDS; b++) {
    check(b->users > 0);
    for (uint32_t u = 0; u < b->users; u++) check_text(b->done[u], "user %u of kind %td", u, b - s->b);
  }
}
