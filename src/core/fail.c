/* fail.c - the failed state of a world. A failure is raised on one rank, made known to others by the node's page and
 * one notice to the leader of each other node, and agreed on when the epoch ends with it: the highest code, from the
 * lowest rank. Until then each worker that knows of it stays in the protocol: it completes what arrives, drops what it
 * would send, and adds its epoch token. Each worker has its own state, but a rank raises one failure: the first of its
 * workers'. */
#include "core/fail.h"

#include <stdarg.h>
#include <string.h>

#include "base/host.h"
#include "core/epoch.h"
#include "core/holder.h"
#include "core/lane.h"
#include "core/send.h"

/* Orders by code, then by lower rank; 0 is not a failure. */
uint64_t scree__failure_key(scree_status status, uint32_t rank) {
  return (uint64_t)status << 32 | (UINT32_MAX - rank);
}

static uint32_t key_rank(uint64_t key) {
  return UINT32_MAX - (uint32_t)key;
}

/* The blocks that the world keeps for notices are one worker's: of those of a node, one is the first to notify it. */
static void notify_leaders(scree__worker *me, uint64_t key) {
  scree_world *world = me->world;
  const scree__transport *t = me->transport;
  for (uint32_t node = 0, i = 0; node < t->topology->nodes; node++) {
    if (node == t->topology->node) continue;
    scree__block *notice = scree__block_take(me, scree__direct_class(me), t->topology->leaders[node], world->min_block);
    if (!notice) notice = &world->notices[2 * (size_t)i]; /* each is followed by the space for its key */
    i++;
    notice->dest = t->topology->leaders[node];
    notice->hop_class = scree__direct_class(me);
    notice->wire = (scree__wire){.segments = 1, .kind = SCREE__CONTROL};
    notice->wire.segment = (scree__segment){.dest = notice->dest, .origin = me->endpoint, .bytes = sizeof key};
    memcpy(scree__block_data(notice), &key, sizeof key);
    scree__publish(me, notice);
  }
}

/* From now on every send takes the slow path and is discarded. */
static void drop_messages(scree__worker *me) {
  SCREE__HOLDERS(h, me, drop)(me, h);
  while (me->lanes.oldest) scree__lane_drop(me, me->lanes.oldest);
  scree__drop_waiting(me);
}

static void set_failed(scree__worker *me, uint64_t key) {
  if (me->failed) return;
  me->failed = true;
  drop_messages(me);
  SCREE__INVARIANT(!me->lanes.open && !me->out.waiting_count);
  me->failure.notice_pending = scree__node_fail(me->transport->page, key);
  scree__notify(me);
}

/* Notifies the other nodes, once, as soon as an epoch is open, in which the notice is counted. Relaxed: this worker
 * raised the key itself; a higher one serves as well. */
static void notify(void *worker) {
  scree__worker *me = worker;
  me->failure.notice_pending = false;
  notify_leaders(me, AO_load(&me->transport->page->failed));
}

void scree__notify(scree__worker *me) {
  if (!me->failure.notice_pending || !me->in_epoch) return;
  scree__call_on_own_stack(me, notify, me);
}

/* The text of what failed the world stays; that of a refused call is replaced by the next. */
static void set_text(scree__worker *me, scree_status status, const char *call, const char *format, va_list args) {
  const scree_world *world = me->world;
  if (me->failed) return;
  int n = snprintf(me->failure.text, sizeof me->failure.text, "scree: rank %u of %u: ", world->rank, world->ranks);
  if (n >= 0 && scree__is_progress(me))
    n += snprintf(me->failure.text + n, sizeof me->failure.text - (size_t)n, "progress thread: ");
  else if (n >= 0 && world->threads > 1)
    n += snprintf(me->failure.text + n, sizeof me->failure.text - (size_t)n, "worker %u: ", me->head.index);
  if (n >= 0) n += snprintf(me->failure.text + n, sizeof me->failure.text - (size_t)n, "%s: ", call);
  if (n < 0 || (size_t)n >= sizeof me->failure.text) return;
  vsnprintf(me->failure.text + n, sizeof me->failure.text - (size_t)n, format, args);
  const size_t length = strlen(me->failure.text);
  if (status == SCREE_ENOMEM && strstr(me->failure.text + n, "free memory"))
    scree__process_limits(me->failure.text + length, sizeof me->failure.text - length);
}

