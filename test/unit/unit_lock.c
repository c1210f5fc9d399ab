/* unit_lock.c - the lock under which workers call MPI: alone inside, order of entry, priorities, counts; and sockets.
 *
 * Real threads, also under the thread sanitizer, and virtual ones, of which the seed determines the next to run: these
 * are many orders of arrival, the same in each run. A virtual thread that waits for a ticket yields the token. */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/random.h"
#include "harness.h"
#include "sim/token.h"
#include "thread/lock.h"
#include "thread/thread.h"

#if defined(__SANITIZE_THREAD__)
enum { ENTRIES = 600 };
#else
enum { ENTRIES = 2400 };
#endif
enum { KINDS = 3, THREADS_MAX = 8, SPIN = 100 };
static const char *const kinds[KINDS] = {"mutex", "ticket", "priority"};

static scree__token *virtual; /* of the run, if one is on */

int sched_yield(void) {
  if (!virtual) return (int)syscall(SYS_sched_yield);
  scree__token_yield(virtual);
  return 0;
}

static _Thread_local int cpu; /* that a thread is on, set by the test */

int sched_getcpu(void) {
  return cpu;
}

/* ---- many threads ---- */

typedef struct {
  scree__lock lock;
  uint32_t threads;
  uint64_t entered, twice; /* plain: written inside alone */
  bool inside;
  scree__lock_user user[THREADS_MAX];
} crowd;

typedef struct {
  crowd *all;
  uint32_t index;
} member;

static void *enter_often(void *arg) {
  const member *me = arg;
  crowd *c = me->all;
  uint64_t random = me->index + 1;
  for (uint32_t i = 0; i < ENTRIES / c->threads; i++) {
    scree__priority priority = scree__draw(&random) & 1 ? SCREE__HIGH : SCREE__LOW;
    scree__lock_enter(&c->lock, &c->user[me->index], priority);
    c->twice += c->inside;
    c->inside = true;
    c->entered++;
    if (scree__one_in(&random, 8)) sched_yield();
    c->inside = false;
    scree__lock_leave(&c->lock, priority);
  }
  return NULL;
}

static void check_users(const crowd *c) {
  scree__lock_user sum = {.entries = 0};
  for (uint32_t i = 0; i < c->threads; i++) {
    const scree__lock_user *u = &c->user[i];
    check_equal(u->entries, ENTRIES / c->threads);
    check(u->waits <= u->entries && u->again <= u->entries && (u->waits > 0) == (u->wait_ns > 0));
    check(u->fair <= u->entries * 500000);
    sum.waits += u->waits;
    sum.again += u->again;
    sum.fair += u->fair;
  }
  if (c->threads == 1) check_equal(sum.waits + sum.again + sum.fair, 0);
  if (c->lock.kind == SCREE_LOCK_TICKET) check_equal(sum.again, 0); /* others that wait are first */
}

static void enter_together(uint64_t kind, uint32_t threads, uint64_t spin) {
  crowd *c = aligned_alloc(SCREE__LINE, sizeof *c);
  member members[THREADS_MAX];
  pthread_t thread[THREADS_MAX];
  assert_non_null(c);
  memset(c, 0, sizeof *c);
  c->threads = threads;
  scree__lock_init(&c->lock, kind, spin);
  scree__lock_start(&c->lock, (uint64_t)0 - threads); /* tickets wrap around */
  for (uint32_t i = 0; i < threads; i++) {
    members[i] = (member){c, i};
    assert_int_equal(pthread_create(&thread[i], NULL, enter_often, &members[i]), 0);
  }
  for (uint32_t i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  check_text(c->twice == 0, "%s, %u threads: two were inside, %llu times", kinds[kind], threads,
             (unsigned long long)c->twice);
  check_equal(c->entered, ENTRIES / threads * threads);
  check_users(c);
  scree__lock_destroy(&c->lock);
  free(c);
}

HARNESS_TEST(alone_inside) {
  for (uint64_t kind = 0; kind < KINDS; kind++)
    for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) enter_together(kind, threads, threads % 2 ? SPIN : 0);
}

/* ---- the order of entry ---- */

enum { COMERS = 4 };

