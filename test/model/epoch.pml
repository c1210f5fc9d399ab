/* epoch.pml - the end of epochs with several workers in a rank, for SPIN: counting, tokens, parity, parked workers.
 * Three workers, blocks of one message. The detectors are in the two files that it includes; run.sh lists the instances
 * and the mutants, which set the macros in capitals.
 *
 * Each step names the function that it stands for. A step makes at most one store that another worker can see, or loads
 * words of one other worker. All workers see all stores in the same order: weaker memory is not modelled. A worker takes
 * any step that the program and the library may take next, so it has all orders of scree_end and scree_test and more.
 *
 *   NODES   1: ranks 0 (workers 0 and 1) and 1 (worker 2) share a node. 2: the same ranks, each on its node. 3: three
 *           ranks of one worker, each on its node
 *   EPOCHS  how many; bit k of PAIRS is set if both workers of rank 0 take part in epoch k, otherwise worker 1 is parked
 *   SENDS   messages that may be sent in epoch k: decimal digit k, from the right; HOLDS: holds, in the same way
 *   PROGRESS_THREAD  worker 1 is rank 0's progress thread: it begins an epoch when worker 0 has (progress_thread.c)
 *   HINTS_IGNORED  a detection may start at any time
 *   FAILED_SEND  between nodes: the send of one block may fail, which fails the world; the block arrives all the same or does
 *           not. Failure notices are not modelled: the other workers learn of the failure at any later time
 *   FAILED_GATHER  between nodes: before the last epoch one rank gives up a gather, and so expects one worker of each rank; the
 *           other has compared its call and begins that epoch with all of its workers (PAIRS is what rank 0 begins with)
 *   RELEASED_TWICE  a wrong program, which releases each hold twice
 *
 * Properties.
 *   No early end: when the end is announced no work of the epoch exists (`alive`), but for one block if a send failed.
 *           After a failed gather there may be work, but all workers that take part have begun the epoch.
 *   No alarm: a round never finds more released than held, unless the program is wrong (scree__check_releases).
 *   No missed end: the model stops only after the last epoch. Detections that can find nothing new are left out
 *   (STORED), so that a missed end is a state in which the model stops; with FAIR none is left out, and the run looks
 *   for executions that go on without end and never leave an epoch.
 *   Each message is handled in its epoch; of a concurrent or serial type not before all workers of the rank that take
 *   part have begun it. */
#ifndef HOLDS
#define HOLDS 0
#endif
#define WORKERS 3
#if NODES == 3
#define PAIR(k) 1 /* worker 1 always takes part */
#else
#define PAIR(k) ((PAIRS >> (k)) & 1)
#endif
#define TAKES(w, k) ((w) != 1 || PAIR(k))
#define TAKING(k) (2 + PAIR(k)) /* workers that take part */

/* Kinds of blocks: to a worker; of a concurrent or serial type, whose handler may touch what the other worker of the
 * rank uses; the same, to itself. */
#define OWN 0
#define SHARED 1
#define SHARED_SELF 2

/* scree__node_slot of each worker */
byte created[WORKERS], completed[WORKERS], contributed[WORKERS];
#if HOLDS
byte held[WORKERS], released[WORKERS];
byte handed[WORKERS]; /* outside scree: work that other workers handed to this one */
#endif
/* Kind, parity of the epoch, and the epoch, which only the properties see. */
chan inbox[WORKERS] = [4] of { byte, bit, byte };
byte begun;        /* world->begun of rank 0: epochs, by any of its workers */
byte called, left; /* scree_run_workers: first epoch of the last call + 1; epochs that worker 1 has left */

/* What only the properties see: epochs that each worker has begun; messages and holds that may be made yet; workers that have not stated that they are
 * idle, messages not handled, and work postponed or held; whether anything was sent or held. */
byte begun_by[WORKERS], sends[EPOCHS], alive[EPOCHS];
#if HOLDS
byte holds[EPOCHS];
#endif
#ifdef ONE_ROUND_RULE
bool happened[EPOCHS];
#define HAPPENED happened[k] = true
#else
#define HAPPENED skip
#endif

#if defined(FAILED_SEND) || defined(FAILED_GATHER)
#define FAILURES
#endif
#ifdef FAILURES
/* scree__node_slot: doubtful, failure_acknowledged; that the world has failed on some rank */
byte doubtful[WORKERS];
bool acknowledged[WORKERS], known;
#endif
#if defined(FAILED_GATHER)
#define LEFT_BEHIND known
#elif defined(FAILED_SEND)
#define LEFT_BEHIND (known && alive[k] == 1)
#else
#define LEFT_BEHIND false
#endif