/* The key of the rank's failure: this worker's, unless another one of the rank has raised its own. The key is on the
 * node's page before any other worker of the rank uses it. */
static uint64_t raise_once(scree__worker *me, uint64_t key) {
  scree_world *world = me->world;
  pthread_mutex_lock(&world->raising);
  SCREE__INVARIANT(!world->raised || scree__key_status(world->raised));
  if (!world->raised) {
    world->raised = key;
    memcpy(world->text, me->failure.text, sizeof world->text);
    AO_store_release(&world->has_text, 1);
    me->failure.notice_pending = scree__node_fail(me->transport->page, key);
  }
  key = world->raised;
  pthread_mutex_unlock(&world->raising);
  return key;
}

static void print_text(scree__worker *me, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void print_text(scree__worker *me, const char *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set_text(me, SCREE_OK, call, format, args);
  va_end(args);
}

static void raise_failure(scree__worker *me, scree_status status, uint64_t where) {
  if (me->failed) return;
  uint64_t key = raise_once(me, scree__failure_key(status, me->world->rank) | where);
  me->failure.status = scree__key_status(key);
  me->failed = true;
  drop_messages(me);
  SCREE__INVARIANT(!me->lanes.open && !me->out.waiting_count);
  scree__notify(me);
}

void scree__fail(scree__worker *me, scree_status status, const char *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set_text(me, status, call, format, args);
  va_end(args);
  raise_failure(me, status, 0);
}

/* A failure that is known already only gets the mark, so that no rank uses the communicator when it closes. */
void scree__fail_gather(scree__worker *me, scree_status status, const char *call) {
  if (me->failed) scree__node_fail(me->transport->page, AO_load(&me->transport->page->failed) | SCREE__IN_GATHER);
  print_text(me, call, "the ranks cannot agree on it: %s", me->transport->fault->text);
  raise_failure(me, status, SCREE__IN_GATHER);
}

bool scree__is_of_gather(uint64_t key) {
  return (key & SCREE__IN_GATHER) != 0;
}

/* True if messages of the world may still be in flight, or a rank may be in a collective call of it. */
bool scree__is_abandoned(uint64_t key) {
  return (key & (SCREE__IN_GATHER | SCREE__DOUBTFUL)) != 0;
}

/* Wrong use of a call that returns a status. Inside an epoch the world fails, since other ranks wait for this one;
 * outside, the call is refused and its text kept. */
scree_status scree__misuse(scree__worker *me, scree_status status, const char *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set_text(me, status, call, format, args);
  va_end(args);
  if (me->in_epoch) raise_failure(me, status, 0);
  return status;
}

/* A call that failed while the world stays usable: its text is kept. */
scree_status scree__refuse(scree__worker *me, scree_status status, const char *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set_text(me, status, call, format, args);
  va_end(args);
  return status;
}

/* True if the failure was raised by a holder of this worker at the end of the epoch. Then this worker has the text. */
static bool is_verdict(scree__worker *me, uint64_t key) {
  char text[sizeof me->failure.text];
  if (!me->end.verdict || key != me->end.verdict) return false;
  for (const scree__holder *h = me->holders; h; h = h->next) {
    if (!h->ops->verdict || !h->ops->verdict(me, h, text, sizeof text)) continue;
    print_text(me, "scree_end", "%s", text);
    raise_once(me, key);
    return true;
  }
  return false;
}

/* Every worker can raise it by itself. */
static bool is_of_detection(scree__worker *me, uint64_t key) {
  if (!(key & (SCREE__OF_OPS | SCREE__OF_RELEASES))) return false;
  if (key & SCREE__OF_OPS)
    print_text(me, "scree_end",
               "workers reduce by different operations: set value[i].op of scree_reduce to the same operation on all "
               "of them, or SCREE_NO_VALUE");
  else
    print_text(me, "scree_release",
               "all workers together have released more than they held: call scree_hold, with the same number, before "
               "the work is passed on");
  raise_once(me, key);
  return true;
}

static void record_failure(scree__worker *me, uint64_t key) {
  const scree_world *world = me->world;
  if (me->failed) return;
  me->failure.status = scree__key_status(key);
  if (!is_verdict(me, key) && !is_of_detection(me, key))
    snprintf(me->failure.text, sizeof me->failure.text,
             "scree: rank %u of %u: rank %u reported: %s (its own message says more)", world->rank, world->ranks,
             key_rank(key), scree_status_text(me->failure.status));
  set_failed(me, key);
}

/* Relaxed: see scree__node_fail. */
void scree__check_for_failure(scree__worker *me) {
  uint64_t key = AO_load(&me->transport->page->failed);
  if (key && !me->failed) record_failure(me, key);
}

/* A notice from another node. */
void scree__take_notice(scree__worker *me, const scree__block *block) {
  uint64_t key;
  memcpy(&key, (const char *)(block + 1), sizeof key);
  scree__node_fail(me->transport->page, key);
  record_failure(me, key);
}

/* The epoch has ended with this failure on every rank. Each worker that leaves stores the same key; the first of them
 * leaves its text for threads without a worker, unless the rank has one of its own failure. */
void scree__leave_failed_epoch(scree__worker *me, uint64_t key) {
  scree_world *world = me->world;
  record_failure(me, key);
  me->failure.status = scree__key_status(key);
  pthread_mutex_lock(&world->raising);
  if (!world->raised) {
    world->raised = key;
    memcpy(world->text, me->failure.text, sizeof world->text);
  }
  AO_store_release(&world->agreed, key); /* see scree__agreed */
  pthread_mutex_unlock(&world->raising);
}

void scree_fail(scree_worker *worker, scree_status status, const char *text) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, "scree_fail", SCREE_ALL)) return;
  if ((unsigned)status > SCREE_EPEER)
    scree__fail(me, SCREE_EINVAL, "scree_fail", "status %d, legal are 0..%d (scree_status): %s", (int)status,
                SCREE_EPEER, text ? text : "");
  else
    scree__fail(me, status == SCREE_OK ? SCREE_EINVAL : status, "scree_fail", "%s", text ? text : "");
}

