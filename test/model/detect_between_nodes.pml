/* detect_between_nodes.pml - detection rounds between nodes, in which the leader of each takes part; see epoch.pml.
 *
 *   ONE_ROUND_RULE  an epoch in which nothing was created and nothing held ends after one round
 *   CHECKED_IN_ONE_ROUND, NOT_CHECKED  mutants: releases are compared with holds of the same round; not at all */
#if NODES == 3
#define NODE(w) (w)
#define LEADER true
#else
#define NODE(w) ((w) / 2)
#define LEADER (w != 1)
#endif
byte ended[NODES]; /* scree__node_page of each */
#define ENDED (ended[NODE(w)] > k)

/* Two rounds that follow the last store find what there is to find; one more may be open when the next store comes. A
 * further one would leave the model in the state in which it found it, and is left out. */
#ifdef FAIR
#define STORED skip
#define NEWS true
#define LOOKED skip
#else
byte rounds_left;
#define STORED rounds_left = 3
#define NEWS (rounds_left || rounds[which].started)
#define LOOKED rounds_left = (rounds[which].started -> rounds_left : rounds_left - 1); rounds[which].started = true
#endif

/* The reduction: of the current round and the one before it, whose result some leader may not have tested yet. */
typedef round {
  bool started;
  byte joined, tested, completed, created;
#if HOLDS
  byte released, held;
#endif
#ifdef FAILURES
  byte unacknowledged, doubtful;
  bool of_gather;
#endif
};
round rounds[2];

/* takes_part: after a failed gather only the first worker of each rank surely does. */
#ifdef FAILED_GATHER
#define SECOND_TAKES_PART (PAIR(k) && !of_gather[0])
#else
#define SECOND_TAKES_PART PAIR(k)
#endif

/* all_contributed, and `idle` of scree__detect. They only save rounds, unless one round may be enough: see NOTHING. */
#if defined(HINTS_IGNORED)
#define SEEMS_IDLE (!publishing)
#elif defined(JOINS_BEFORE_ALL_ARE_IDLE)
#define SEEMS_IDLE (contributed[w] > k && LOCALLY_IDLE)
#elif NODES == 3
#define SEEMS_IDLE (contributed[w] > k && LOCALLY_IDLE)
#else
#define SEEMS_IDLE (contributed[w] > k && LOCALLY_IDLE && (w == 2 || !SECOND_TAKES_PART || contributed[1] > k))
#endif
/* With FAIR: scree__progress found nothing to do. */
#ifdef FAIR
#define STARTS                                                                                                         \
  (LEADER && !round_open && !ENDED && SEEMS_IDLE && !DUE && !UNKNOWN && !NEW_IN_FAILED &&                              \
   completed[w] == handled + tokens)
#else
#define STARTS (LEADER && !round_open && !ENDED && SEEMS_IDLE && NEWS)
#endif

#ifdef FAILURES
#define OF_FAILED_ROUNDS byte last_unacknowledged, last_doubtful, unacknowledged_sum, doubtful_sum; bool last_of_gather;
#else
#define OF_FAILED_ROUNDS
#endif
#define DETECTOR_STATE                                                                                                 \
  bool round_open, has_last, which, over, alarm;                                                                       \
  byte last_completed, last_released, base_created, base_held, completed_sum, released_sum;                            \
  OF_FAILED_ROUNDS

#if NODES == 3
#define OF_NODE(counter) (counter[w])
#define UNACKNOWLEDGED (!acknowledged[w])
#else
#define UNACKNOWLEDGED (w == 2 -> !acknowledged[2] : !acknowledged[0] + (SECOND_TAKES_PART && !acknowledged[1]))
#define OF_NODE(counter) (w == 0 -> counter[0] + counter[1] : counter[2])
#endif

/* read_counters: all completed of the node, then all created, and round_start of the transport. One other worker is read,
 * since the leader's own counters do not change meanwhile. */
inline read_completed() {
  LOOKED;
  completed_sum = OF_NODE(completed);
#if HOLDS
  released_sum = OF_NODE(released);
#endif
#ifdef FAILURES
  unacknowledged_sum = UNACKNOWLEDGED;
  doubtful_sum = OF_NODE(doubtful);
#endif
}
inline read_created_and_join() {
  rounds[which].completed = rounds[which].completed + completed_sum;
  rounds[which].created = rounds[which].created + OF_NODE(created);
  completed_sum = 0;
#if HOLDS
  rounds[which].released = rounds[which].released + released_sum;
  rounds[which].held = rounds[which].held + OF_NODE(held);
  released_sum = 0;
#endif
#ifdef FAILURES
  rounds[which].unacknowledged = rounds[which].unacknowledged + unacknowledged_sum;
  rounds[which].doubtful = rounds[which].doubtful + doubtful_sum;
  unacknowledged_sum = 0;
  doubtful_sum = 0;
#endif
#ifdef FAILED_GATHER
  rounds[which].of_gather = rounds[which].of_gather || of_gather[NODE(w)];
#endif
  rounds[which].joined++;
  round_open = true
}