/* scree__node_page of each: `failed` is of a gather. Who gave it up, and how many workers of rank 0 each rank expects in the last epoch. */
#ifdef FAILED_GATHER
bool of_gather[NODES];
#define LAST (k == EPOCHS - 1)
#define GAVE_UP (LAST && w == (PAIR(k) -> 2 : 0))
#define EXPECTED_PAIR (LAST && w == 2 -> !PAIR(k) : PAIR(k))
#else
#define EXPECTED_PAIR PAIR(k)
#endif

/* What has been announced is true. */
inline announce(node) {
#ifdef FAILED_GATHER
  assert(begun_by[0] > k && begun_by[2] > k && (begun_by[1] > k || !PAIR(k)));
#endif
  assert(!alive[k] || LEFT_BEHIND);
  sends[k] = 0;
#if HOLDS
  holds[k] = 0;
#endif
  ended[node] = k + 1
}

#ifdef IDLE_WITH_AN_OPEN_LANE
#define LOCALLY_IDLE (!publishing)
#else
#define LOCALLY_IDLE (!publishing && !lane)
#endif

/* expected_tokens, of all workers: one more for each epoch, of rank 1 */
#ifdef NO_TOKENS
#define EXPECTED_TOKENS 0
#else
#define EXPECTED_TOKENS (owed + k + 1)
#endif

#if NODES == 1
#include "detect_on_node.pml"
#else
#include "detect_between_nodes.pml"
#endif

/* ---- fail.c ---- */

#ifdef FAILURES
#define FAILED failed
#define OF_FAILED bool failed; byte doubts;
#define NEW_IN_FAILED (acknowledged[w] != failed || doubtful[w] != doubts)
#define UNKNOWN (known && !failed)
#define ACKNOWLEDGE acknowledged[w] = failed; doubtful[w] = doubts

/* set_failed, drop_messages: nothing more is sent. */
inline fail() {
  failed = true;
  known = true;
  alive[k] = alive[k] - postponed - (lane && !publishing);
  postponed = false;
#ifdef FAILED_GATHER
  of_gather[NODE(w)] = true;
  STORED;
#endif
  lane = (publishing -> lane : 0)
}
#endif

/* doubt of mpi.c. The mutant counts the block as handled. */
#ifdef FAILED_SEND
inline push_fails() {
  if
  :: push()
  :: alive[k]--
  fi;
  publishing = false;
  lane = 0;
#ifdef FAILED_SEND_WRITTEN_OFF
  handled++;
#else
  doubts++;
#endif
  fail()
}
#endif
#ifndef FAILURES
#define FAILED false
#define OF_FAILED
#define NEW_IN_FAILED false
#define UNKNOWN false
#define ACKNOWLEDGE skip
#endif

/* ---- dispatch.c ---- */

/* scree__all_begun: owed is the sum of the workers of rank 0 that took part, over its epochs up to k. Rank 1 has one. */
#if NODES == 3
#define ALL_BEGUN true
#else
#define ALL_BEGUN (w == 2 || begun >= owed)
#endif

/* Of the epoch's number, which counts the epochs in which this worker was parked too. */
#ifdef PARITY_OF_OWN_EPOCHS
#define PARITY ((tokens - 1) & 1)
#else
#define PARITY (k & 1)
#endif

/* is_due and may_handle, of the block at the head */
#ifdef PARITY_IGNORED
#define AT_HEAD(kind) (inbox[w]?[kind, 0, _] || inbox[w]?[kind, 1, _])
#else
#define AT_HEAD(kind) inbox[w]?[kind, eval(PARITY), _]
#endif
#if defined(DUE_WHEN_ONE_HAS_BEGUN)
#define DUE (AT_HEAD(OWN) || AT_HEAD(SHARED) || AT_HEAD(SHARED_SELF))
#elif defined(DUE_TO_ITSELF)
#define DUE (AT_HEAD(OWN) || AT_HEAD(SHARED_SELF) || (AT_HEAD(SHARED) && ALL_BEGUN))
#else
#define DUE (AT_HEAD(OWN) || (ALL_BEGUN && (AT_HEAD(SHARED) || AT_HEAD(SHARED_SELF))))
#endif