typedef struct {
  scree__lock lock;
  scree__priority priority[COMERS];
  char entered[COMERS + 1]; /* in this order */
  size_t count;
  scree__lock_user user[COMERS + 1]; /* the last one is the test's */
} queue;

typedef struct {
  queue *all;
  uint32_t index;
} comer;

static void *enter_once(void *arg) {
  const comer *me = arg;
  queue *q = me->all;
  scree__lock_enter(&q->lock, &q->user[me->index], q->priority[me->index]);
  q->entered[q->count++] = (char)('0' + me->index);
  scree__lock_leave(&q->lock, q->priority[me->index]);
  return NULL;
}

#define FIRST ((AO_t)0 - COMERS / 2) /* tickets wrap around while threads wait */
static void await_ticket(const AO_t *next, AO_t given) {
  while (AO_load(next) != FIRST + given) sched_yield();
}

/* Until comer i waits: it has its ticket, and the first low one that of B too. */
static void await_arrival(const queue *q, uint32_t i, scree__priority first) {
  AO_t highs = first == SCREE__HIGH, lows = first == SCREE__LOW;
  bool for_b = false; /* someone waits for B itself */
  for (uint32_t k = 0; k <= i; k++) {
    highs += q->priority[k] == SCREE__HIGH;
    lows += q->priority[k] == SCREE__LOW;
    for_b |= q->priority[k] != first;
  }
  if (q->lock.kind == SCREE_LOCK_TICKET) {
    await_ticket(&q->lock.ticket_b.next, i + 2);
    return;
  }
  await_ticket(&q->lock.ticket_h.next, highs);
  await_ticket(&q->lock.ticket_l.next, lows);
  await_ticket(&q->lock.ticket_b.next, 1 + for_b);
}

/* The comers arrive one by one while the test is inside with priority `first`, then it leaves. */
static void check_order(uint64_t kind, scree__priority first, const char *comers, const char *expected) {
  queue *q = aligned_alloc(SCREE__LINE, sizeof *q);
  comer comer_of[COMERS];
  pthread_t thread[COMERS];
  assert_non_null(q);
  memset(q, 0, sizeof *q);
  scree__lock_init(&q->lock, kind, 0);
  scree__lock_start(&q->lock, FIRST);
  for (uint32_t i = 0; i < COMERS; i++) q->priority[i] = comers[i] == 'h' ? SCREE__HIGH : SCREE__LOW;
  scree__lock_enter(&q->lock, &q->user[COMERS], first);
  for (uint32_t i = 0; i < COMERS; i++) {
    comer_of[i] = (comer){q, i};
    assert_int_equal(pthread_create(&thread[i], NULL, enter_once, &comer_of[i]), 0);
    await_arrival(q, i, first);
  }
  scree__lock_leave(&q->lock, first);
  for (uint32_t i = 0; i < COMERS; i++) pthread_join(thread[i], NULL);
  check_text(strcmp(q->entered, expected) == 0, "%s, %s after %s: entered in the order %s, expected %s", kinds[kind],
             comers, first == SCREE__HIGH ? "high" : "low", q->entered, expected);
  for (uint32_t i = 0; i < COMERS; i++) {
    check_equal(q->user[i].waits, 1);
    check(q->user[i].wait_ns > 0);
  }
  scree__lock_destroy(&q->lock);
  free(q);
}

HARNESS_TEST(first_come_first_served) {
  check_order(SCREE_LOCK_TICKET, SCREE__LOW, "lhlh", "0123");
  check_order(SCREE_LOCK_TICKET, SCREE__HIGH, "hhll", "0123");
}

HARNESS_TEST(highs_before_lows) {
  check_order(SCREE_LOCK_PRIORITY, SCREE__HIGH, "hhhh", "0123");
  check_order(SCREE_LOCK_PRIORITY, SCREE__HIGH, "llll", "0123");
  check_order(SCREE_LOCK_PRIORITY, SCREE__LOW, "hhhh", "0123");
  check_order(SCREE_LOCK_PRIORITY, SCREE__LOW, "llll", "0123");
  check_order(SCREE_LOCK_PRIORITY, SCREE__HIGH, "lhlh", "1302");
  check_order(SCREE_LOCK_PRIORITY, SCREE__LOW, "lhlh", "1302");
  check_order(SCREE_LOCK_PRIORITY, SCREE__HIGH, "llhl", "2013");
}

