/* detect_on_node.pml - the detector of a node: any idle worker, under a try-lock; see epoch.pml. */
bool lock;
byte ended[1]; /* scree__node_page */
#define ENDED (ended[0] > k)

/* A detection that began after the last store and found no end would find none again: until the next store no other
 * starts. Each that is left out would leave the model in the state in which it found it. */
#ifdef FAIR
#define STORED skip
#define NEWS true
#define LOOKED skip
#else
bool stored;
#define STORED stored = true
#define NEWS stored
#define LOOKED stored = false
#endif

/* all_contributed, and `idle` of scree__detect. They only save detections: without them the properties hold too. */
#ifdef HINTS_IGNORED
#define SEEMS_IDLE (!publishing)
#else
#define SEEMS_IDLE                                                                                                     \
  (contributed[w] > k && LOCALLY_IDLE && contributed[0] > k && (!PAIR(k) || contributed[1] > k) && contributed[2] > k)
#endif
/* With FAIR: scree__progress found nothing to do. */
#ifdef FAIR
#define LOOKS (!ENDED && !lock && SEEMS_IDLE && !DUE && completed[w] == handled + tokens)
#else
#define LOOKS (!ENDED && !lock && SEEMS_IDLE && NEWS)
#endif

#define DETECTOR_STATE byte completed_sum, created_sum, released_sum, held_sum, i;

/* read_counters */
inline read_completed() {
  completed_sum = completed_sum + completed[i];
#if HOLDS
  released_sum = released_sum + released[i];
#endif
  i++
}
inline read_created() {
  created_sum = created_sum + created[i];
#if HOLDS
  held_sum = held_sum + held[i];
#endif
  i++
}
#ifdef CREATED_READ_FIRST
#define READ_FIRST read_created()
#define READ_THEN read_completed()
#else
#define READ_FIRST read_completed()
#define READ_THEN read_created()
#endif

/* balanced, announce, unlock */
inline judge() {
  if
  :: completed_sum == created_sum + EXPECTED_TOKENS && released_sum == held_sum -> announce(0)
  :: else
  fi;
  completed_sum = 0;
  created_sum = 0;
  released_sum = 0;
  held_sum = 0;
  i = 0;
  lock = false
}

/* detect_on_node; workers of 0 to WORKERS - 1, all completed, then all created. */
#define DETECT                                                                                                         \
  atomic { LOOKS -> lock = true; LOOKED; READ_FIRST };                                                                 \
  atomic { true -> READ_FIRST };                                                                                       \
  atomic { true -> READ_FIRST };                                                                                       \
  atomic { true -> i = 0; READ_THEN };                                                                                 \
  atomic { true -> READ_THEN };                                                                                        \
  atomic { true -> READ_THEN; judge() }
