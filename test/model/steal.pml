/* steal.pml - the end of an epoch in which closures move (src/task/steal.c, lifeline.c), for SPIN: within a rank from a deque, under
 * holds; between ranks by messages, two tries, then lifelines.
 *
 * Workers 0 and 1 are rank 0, worker 2 is rank 1. Worker 0 begins with CLOSURES; running one spawns up to 2 more, SPAWNS in all. Each
 * worker counts as epoch.pml does; a detection reads what all have completed and released, one worker after the other, and then
 * what they have created and held; if the sums match and all have contributed, the epoch ends, and nothing may be left. Messages
 * have no order: what is under way to a worker is a number for each kind.
 * SKIPPED is a worker that takes no part: all states of three workers that may do all of this are too many.
 * Mutants: NO_HOLD (a closure is in the deque without one), RELEASED_AT_ONCE (by the thief, before it is idle), ASKS_WHEN_IDLE (a worker
 * contributes before its requests are sent), ASKS_ON (without lifelines), LIFELINE_FORGOTTEN (by the victim), LOOT_TWICE (a victim
 * keeps what it gives). */
#define WORKERS 3
#ifndef CLOSURES
#define CLOSURES 2
#endif
#ifndef SPAWNS
#define SPAWNS 1
#endif
#ifndef SKIPPED
#define SKIPPED WORKERS
#endif
#define TAKES(w) ((w) != SKIPPED)
#define TRIES 2
#define RANK(w) ((w) / 2)
#define LIFELINE(w) (RANK(w) == 0 -> 2 : 0) /* where its lifeline leads */

byte own[WORKERS], deque[WORKERS];
byte created[WORKERS], held[WORKERS], handled[WORKERS], done[WORKERS]; /* handled, done: not seen by others */
byte completed[WORKERS], released[WORKERS];
bool contributed[WORKERS];

/* Under way: requests and lifelines, by sender * WORKERS + receiver; answers and loot, of each kind, by receiver. */
byte requests[WORKERS * WORKERS], lifelines[WORKERS * WORKERS];
byte nothing[WORKERS], loot[WORKERS], late_loot[WORKERS];
bool asking[WORKERS], waits[WORKERS], remembered[WORKERS]; /* remembered: the lifeline of that worker, where it leads */
byte tries[WORKERS];

byte spawns = SPAWNS, left = CLOSURES, messages; /* left: closures that have not run */
byte asked[WORKERS], begun[WORKERS], ran;
bool over;

#define HUNGRY(w) (own[w] == 0 && deque[w] == 0)
#ifdef ASKS_ON
#define WANTS_TO_ASK(w) (TAKES(2) && HUNGRY(w) && !asking[w])
#else
#define WANTS_TO_ASK(w) (TAKES(2) && HUNGRY(w) && !asking[w] && (tries[w] < TRIES || !waits[w]))
#endif
#ifdef ASKS_WHEN_IDLE
#define IDLE(w) HUNGRY(w)
#else
#define IDLE(w) (HUNGRY(w) && !WANTS_TO_ASK(w))
#endif

inline run_one(w) {
  own[w]--;
  left--;
  begun[w]++;
  ran++;
  assert(ran <= CLOSURES + SPAWNS);
  tries[w] = 0;
  if
  :: true
  :: spawns >= 1 -> spawns = spawns - 1; own[w]++; left++
  :: spawns >= 2 -> spawns = spawns - 2; own[w] = own[w] + 2; left = left + 2
  fi
}

/* A closure goes to a worker of another rank. */
inline give(w, to) {
  created[w]++;
  messages++;
#ifdef LOOT_TWICE
  left++ /* both will run */
#else
  own[w]--
#endif
}

inline answer(w, from) {
  requests[from * WORKERS + w]--;
  messages--;
  handled[w]++;
  if
  :: own[w] > 1 -> give(w, from); loot[from]++
  :: else -> created[w]++; messages++; nothing[from]++
  fi
}

inline ask(w, to) {
  created[w]++;
  messages++;
  asked[w]++;
  assert(asked[w] <= (TRIES + 1) * (begun[w] + 1));
  if
  :: tries[w] == TRIES -> waits[w] = true; lifelines[w * WORKERS + LIFELINE(w)]++
  :: else -> tries[w]++; asking[w] = true; requests[w * WORKERS + to]++
  fi
}

inline remember(w, from) {
  lifelines[from * WORKERS + w]--;
  messages--;
  handled[w]++;
#ifndef LIFELINE_FORGOTTEN
  remembered[from] = true
#endif
}

