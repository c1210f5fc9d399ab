/* priority_lock.pml - a lock with two priorities made of three ticket locks, for SPIN, after A. Amer, PhD thesis (2015),
 * figure VI.10: H queues the threads of high priority (which enter MPI to send or to post), L those of low priority
 * (which enter to poll), and B is held on behalf of one or the other. The code is src/thread/lock.c: take, release,
 * nobody_waits, high_acquire, high_release, low_acquire and low_release there are the inlines and steps of these names
 * here; `already_blocked` is `blocked`, and a ticket_lock's fields have the same names. run.sh lists the instances and the
 * mutants.
 *
 *   HIGHS, LOWS   threads; each enters without end, the highs only ENTRIES times if that is not 0
 *   WATCHED       the thread whose entries are progress: the last high (1) or the last low (2)
 *
 * The figure leaves open how a thread knows that it is the last high. Here: no thread waits for H, which its holder reads
 * from H before it releases anything. The invariants that the model checks, and on which the argument rests:
 *   1. A thread inside holds B: a low by itself, a high by the flag `blocked`, which says that highs hold B.
 *   2. Only the holder of H reads or writes `blocked`.
 *   3. When H is released and `blocked` is set, a high waits for H. So highs keep B only for a high: lows pass when
 *      none waits.
 *   4. While a high waits for H, the next one in is a high, if the holder saw it waiting.
 *   5. A high inside holds H, a low L: each class enters in the order of its tickets.
 * With 5 no thread overtakes one of its class. Highs starve lows as long as highs keep coming. The runs with WATCHED look
 * for executions without end in which that thread waits from some time on. */
#define SIZE 4 /* tickets, modulo; more than threads of one class */
#define TICKET_H locks[0]
#define TICKET_L locks[1]
#define TICKET_B locks[2]
typedef ticket_lock { byte next, serving };
ticket_lock locks[3];
bool blocked;

/* What only the properties see. */
byte inside;
bool high_is_next;

/* take, release: one fetch-and-add, then one load at a time; the release is one store. */
inline take(lock, mine) {
  atomic { mine = lock.next; lock.next = (lock.next + 1) % SIZE };
  lock.serving == mine
}
inline release(lock) { lock.serving = (lock.serving + 1) % SIZE }
#define HELD(lock) (lock.serving != lock.next)

inline enter(high) {
  inside++;
  assert(inside == 1);
  assert(HELD(TICKET_B));
  assert(high || !high_is_next);
  high_is_next = false;
  if
  :: high -> assert(blocked && TICKET_H.serving == mine)
  :: else -> assert(!blocked && TICKET_L.serving == mine)
  fi
}

/* ---- high priority ---- */

inline set_blocked(value) {
  atomic { assert(TICKET_H.serving == mine); blocked = value }
}

inline high_acquire() {
  take(TICKET_H, mine);
  if
  :: blocked
  :: else ->
     take(TICKET_B, of_b);
     set_blocked(true)
  fi
}

#if defined(B_RELEASED_WITH_HIGHS_WAITING) || defined(B_RELEASED_WITH_THE_FLAG)
#define NOBODY_WAITS true
#elif defined(B_NEVER_RELEASED)
#define NOBODY_WAITS false
#else
#define NOBODY_WAITS (TICKET_H.next == (mine + 1) % SIZE)
#endif

/* nobody_waits, asked once by high_release. A high that comes after the look finds `blocked` false and queues for B. */
inline look() {
  atomic { last = NOBODY_WAITS; high_is_next = (TICKET_H.next != (mine + 1) % SIZE) }
}
inline release_b() {
  if
  :: last ->
#ifndef B_RELEASED_WITH_THE_FLAG
     set_blocked(false);
#endif
     release(TICKET_B)
  :: else
  fi
}
inline high_release() {
#if defined(H_RELEASED_BEFORE_THE_LOOK)
  release(TICKET_H);
  look();
  release_b();
#elif defined(H_RELEASED_BEFORE_B)
  look();
  release(TICKET_H);
  release_b();
#else
  look();
  release_b();
  atomic {
    assert(!blocked || TICKET_H.next != (mine + 1) % SIZE);
    release(TICKET_H)
  };
#endif
  atomic { mine = 0; of_b = 0; last = false }
}

proctype high(bool watched) {
  byte mine, of_b, entries;
  bool last;
  do
  :: ENTRIES && entries == ENTRIES -> break
  :: !ENTRIES || entries < ENTRIES ->
     high_acquire();
     atomic { enter(true) };
     if
     :: watched -> progress: inside--
     :: else -> inside--
     fi;
     high_release();
     entries = (ENTRIES -> entries + 1 : 0)
  od
}

/* ---- low priority ---- */

inline low_acquire() {
  take(TICKET_L, mine);
  take(TICKET_B, of_b)
}
inline low_release() {
  release(TICKET_B);
  release(TICKET_L);
  atomic { mine = 0; of_b = 0 }
}

proctype low(bool watched) {
  byte mine, of_b;
  do
  :: low_acquire();
     atomic { enter(false) };
     if
     :: watched -> progress: inside--
     :: else -> inside--
     fi;
     low_release()
  od
}

init {
  atomic {
    byte i;
    for (i : 1 .. HIGHS) { run high(WATCHED == 1 && i == HIGHS) }
    for (i : 1 .. LOWS) { run low(WATCHED == 2 && i == LOWS) }
  }
}