/* Outside epochs only what all ranks have agreed on: a rank that has left epoch k may already know of a failure in
 * epoch k + 1, and would take another branch than ranks that do not. */
scree_status scree_error(const scree_world *world) {
  if (!world) return SCREE_EINVAL;
  const scree__worker *me = scree__caller(world);
  return me && me->in_epoch ? me->failure.status : scree__agreed(world);
}

/* Relaxed: the key says all. */
uint32_t scree_error_rank(const scree_world *world) {
  if (!world) return 0;
  uint64_t key = AO_load(&world->agreed);
  return key ? key_rank(key) : world->rank;
}

/* Of a failure that this rank raised, the text of the one worker that did. A thread without a worker gets none until
 * the ranks have agreed: from then on the rank's text is there, and stays. */
const char *scree__failure_text(const scree_world *world) {
  const scree__worker *me = scree__caller(world);
  if (!me) return scree__agreed(world) ? world->text : "";
  return AO_load_acquire(&world->has_text) ? world->text : me->failure.text;
}

const char *scree_error_text(const scree_world *world) {
  const char *text = world ? scree__failure_text(world) : "";
  if (*text) AO_store((AO_t *)&world->read, 1); /* worlds are never constant */
  return text;
}

const char *scree_status_text(scree_status status) {
  static const char *const texts[] = {
#define TEXT(name, text) text,
      SCREE_STATUSES(TEXT)
#undef TEXT
  };
  return (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}