/* ---- virtual threads ---- */

enum { VIRTUAL = 6, VISITS = 12 };

typedef struct {
  scree__token token;
  scree__lock lock;
  uint64_t random, trace;
  bool inside, high_is_next;
  AO_t served[2]; /* by class: tickets that have entered */
  scree__lock_user user[VIRTUAL];
} play;

static void some_steps(play *p) {
  for (uint64_t i = scree__draw(&p->random) % 6; i > 0; i--) scree__token_step(&p->token);
}

/* The state of the tickets: nothing changes between reading it and its use. */
static bool high_waits(const play *p, scree__priority mine) {
  const scree__ticket_lock *h = &p->lock.ticket_h;
  return p->lock.kind == SCREE_LOCK_PRIORITY && h->next - h->serving > (mine == SCREE__HIGH);
}

static AO_t next_ticket(const play *p, scree__priority mine) {
  const scree__lock *l = &p->lock;
  if (l->kind == SCREE_LOCK_TICKET) return l->ticket_b.next;
  return (mine == SCREE__HIGH ? &l->ticket_h : &l->ticket_l)->next;
}

static void visit(play *p, uint32_t who) {
  scree__priority priority = scree__draw(&p->random) % 3 ? SCREE__LOW : SCREE__HIGH;
  AO_t *served = &p->served[p->lock.kind == SCREE_LOCK_TICKET ? 0 : priority], ticket = next_ticket(p, priority);
  scree__lock_enter(&p->lock, &p->user[who], priority);
  check_text(!p->inside, "seed %llu: two are inside", (unsigned long long)p->token.seed);
  check_text((*served)++ == ticket, "seed %llu: ticket %llu overtakes", (unsigned long long)p->token.seed,
             (unsigned long long)ticket);
  check_text(priority == SCREE__HIGH || !p->high_is_next, "seed %llu: a low one enters where a high one waits",
             (unsigned long long)p->token.seed);
  p->inside = true;
  p->trace = p->trace * 31 + who;
  some_steps(p);
  p->inside = false;
  p->high_is_next = high_waits(p, priority);
  scree__lock_leave(&p->lock, priority);
}

static void run_virtual(void *arg, uint32_t who) {
  play *p = arg;
  for (uint32_t i = 0; i < VISITS && !p->token.hung; i++) {
    visit(p, who);
    some_steps(p);
  }
}

static uint64_t play_seed(uint64_t kind, uint64_t seed) {
  static play p;
  p = (play){.random = seed ^ 77};
  p.token = (scree__token){
      .threads = VIRTUAL, .of_rank = 1, .seed = seed, .max_steps = 1000000, .run = run_virtual, .arg = &p};
  scree__lock_init(&p.lock, kind, seed % 3);
  virtual = &p.token;
  check(scree__token_run(&p.token));
  virtual = NULL;
  check_text(!p.token.hung, "%s, seed %llu: a thread waits forever", kinds[kind], (unsigned long long)seed);
  for (uint32_t i = 0; i < VIRTUAL; i++) check_equal(p.user[i].entries, VISITS);
  scree__lock_destroy(&p.lock);
  return p.trace;
}

/* The mutex is left out: waiting for it stops the thread on which all run. */
HARNESS_TEST(any_order_of_arrival) {
  const uint64_t seeds = harness_seeds(400, 20000);
  for (uint64_t kind = SCREE_LOCK_TICKET; kind < KINDS; kind++)
    for (uint64_t seed = 1; seed <= seeds && harness_failures() == 0; seed++) {
      uint64_t trace = play_seed(kind, seed);
      if (seed <= 10) check_equal(play_seed(kind, seed), trace);
    }
}

/* ---- counts ---- */

static void visits(scree__lock *lock, scree__lock_user *me, int times) {
  while (times-- > 0) {
    scree__lock_enter(lock, me, SCREE__LOW);
    scree__lock_leave(lock, SCREE__LOW);
  }
}

