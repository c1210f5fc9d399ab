/* lane.c - lanes: the open block of each (type, destination).
 *
 * Room: opening a block in a lane, handing out its slots, closing it, flushing by request or by age. A closed block
 * goes to publish.c. */
#include "core/world.h"

/* What an empty lane's two pointers hold: equal, so that the first send takes the slow path. */
static char nowhere[1];

static bool variable(const scree__worker *me, uint32_t type) {
  return me->world->types[type].item == 0;
}

static void set_lane(scree__worker *me, uint32_t type, uint32_t dest, char *next, char *limit) {
  bool slow = me->world->checked || me->world->failed || variable(me, type);
  me->lane[type][dest].next = next;
  me->lane[type][dest].limit = slow ? next : limit;
}

/* Bytes of records that a block may take: any number up to its capacity is a legal coalescing size, but the first
 * record always fits. */
static size_t room_of(const scree__worker *me, const scree__block *block, uint32_t size) {
  size_t most = me->world->options.coalesce_bytes;
  if (most == 0 || most > block->capacity) most = block->capacity;
  return most < size ? size : most;
}

/* The next `size` bytes of the lane's block; NULL if there is no block or it is full. */
void *scree__lane_room(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size) {
  scree__block *block = me->state[type][dest].block;
  if (!block) return NULL;
  char *data = scree__block_data(block), *at = me->lane[type][dest].next;
  size_t used = (size_t)(at - data);
  if (used + size > room_of(me, block, used ? 0 : size)) return NULL;
  block->wire.run.count++; /* counted here for variable length alone: see seal */
  set_lane(me, type, dest, at + size, data + room_of(me, block, size));
  return at;
}

static void join_live(scree__worker *me, scree__block *block) {
  block->next = NULL;
  block->prev = me->newest;
  if (me->newest)
    me->newest->next = block;
  else
    me->oldest = block;
  me->newest = block;
  me->live++;
}

static void leave_live(scree__worker *me, scree__block *block) {
  if (block->prev)
    block->prev->next = block->next;
  else
    me->oldest = block->next;
  if (block->next)
    block->next->prev = block->prev;
  else
    me->newest = block->prev;
  me->live--;
}

static uint32_t microseconds(const scree__worker *me) {
  scree__transport *t = me->world->transport;
  return (uint32_t)(t->ops->now(t) / 1000);
}

/* Block size follows the memory and the lanes in use: all open blocks together take at most a quarter of the
 * memory, the rest is for blocks on their way. */
size_t scree__lane_want(const scree__worker *me, uint32_t dest) {
  const scree_options *o = &me->world->options;
  const scree__transport *t = me->world->transport;
  bool near = dest == me->head.rank || t->nodes == 1;
  size_t most = o->coalesce_bytes ? (size_t)1 << scree__log2_up(o->coalesce_bytes) : near ? 16384 : 65536;
  size_t share = o->memory / (4 * ((size_t)me->live + 1)), want = most;
  while (want > share && want > me->world->least_block) want /= 2;
  return want;
}

/* Takes a block into an empty lane. False: there is none, and private memory is not allowed or has run out. */
bool scree__lane_open(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size, bool may_overflow) {
  scree__block *block = scree__block_take(me, dest, scree__lane_want(me, dest));
  if (!block && may_overflow) block = scree__overflow_take(me, dest);
  if (!block) return false;
  block->dest = dest;
  block->born = microseconds(me);
  block->wire = (scree__wire){.runs = 1, .kind = SCREE__DATA};
  block->wire.run = (scree__run_head){.type = type, .dest = dest, .origin = me->head.rank};
  me->state[type][dest].block = block;
  char *data = scree__block_data(block);
  set_lane(me, type, dest, data, data + room_of(me, block, size));
  join_live(me, block);
  return true;
}

static void empty_lane(scree__worker *me, uint32_t type, uint32_t dest) {
  leave_live(me, me->state[type][dest].block);
  me->state[type][dest].block = NULL;
  set_lane(me, type, dest, nowhere, nowhere);
}

static void count(scree_lane_stats *stats, const scree__run_head *run, scree__why why) {
  stats->items += run->count;
  stats->bytes += run->bytes;
  stats->blocks_full += why == SCREE__LEAVES_FULL;
  stats->blocks_aged += why == SCREE__LEAVES_EARLY;
  stats->blocks_end += why == SCREE__LEAVES_AT_END;
}

/* Closes the lane's block, if any, and hands it to be published. */
void scree__lane_seal(scree__worker *me, uint32_t type, uint32_t dest, scree__why why) {
  scree__lane_state *state = &me->state[type][dest];
  scree__block *block = state->block;
  if (!block) return;
  scree__run_head *run = &block->wire.run;
  run->bytes = (uint32_t)(me->lane[type][dest].next - scree__block_data(block));
  uint32_t item = me->world->types[type].item;
  if (item) run->count = run->bytes / item; /* the fast path counts nothing */
  empty_lane(me, type, dest);
  count(&state->stats, run, why);
  scree__publish(me, block);
}

void scree__lane_seal_block(scree__worker *me, scree__block *block, scree__why why) {
  scree__lane_seal(me, block->wire.run.type, block->wire.run.dest, why);
}

/* Forgets the lane's block and what is in it: the world has failed. */
void scree__lane_drop(scree__worker *me, scree__block *block) {
  empty_lane(me, block->wire.run.type, block->wire.run.dest);
  scree__block_put(me, block);
}

/* Oldest first. Sealing takes the head off the list. */
void scree__flush_all(scree__worker *me, scree__why why) {
  while (me->oldest) scree__lane_seal_block(me, me->oldest, why);
}

bool scree__flush_aged(scree__worker *me) {
  if (!me->oldest) return false;
  uint32_t now = microseconds(me), age = (uint32_t)(me->world->options.flush_age / 1000);
  bool any = false;
  while (me->oldest && now - me->oldest->born > age) {
    scree__lane_seal_block(me, me->oldest, SCREE__LEAVES_EARLY);
    any = true;
  }
  return any;
}

void scree_flush_lane(scree_worker *worker, uint32_t type, uint32_t dest) {
  scree__worker *me = scree__worker_of(worker);
  scree_world *world = me->world;
  if (!me->in_epoch || type >= world->type_count || dest >= world->ranks) {
    scree__fail(world, me->in_epoch ? SCREE_EINVAL : SCREE_ESTATE, "scree_flush_lane",
                "type %u, destination %u: flush a registered type (of %u) to a rank (of %u) inside an epoch", type,
                dest, world->type_count, world->ranks);
    return;
  }
  scree__lane_seal(me, type, dest, SCREE__LEAVES_EARLY);
}

void scree_flush(scree_worker *worker, uint32_t type) {
  scree__worker *me = scree__worker_of(worker);
  if (type == SCREE_ALL && me->in_epoch) {
    scree__flush_all(me, SCREE__LEAVES_EARLY);
    return;
  }
  for (uint32_t i = 1; i <= worker->ranks; i++) scree_flush_lane(worker, type, (worker->rank + i) % worker->ranks);
}