#if HOLDS
#define RELEASED rounds[which].released
#define HELD rounds[which].held
#else
#define RELEASED 0
#define HELD 0
#endif
#define COMPLETED rounds[which].completed
#define CREATED rounds[which].created

/* scree__balanced */
#if defined(DOUBTFUL_WITHOUT_ACKNOWLEDGEMENT)
#define MAY_MISS (last_doubtful && last_completed + last_doubtful >= CREATED + EXPECTED_TOKENS)
#elif defined(FAILED_SEND)
#define MAY_MISS                                                                                                       \
  (!last_unacknowledged && last_doubtful && last_completed + last_doubtful >= CREATED + EXPECTED_TOKENS)
#else
#define MAY_MISS false
#endif
#if defined(FAILED_GATHER) && !defined(TOKENS_COMPARED)
#define BALANCED                                                                                                       \
  (has_last && (last_of_gather -> !last_unacknowledged : last_completed == CREATED + EXPECTED_TOKENS))
#elif defined(ONE_ROUND)
#define BALANCED (COMPLETED == CREATED + EXPECTED_TOKENS && RELEASED == HELD)
#else
#define BALANCED (has_last && (last_completed == CREATED + EXPECTED_TOKENS || MAY_MISS) && last_released == HELD)
#endif

/* scree__check_releases: more is released than held. */
#if defined(CHECKED_IN_ONE_ROUND)
#define ALARM (!over && RELEASED > HELD)
#elif defined(NOT_CHECKED)
#define ALARM false
#else
#define ALARM (!over && has_last && last_released > HELD)
#endif

/* Nothing was created and nothing held in this epoch, by what was read of each worker after it had contributed. */
#if defined(RULE_WITHOUT_HOLDS)
#define NOTHING (CREATED == base_created && COMPLETED == base_created + EXPECTED_TOKENS)
#elif defined(RULE_HOLDS_BALANCED)
#define NOTHING (CREATED == base_created && COMPLETED == base_created + EXPECTED_TOKENS && HELD == RELEASED)
#elif defined(ONE_ROUND_RULE)
#define NOTHING (CREATED == base_created && COMPLETED == base_created + EXPECTED_TOKENS && HELD == base_held)
#else
#define NOTHING false
#endif

/* round_test, judge_round */
inline judge() {
  over = BALANCED || NOTHING;
#if HOLDS
  alarm = ALARM;
  assert(!alarm);
#endif
#ifdef ONE_ROUND_RULE
#ifndef JOINS_BEFORE_ALL_ARE_IDLE
  assert(over || happened[k]); /* it saves what it is there to save */
#endif
  base_created = (over -> CREATED : base_created);
  base_held = (over -> HELD : base_held);
#endif
  has_last = !over;
  last_completed = (over -> 0 : COMPLETED);
  last_released = (over -> 0 : RELEASED);
#ifdef FAILURES
  last_unacknowledged = (over -> 0 : rounds[which].unacknowledged);
  last_doubtful = (over -> 0 : rounds[which].doubtful);
  last_of_gather = !over && rounds[which].of_gather;
#endif
  if
  :: over -> announce(NODE(w))
  :: else
  fi;
  over = false;
  rounds[which].tested++;
  if
  :: rounds[which].tested == NODES ->
     rounds[which].tested = 0;
     rounds[which].joined = 0;
     rounds[which].started = false;
     COMPLETED = 0;
     CREATED = 0;
#ifdef FAILURES
     rounds[which].unacknowledged = 0;
     rounds[which].doubtful = 0;
     rounds[which].of_gather = false;
#endif
#if HOLDS
     RELEASED = 0;
     HELD = 0
#endif
  :: else
  fi;
  round_open = false;
  which = !which
}

/* detect_between_nodes */
#if NODES == 3
#define START atomic { STARTS -> read_completed(); read_created_and_join() }
#else
#define START                                                                                                          \
  atomic { STARTS -> read_completed() };                                                                               \
  atomic { true -> read_created_and_join() }
#endif
#define DETECT                                                                                                         \
  atomic { LEADER && round_open && rounds[which].joined == NODES -> judge() }                                          \
  :: START