inline take(w, kind) {
  kind--;
  messages--;
  handled[w]++;
  own[w]++
}

/* Where a lifeline leads there is a request, or a note of it, or loot is under way. */
#define TIED(w) (!waits[w] || remembered[w] || late_loot[w] || lifelines[w * WORKERS + LIFELINE(w)])

proctype worker(byte w) {
  byte exposed;
  byte other = (w < 2 -> 1 - w : w);
  do
  :: atomic { over -> break }
  :: atomic { own[w] && !over -> assert(TIED(0) && TIED(1) && TIED(2)); run_one(w) }
  /* expose: the hold is counted before others can see the closure */
  :: atomic { own[w] > 1 && !deque[w] && w < 2 && TAKES(1) && !over && !exposed ->
       own[w]--;
       exposed = 1;
#ifndef NO_HOLD
       held[w]++
#endif
     }
  :: atomic { exposed -> exposed = 0; deque[w]++ }
  :: atomic { !own[w] && deque[w] && !exposed && !over -> deque[w]--; own[w]++;
#ifndef NO_HOLD
       done[w]++
#endif
     }
  :: atomic { HUNGRY(w) && !exposed && w < 2 && deque[other] && !over -> deque[other]--; own[w]++;
#if defined(RELEASED_AT_ONCE)
       done[w]++; released[w]++
#elif !defined(NO_HOLD)
       done[w]++
#endif
     }
  :: atomic { WANTS_TO_ASK(w) && !exposed && !over && w == 2 -> ask(w, 0) }
  :: atomic { WANTS_TO_ASK(w) && !exposed && !over && w == 2 && TAKES(1) -> ask(w, 1) }
  :: atomic { WANTS_TO_ASK(w) && !exposed && !over && w < 2 -> ask(w, 2) }
  :: atomic { requests[0 * WORKERS + w] && !over -> answer(w, 0) }
  :: atomic { requests[1 * WORKERS + w] && !over -> answer(w, 1) }
  :: atomic { requests[2 * WORKERS + w] && !over -> answer(w, 2) }
  :: atomic { lifelines[0 * WORKERS + w] && !over -> remember(w, 0) }
  :: atomic { lifelines[1 * WORKERS + w] && !over -> remember(w, 1) }
  :: atomic { lifelines[2 * WORKERS + w] && !over -> remember(w, 2) }
  :: atomic { w == 2 && own[w] > 1 && remembered[0] && !over -> remembered[0] = false; give(w, 0); late_loot[0]++ }
  :: atomic { w == 2 && own[w] > 1 && remembered[1] && !over -> remembered[1] = false; give(w, 1); late_loot[1]++ }
  :: atomic { w == 0 && own[w] > 1 && remembered[2] && !over -> remembered[2] = false; give(w, 2); late_loot[2]++ }
  :: atomic { nothing[w] && !over -> nothing[w]--; messages--; handled[w]++; asking[w] = false }
  :: atomic { loot[w] && !over -> take(w, loot[w]); asking[w] = false }
  :: atomic { late_loot[w] && !over -> take(w, late_loot[w]); waits[w] = false }
  :: atomic { IDLE(w) && !exposed && (completed[w] != handled[w] || released[w] != done[w] || !contributed[w]) && !over ->
       completed[w] = handled[w];
       released[w] = done[w];
       contributed[w] = true
     }
  od
}

/* What all have completed, then what they have created. */
proctype detector() {
  byte i, finished, work, freed, kept;
  bool all;
  do
  :: atomic { i = 0; finished = 0; work = 0; freed = 0; kept = 0; all = true };
     do
     :: atomic { i < WORKERS -> finished = finished + completed[i]; freed = freed + released[i]; all = all && contributed[i]; i++ }
     :: atomic { i == WORKERS -> i = 0; break }
     od;
     do
     :: atomic { i < WORKERS -> work = work + created[i]; kept = kept + held[i]; i++ }
     :: atomic { i == WORKERS -> break }
     od;
     if
     :: atomic { all && finished == work && freed == kept -> assert(!left && !messages); over = true; break }
     :: else -> skip
     fi
  od
}

init {
  atomic {
    own[0] = CLOSURES;
    run worker(0);
    if
    :: TAKES(1) -> run worker(1)
    :: else -> contributed[1] = true
    fi;
    if
    :: TAKES(2) -> run worker(2)
    :: else -> contributed[2] = true
    fi;
    run detector()
  }
}