/* from_transport, from_self, scree__call_handler, return_block. Nobody sees that the handler runs, or that it has
 * returned, before it publishes or contributes. It may send, which fills the lane, and postpone work,
 * of which the worker sends more, later: as if the handler had sent all of it, or had queued it for the program. */
inline call_handler() {
  inbox[w]?kind, _, epoch;
  assert(epoch == k);
  assert(kind == OWN || NODES == 3 || w == 2 || !PAIR(k) || (begun_by[0] > k && begun_by[1] > k));
  kind = 0;
  epoch = 0;
  if
  :: !FAILED && !lane && sends[k] -> send()
  :: true
  fi;
  if
  :: !FAILED && !postponed -> postponed = true; alive[k]++
  :: true
  fi;
  handled++;
  alive[k]--;
#ifdef COUNTED_WHEN_HANDLED
  completed[w]++;
  STORED
#endif
}

/* ---- send.c, lane.c, publish.c ---- */

/* NAME_send fills the lane. The sender picks any worker of the rank that takes part. Where the rank has only one, the
 * kinds do not differ. */
inline send() {
  sends[k]--;
  alive[k]++;
  HAPPENED;
  if
  :: lane = 1 + 3 * 0 + OWN
#ifndef PROGRESS_THREAD
  :: PAIR(k) -> lane = 1 + 3 * 1 + OWN
#endif
  :: lane = 1 + 3 * 2 + OWN
#if NODES != 3
  :: PAIR(k) -> lane = 1 + 3 * 0 + (w == 0 -> SHARED_SELF : SHARED)
  :: PAIR(k) -> lane = 1 + 3 * 1 + (w == 1 -> SHARED_SELF : SHARED)
#endif
  fi
}

/* publish_now, in two steps */
inline count_created() {
  created[w]++;
  STORED
}
inline push() {
  inbox[(lane - 1) / 3]!(lane - 1) % 3, PARITY, k
}
#ifdef CREATED_AFTER_PUSH
#define PUBLISH push()
#define PUBLISHED count_created()
#else
#define PUBLISH count_created()
#define PUBLISHED push()
#endif

/* ---- epoch.c ---- */

/* owed, on every worker by the same formula, also for the epochs in which it is parked. */
inline count_owed() {
#if defined(TOKEN_OF_PARKED)
  owed = owed + 2
#elif defined(TOKENS_NOT_SUMMED)
  owed = (1 + PAIR(k)) * (k + 1)
#else
  owed = owed + 1 + EXPECTED_PAIR
#endif
}

/* scree_begin, count_begun */
inline begin() {
  count_owed();
#if defined(FIRST_IDLE_FOR_THE_RANK)
  tokens = tokens + (w == 1 -> 0 : (w == 0 -> TAKING(k) - 1 : 1));
#elif !defined(NO_TOKENS)
  tokens++;
#endif
  begun = begun + (w < 2);
  begun_by[w] = k + 1;
#ifdef FAILED_GATHER
  if
  :: GAVE_UP -> failed = true; known = true; of_gather[NODE(w)] = true
  :: else
  fi;
#endif
  busy = true
}

/* The end of a failed epoch tells of the failure. */
#ifdef FAILED_GATHER
#define MUST_LEARN UNKNOWN
#else
#define MUST_LEARN false
#endif
inline leave() {
  assert(!busy && !lane && !postponed);
  left = (w == 1 -> k + 1 : left);
  k++
}

/* ---- team.c ---- */

/* scree_run_workers, start, finish: a call begins with the first of several epochs of both workers and ends with the last. Worker 1
 * waits for the call, worker 0 for worker 1 to return. */
#if NODES == 3
#define IN_CALL true
#define CALLS false
#else
#define CALL_BEGINS (PAIR(k) && (k == 0 || !PAIR(k - 1)))
#define RETURNED (k == 0 || !PAIR(k - 1) || PAIR(k) || left == k)
#define CALLS (w == 0 && CALL_BEGINS && called <= k)
#define IN_CALL (CALL_BEGINS -> called == k + 1 : w == 1 || RETURNED)
#endif

/* ---- progress_thread.c ---- */

/* next_has_begun; of the mutant, as soon as worker 0 has begun the last one, be it the last of the call or not. */
#ifdef PROGRESS_THREAD
#define NEXT_HAS_BEGUN (w != 1 || begun > owed)
#else
#define NEXT_HAS_BEGUN true
#endif
#ifdef PROGRESS_BEGINS_EARLY
#define PARKED tokens++; completed[w] = handled + tokens; STORED
#else
#define PARKED skip
#endif

