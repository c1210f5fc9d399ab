/* fail.c - the failed state of a world. A failure is raised on one rank, made known to others by the node's page and one
 * notice to the leader of each other node, and agreed on when the epoch ends with it: the highest code, from the lowest
 * rank. Until then the rank stays in the protocol: it completes what arrives, drops what it would send, and adds its
 * epoch token. */
#include <stdarg.h>
#include <string.h>

#include "core/world.h"

/* Orders by code, then by lower rank; 0 is no failure. */
uint64_t scree__failure_key(scree_status status, uint32_t rank) {
  return (uint64_t)status << 32 | (UINT32_MAX - rank);
}

scree_status scree__key_status(uint64_t key) {
  return (scree_status)(key >> 32);
}

static uint32_t key_rank(uint64_t key) {
  return UINT32_MAX - (uint32_t)key;
}

/* Raises page->failed to key. True: this call was the first on the node. Relaxed: the key is all that is communicated,
 * and keys only grow. The release of a rank's contribution ensures that an epoch's outcome includes every key that the
 * rank knew of. */
static bool notify_node(scree_world *world, uint64_t key) {
  AO_t *failed = &world->transport->page->failed, old;
  do {
    old = AO_load(failed);
    if (old >= key) return false;
  } while (!AO_compare_and_swap(failed, old, key));
  return old == 0;
}

static void notify_leaders(scree_world *world, uint64_t key) {
  scree__worker *me = &world->worker;
  const scree__transport *t = world->transport;
  for (uint32_t node = 0, i = 0; node < t->topology->nodes; node++) {
    if (node == t->topology->node) continue;
    scree__block *notice = scree__block_take(me, t->topology->leaders[node], world->min_block);
    if (!notice) notice = &world->notices[2 * (size_t)i]; /* each is followed by the space for its key */
    i++;
    notice->dest = t->topology->leaders[node];
    notice->wire = (scree__wire){.segments = 1, .kind = SCREE__CONTROL};
    notice->wire.segment = (scree__segment){.dest = notice->dest, .origin = me->head.rank, .bytes = sizeof key};
    memcpy(scree__block_data(notice), &key, sizeof key);
    scree__publish(me, notice);
  }
}

/* From here on every send takes the slow path and is discarded. */
static void drop_messages(scree__worker *me) {
  while (me->oldest) scree__lane_drop(me, me->oldest);
  scree__drop_waiting(me);
}

static void set_failed(scree_world *world, uint64_t key) {
  if (world->failed) return;
  world->failed = true;
  drop_messages(&world->worker);
  world->notice_pending = notify_node(world, key);
  scree__notify(world);
}

/* Notifies the other nodes, once, as soon as an epoch is open, in which the notice is counted. Relaxed: this rank raised
 * the key itself; a higher one will do as well. */
void scree__notify(scree_world *world) {
  if (!world->notice_pending || !world->worker.in_epoch) return;
  world->notice_pending = false;
  notify_leaders(world, AO_load(&world->transport->page->failed));
}

/* The text of what failed the world stays; that of a refused call is replaced by the next. */
static void set_text(scree_world *world, const char *call, const char *format, va_list args) {
  if (world->failed) return;
  int n = snprintf(world->text, sizeof world->text, "scree: rank %u of %u: %s: ", world->rank, world->ranks, call);
  if (n < 0 || (size_t)n >= sizeof world->text) return;
  vsnprintf(world->text + n, sizeof world->text - (size_t)n, format, args);
}

static void raise_failure(scree_world *world, scree_status status) {
  if (!world->failed) world->status = status;
  set_failed(world, scree__failure_key(status, world->rank));
}

void scree__fail(scree_world *world, scree_status status, const char *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set_text(world, call, format, args);
  va_end(args);
  raise_failure(world, status);
}

/* Wrong use of a call that returns a status. Inside an epoch the world fails, since other ranks wait for this one;
 * outside, the call is refused and its text kept. */
scree_status scree__misuse(scree_world *world, scree_status status, const char *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set_text(world, call, format, args);
  va_end(args);
  if (world->worker.in_epoch) raise_failure(world, status);
  return status;
}

static void record_failure(scree_world *world, uint64_t key) {
  if (world->failed) return;
  world->status = scree__key_status(key);
  snprintf(world->text, sizeof world->text, "scree: rank %u of %u: rank %u reported: %s (its own message says more)",
           world->rank, world->ranks, key_rank(key), scree_status_text(world->status));
  set_failed(world, key);
}

/* Relaxed: see notify_node. */
void scree__check_for_failure(scree__worker *me) {
  uint64_t key = AO_load(&me->world->transport->page->failed);
  if (key && !me->world->failed) record_failure(me->world, key);
}

/* A notice from another node. */
void scree__take_notice(scree__worker *me, const scree__block *block) {
  uint64_t key;
  memcpy(&key, (const char *)(block + 1), sizeof key);
  notify_node(me->world, key);
  record_failure(me->world, key);
}

/* The epoch has ended with this failure on every rank. */
void scree__leave_failed_epoch(scree_world *world, uint64_t key) {
  record_failure(world, key);
  world->status = scree__key_status(key);
  world->agreed_rank = key_rank(key);
  AO_store_release(&world->agreed, world->status); /* see scree__agreed */
}

void scree_fail(scree_worker *worker, scree_status status, const char *text) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, "scree_fail", SCREE_ALL)) return;
  scree__fail(me->world, status == SCREE_OK ? SCREE_EINVAL : status, "scree_fail", "%s", text ? text : "");
}

/* Outside epochs only what all ranks have agreed on: a rank that has left epoch k may already know of a failure in
 * epoch k + 1, and would take another branch than ranks that do not. */
scree_status scree_error(const scree_world *world) {
  if (scree__is_second_thread(&world->worker) || !world->worker.in_epoch) return scree__agreed(world);
  return world->status;
}

uint32_t scree_error_rank(const scree_world *world) {
  return scree__agreed(world) ? world->agreed_rank : world->rank;
}

/* While the owner may still write the text, other threads get none. */
const char *scree_error_text(const scree_world *world) {
  if (scree__is_second_thread(&world->worker) && !scree__agreed(world)) return "";
  return world->text;
}

const char *scree_status_text(scree_status status) {
  static const char *const texts[] = {
#define TEXT(name, text) text,
      SCREE_STATUSES(TEXT)
#undef TEXT
  };
  return (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}