HARNESS_TEST(counts) {
  static scree__lock lock;
  static scree__lock_user one, other;
  scree__lock_init(&lock, SCREE_LOCK_MUTEX, 0);
  visits(&lock, &one, 5);
  check_equal(one.entries, 5);
  check_equal(one.again + one.fair + one.waits + one.wait_ns, 0); /* no other one waits: there is no choice */
  lock.waiting = 3;                                               /* as if */
  visits(&lock, &other, 1);
  check_equal(other.again, 0);
  check_equal(other.fair, 250000);
  visits(&lock, &other, 3);
  check_equal(other.again, 3);
  check_equal(other.fair, 1000000); /* on average it would have been 1 of 4 */
  scree__lock_destroy(&lock);
}

/* ---- sockets ---- */

enum { GUESTS = 3 };

typedef struct {
  scree__lock lock;
  scree__lock_user user[GUESTS + 1];
} house;

typedef struct {
  house *in;
  int who, cpu;
} guest;

static void *visit_from(void *arg) {
  const guest *g = arg;
  cpu = g->cpu;
  visits(&g->in->lock, &g->in->user[g->who], 1);
  return NULL;
}

/* Three threads queue, in this order and on these cpus, while one on the first socket is inside. */
static void check_sockets(const scree__sockets *sockets, const int *cpus, const uint64_t *again, const uint64_t *fair) {
  house *h = aligned_alloc(SCREE__LINE, sizeof *h);
  guest guests[GUESTS];
  pthread_t thread[GUESTS];
  assert_non_null(h);
  memset(h, 0, sizeof *h);
  scree__lock_init(&h->lock, SCREE_LOCK_TICKET, 0);
  scree__lock_count_sockets(&h->lock, sockets);
  cpu = 0;
  scree__lock_enter(&h->lock, &h->user[GUESTS], SCREE__LOW);
  for (int i = 0; i < GUESTS; i++) {
    guests[i] = (guest){h, i, cpus[i]};
    assert_int_equal(pthread_create(&thread[i], NULL, visit_from, &guests[i]), 0);
    while (AO_load(&h->lock.ticket_b.next) < (AO_t)i + 2) sched_yield();
  }
  scree__lock_leave(&h->lock, SCREE__LOW);
  for (int i = 0; i < GUESTS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < GUESTS; i++) {
    check_equal(h->user[i].socket_again, again[i]);
    check_equal(h->user[i].socket_fair, fair[i]);
    check_equal(h->user[i].entries, 1);
  }
  check_equal(h->user[GUESTS].socket_again + h->user[GUESTS].socket_fair, 0); /* no thread was inside before it */
  for (uint32_t s = 0; s < sockets->count; s++) check_equal(h->lock.queued[s], 0);
  scree__lock_destroy(&h->lock);
  free(h);
}

HARNESS_TEST(by_socket) {
  scree__sockets *two = calloc(1, sizeof *two + 2);
  assert_non_null(two);
  *two = (scree__sockets){.count = 2, .cpus = 2};
  two->of[1] = 1;
  cpu = 1;
  check_equal(scree__sockets_here(two), 1);
  cpu = 2; /* a cpu that was not there */
  check_equal(scree__sockets_here(two), 0);
  check_sockets(two, (const int[]){1, 0, 0}, (const uint64_t[]){0, 0, 0}, (const uint64_t[]){666666, 0, 0});
  check_sockets(two, (const int[]){0, 1, 0}, (const uint64_t[]){1, 0, 0}, (const uint64_t[]){666666, 500000, 0});
  free(two);
}

/* CPUs of three sockets, and those of this machine. */
HARNESS_TEST(sockets_of_the_machine) {
  static const scree__unit units[] = {{0, 0, 0}, {0, 1, 2}, {3, 0, 1}, {3, 1, 3}, {7, 0, 5}};
  scree__sockets *s = scree__sockets_of(units, 5), *own = scree__sockets_find();
  if (check(s != NULL)) {
    check_equal(s->count, 3);
    check(s->cpus == 6 && s->of[0] == 0 && s->of[2] == 0 && s->of[1] == 1 && s->of[3] == 1 && s->of[5] == 2);
  }
  if (check(own != NULL)) check(scree__sockets_here(own) < own->count);
  check(!scree__sockets_of(units, 0));
  free(s);
  free(own);
}

HARNESS_MAIN