/* ---- the program, and scree__contribute ---- */

/* After it has stated that it is idle (scree_end, scree_test), a worker sends only because of a message or a hold. */
#if HOLDS
#define MAY_SEND (busy || postponed || handed[w])
#else
#define MAY_SEND (!FAILED && (busy || postponed))
#endif
/* After a failed gather an epoch may end without worker 1, which must have begun it. */
#ifdef ACKNOWLEDGED_ALONE
#define CONTRIBUTES (LOCALLY_IDLE && !postponed)
#else
#define CONTRIBUTES (LOCALLY_IDLE && !postponed && (!FAILED || ALL_BEGUN))
#endif

/* The hint, `contributed`, is stored last. */
inline contribute() {
  alive[k] = alive[k] - busy;
  busy = false;
  completed[w] = handled + tokens;
  contributed[w] = k + 1;
  ACKNOWLEDGE;
#ifdef FIRST_IDLE_FOR_THE_RANK
  contributed[1] = (w == 0 && PAIR(k) -> k + 1 : contributed[1]);
#endif
#ifdef HOLD_COUNTED_LATE
  held[w] = held[w] + not_counted;
  not_counted = 0;
#endif
  STORED
}

#if HOLDS
/* Counted at once, then handed over. */
inline hold() {
  holds[k]--;
  alive[k]++;
  HAPPENED;
#ifdef HOLD_COUNTED_LATE
  not_counted++;
#else
  held[w]++;
  STORED;
#endif
  if
  :: w != 0 -> handed[0]++
  :: w != 1 && PAIR(k) -> handed[1]++
  :: w != 2 -> handed[2]++
  fi
}
/* Counted when this worker is idle. */
inline release() {
  handed[w]--;
  alive[k]--;
#ifdef RELEASED_TWICE
  done++;
#endif
  done++
}
#endif

proctype worker(byte w) {
  byte k, owed, tokens; /* epoch; tokens of rank 0, own ones */
  byte lane;            /* 1 + 3 * destination + kind; 0: empty */
  byte handled, done;   /* blocks; holds that it released */
  bool publishing, busy, postponed, again;
  byte kind, epoch, not_counted;
  OF_FAILED
  DETECTOR_STATE

  do
  :: atomic { k == EPOCHS -> break }
  :: atomic { k < EPOCHS && !TAKES(w, k) -> count_owed(); PARKED; k++ }
  :: atomic { k < EPOCHS && CALLS -> called = k + 1 }
  :: atomic { k < EPOCHS && TAKES(w, k) && IN_CALL && NEXT_HAS_BEGUN -> begin() };
     do
     :: atomic { MAY_SEND && !lane && sends[k] -> send(); PUBLISH; publishing = true }
     :: atomic { lane && !publishing -> PUBLISH; publishing = true }
     :: atomic { publishing -> PUBLISHED; publishing = false; lane = 0 }
     :: atomic { !publishing && DUE -> call_handler() }
     :: atomic { postponed && !publishing -> postponed = false; alive[k]-- }
#if HOLDS
     :: atomic { MAY_SEND && !publishing && holds[k] -> hold() }
     :: atomic { handed[w] && !publishing -> release() }
     :: atomic { CONTRIBUTES && released[w] != done -> released[w] = done; STORED }
#endif
     :: atomic { CONTRIBUTES && (completed[w] != handled + tokens || contributed[w] <= k || NEW_IN_FAILED) -> contribute() }
#ifdef FAILED_SEND
     :: atomic { publishing && !known -> push_fails() }
#endif
#ifdef FAILURES
     :: atomic { UNKNOWN && !publishing -> fail() }
#endif
#ifdef IDLE_TAKEN_BACK
     :: atomic { !busy && !again -> again = true; busy = true; alive[k]++ }
#endif
     :: DETECT
     :: atomic { ENDED && !busy && !publishing && !MUST_LEARN -> leave(); break }
     od;
progress:
     skip
  od
}

init {
  atomic {
    byte k;
    int send_digits = SENDS, hold_digits = HOLDS;
    for (k : 0 .. EPOCHS - 1) {
      alive[k] = TAKING(k);
      sends[k] = send_digits % 10;
      send_digits = send_digits / 10;
#if HOLDS
      holds[k] = hold_digits % 10;
      hold_digits = hold_digits / 10
#endif
    }
    STORED;
    run worker(0);
    run worker(1);
    run worker(2)
  }
}
