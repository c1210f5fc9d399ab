/* lane.c - lanes: the open block of each (type, destination). Opens a block in a lane, allocates slots in it, closes
 * it, and flushes by request or by age. publish.c takes closed blocks; coalesce.c decides how full they get. */
#include "core/lane.h"

#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/progress.h"
#include "core/send.h"

/* Both pointers of an empty lane point here: the first send takes the slow path. */
static char nowhere[1];

enum {
  WINDOW = 512, /* bytes; a multiple of the cache line */
  SMALL = 64    /* bytes of the largest item for which windows pay */
};

static bool variable(const scree__worker *me, uint32_t type) {
  return me->world->types[type].item == 0;
}

/* A lane that every send fills by the slow path never moves its pointers, because sends by other threads read them; its
 * block counts the bytes. */
static bool is_slow(const scree__worker *me, uint32_t type) {
  return me->world->checked || variable(me, type);
}

static void set_lane(scree__worker *me, uint32_t type, uint32_t dest, char *next, char *limit) {
  if (is_slow(me, type)) return;
  me->lanes.row[type].lane[dest].next = next;
  me->lanes.row[type].lane[dest].limit = me->failed ? next : limit;
}

/* Where the next record goes in the lane's block. */
static char *position(const scree__worker *me, uint32_t type, uint32_t dest, scree__block *block) {
  if (is_slow(me, type)) return scree__block_data(block) + block->wire.segment.bytes;
  return me->lanes.row[type].lane[dest].next;
}

/* Bytes of records that a block may hold; the first record always fits. */
static size_t bytes_for(const scree__worker *me, const scree__block *block, uint32_t size) {
  const scree__lane_state *state = &me->lanes.state[block->wire.segment.type][block->wire.segment.dest];
  size_t max = scree__coalesce_bytes(me, state);
  if (max > block->capacity) max = block->capacity;
  return max < size ? size : max;
}

static void prefetch_window(const scree__block *block, char *from) {
  const char *end = (const char *)(block + 1) + block->capacity;
  for (int i = 0; i < WINDOW && from + i < end; i += SCREE__LINE) scree_prefetch_write(from + i);
}

/* How far the fast path may go from `at`: to the end of the block, or one window further. The cache lines of a block
 * that another rank has read belong to that core; small stores into many of them fill the store queue and the sender
 * stalls. So the lines of the next window are fetched while this one fills. */
static char *window_end(const scree__worker *me, scree__block *block, char *at, uint32_t size) {
  char *end = scree__block_data(block) + bytes_for(me, block, size);
  bool windows = block->storage != SCREE__STORAGE_SELF && size <= SMALL && !variable(me, block->wire.segment.type);
  if (!windows || end - at <= WINDOW) return end;
  prefetch_window(block, at + WINDOW);
  return at + WINDOW;
}

/* A slot: the next `size` bytes of the lane's block; NULL if there is no block or it is full. */
void *scree__lane_slot(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size) {
  scree__block *block = me->lanes.state[type][dest].block;
  if (!block) return NULL;
  char *data = scree__block_data(block), *at = position(me, type, dest, block);
  size_t used = (size_t)(at - data);
  SCREE__INVARIANT(used <= block->capacity);
  if (used + size > bytes_for(me, block, used ? 0 : size)) return NULL;
  block->wire.segment.count++; /* variable length only: closing a lane counts items of a fixed size */
  block->wire.segment.bytes = (uint32_t)used + size; /* of a slow lane */
  set_lane(me, type, dest, at + size, window_end(me, block, at, size));
  return at;
}

/* At the head, which scree__flush_aged checks first. */
static void link_urgent_block(scree__worker *me, scree__block *block) {
  block->prev = NULL;
  block->next = me->lanes.oldest;
  if (me->lanes.oldest)
    me->lanes.oldest->prev = block;
  else
    me->lanes.newest = block;
  me->lanes.oldest = block;
}

static void link_plain_block(scree__worker *me, scree__block *block) {
  block->next = NULL;
  block->prev = me->lanes.newest;
  if (me->lanes.newest)
    me->lanes.newest->next = block;
  else
    me->lanes.oldest = block;
  me->lanes.newest = block;
}

/* The list has as many ends as its count says; the block is linked in it. */
static bool is_list(const scree__lanes *lanes) {
  return !lanes->oldest == !lanes->open && !lanes->newest == !lanes->open &&
         (!lanes->open || (!lanes->oldest->prev && !lanes->newest->next));
}
static bool is_linked(const scree__lanes *lanes, const scree__block *block) {
  return (block->prev ? block->prev->next : lanes->oldest) == block &&
         (block->next ? block->next->prev : lanes->newest) == block;
}

static void link_open_block(scree__worker *me, scree__block *block) {
  SCREE__INVARIANT(block != me->lanes.oldest && block != me->lanes.newest);
  (scree__is_urgent(me, block->hop_class) ? link_urgent_block : link_plain_block)(me, block);
  if (++me->lanes.open > me->lanes.open_peak) me->lanes.open_peak = me->lanes.open;
  SCREE__INVARIANT(is_list(&me->lanes) && is_linked(&me->lanes, block));
}

static void unlink_open_block(scree__worker *me, scree__block *block) {
  SCREE__INVARIANT(is_linked(&me->lanes, block));
  if (block->prev)
    block->prev->next = block->next;
  else
    me->lanes.oldest = block->next;
  if (block->next)
    block->next->prev = block->prev;
  else
    me->lanes.newest = block->prev;
  me->lanes.open--;
  SCREE__INVARIANT(is_list(&me->lanes));
}

static uint32_t load_of(const scree__worker *me, uint32_t hop_class, uint32_t endpoint) {
  const scree__transport *t = me->path[hop_class];
  return endpoint == me->endpoint ? (uint32_t)scree__self_length(me, hop_class) : t->ops->load(t, endpoint);
}

/* The worker of that rank that takes part in the epoch and to which the fewest blocks of this one are in flight. Each
 * worker examines the one with its own number first. */
static uint32_t least_loaded(const scree__worker *me, scree__hop hop) {
  uint32_t best = 0, min = UINT32_MAX;
  for (uint32_t i = 0; i < me->end.taking && min > 0; i++) {
    uint32_t endpoint = hop.rank * me->world->endpoints + (me->head.index + i) % me->end.taking;
    uint32_t load = load_of(me, hop.hop_class, endpoint);
    if (load >= min) continue;
    best = endpoint;
    min = load;
  }
  return best;
}

static bool has_window(const scree__worker *me, uint32_t hop_class, uint32_t endpoint) {
  scree__transport *t = me->path[hop_class];
  if (endpoint == me->endpoint) return scree__self_length(me, hop_class) < me->world->options.in_flight;
  return t->ops->accepts(t, endpoint);
}

/* The progress thread of that rank as long as the window of blocks to it is open: a worker may be computing. Else a
 * worker. */
static uint32_t concurrent_endpoint(const scree__worker *me, scree__hop hop) {
  const uint32_t last = (hop.rank + 1) * me->world->endpoints - 1;
  return me->end.progressing && has_window(me, hop.hop_class, last) ? last : least_loaded(me, hop);
}

/* True if the lane, of a routed type to workers, leads to a worker of this rank. */
static bool is_within(const scree__worker *me, const scree__type *type, uint32_t lane) {
  return scree__is_routed(type) && type->flags & SCREE_TO_WORKER && lane >= me->world->hops.count;
}

/* Where the lane's blocks go next: of a direct type, to its destination. */
scree__hop scree__lane_hop(const scree__worker *me, uint32_t type, uint32_t lane) {
  const scree_world *world = me->world;
  const scree__type *of = &world->types[type];
  if (!scree__is_routed(of)) return (scree__hop){lane, of->hop_class};
  return is_within(me, of, lane) ? world->hops.hop[0] : world->hops.hop[lane];
}

/* The endpoint of a block in that lane of the type. */
uint32_t scree__endpoint_for(const scree__worker *me, uint32_t type, uint32_t lane) {
  const scree__type *of = &me->world->types[type];
  uint32_t endpoints = me->world->endpoints, threads = me->head.threads;
  const scree__hop hop = scree__lane_hop(me, type, lane);
  if (endpoints == 1) return hop.rank;
  if (is_within(me, of, lane)) return hop.rank * endpoints + lane - me->world->hops.count;
  if (of->flags & SCREE_TO_WORKER && !scree__is_routed(of)) return lane / threads * endpoints + lane % threads;
  return of->flags & SCREE_SERIAL ? hop.rank * endpoints : concurrent_endpoint(me, hop);
}

/* What a feature held, and what is scattered to workers, has not passed the checks of a send. */
static bool may_open(scree__worker *me, uint32_t type, uint32_t to) {
  const uint32_t endpoints = me->world->endpoints, threads = me->head.threads;
  return endpoints == 1 || scree__takes_part(me, type, to / endpoints * threads + to % endpoints);
}

/* Opens a block in an empty lane. False: there is none, and private memory is not allowed or has run out; or the world
 * has failed. */
bool scree__lane_open(scree__worker *me, uint32_t type, uint32_t dest, bool may_overflow) {
  const uint32_t to = scree__endpoint_for(me, type, dest), hop_class = scree__lane_hop(me, type, dest).hop_class;
  if (!may_open(me, type, to)) return false;
  scree__block *block = scree__block_take(me, hop_class, to, scree__coalesce_block(me));
  if (!block && may_overflow) block = scree__overflow_take(me, to);
  if (!block) return false;
  scree__resume(me);
  block->dest = to;
  block->hop_class = (uint8_t)hop_class;
  uint64_t now = scree__now(me);
  block->opened_at = (uint32_t)(now / 1000);
  block->wire = (scree__wire){.segments = 1, .kind = SCREE__DATA};
  block->wire.segment = (scree__segment){.type = type, .dest = dest, .origin = me->endpoint};
  me->lanes.state[type][dest].block = block;
  char *data = scree__block_data(block);
  set_lane(me, type, dest, data, data);
  if (block->storage != SCREE__STORAGE_SELF) prefetch_window(block, data);
  link_open_block(me, block);
  if (!scree__is_urgent(me, hop_class)) scree__coalesce_pace(me, now);
  return true;
}

static void empty_lane(scree__worker *me, uint32_t type, uint32_t dest) {
  unlink_open_block(me, me->lanes.state[type][dest].block);
  me->lanes.state[type][dest].block = NULL;
  set_lane(me, type, dest, nowhere, nowhere);
}

/* Closes the lane's block, if any, and publishes it. */
void scree__lane_close(scree__worker *me, uint32_t type, uint32_t dest, scree__flush_reason reason) {
  scree__lane_state *state = &me->lanes.state[type][dest];
  scree__block *block = state->block;
  if (!block) return;
  scree__segment *segment = &block->wire.segment;
  segment->bytes = (uint32_t)(position(me, type, dest, block) - scree__block_data(block));
  uint32_t record = me->world->types[type].record;
  if (record) segment->count = segment->bytes / record; /* the fast path counts nothing */
  empty_lane(me, type, dest);
  state->items += segment->count;
  state->bytes += segment->bytes;
  state->blocks[reason]++;
  me->in.arrivals[type].sent += segment->count;
  if (!scree__is_urgent(me, block->hop_class)) scree__coalesce_adapt(me, state, block->dest, segment->bytes, reason);
  scree__publish(me, block);
}

static void close_block(scree__worker *me, scree__block *block, scree__flush_reason reason) {
  scree__lane_close(me, block->wire.segment.type, block->wire.segment.dest, reason);
}

/* Drops the lane's block and its messages: the world has failed. */
void scree__lane_drop(scree__worker *me, scree__block *block) {
  empty_lane(me, block->wire.segment.type, block->wire.segment.dest);
  scree__block_put(me, block);
}

/* Oldest first. Closing a block unlinks it from the list. */
void scree__flush_all(scree__worker *me, scree__flush_reason reason) {
  while (me->lanes.oldest) close_block(me, me->lanes.oldest, reason);
}

/* Urgent blocks are always flushed. */
static bool is_aged(const scree__worker *me, const scree__block *block, uint32_t now, uint32_t age) {
  return now - block->opened_at > age || scree__is_urgent(me, block->hop_class);
}

bool scree__flush_aged(scree__worker *me) {
  bool any = false;
  for (scree__holder *h = me->holders; h; h = h->next)
    if (h->ops->age) any |= h->ops->age(me, h);
  if (!me->lanes.oldest) return any;
  uint32_t now = (uint32_t)(scree__now(me) / 1000), age = (uint32_t)(me->world->options.flush_age / 1000);
  while (me->lanes.oldest && is_aged(me, me->lanes.oldest, now, age)) {
    close_block(me, me->lanes.oldest, SCREE__FLUSH_EARLY);
    any = true;
  }
  return any;
}

/* Lets what features hold of the type into lanes. False: the call was wrong, or the world has failed. */
static bool begin_flush(scree__worker *me, const char *call, uint32_t type, uint32_t dest) {
  const scree_world *world = me->world;
  if (scree__dropped(me, call, type)) return false;
  const uint32_t dests = scree__has_type(world, type) ? world->types[type].dests : world->ranks;
  if (me->in_epoch && scree__has_type(world, type) && dest < dests) {
    SCREE__HOLDERS(h, me, empty)(me, h, type);
    return !me->failed;
  }
  if (!me->in_epoch)
    scree__fail(me, SCREE_ESTATE, call, "no epoch is open: call scree_begin first");
  else
    scree__fail(me, SCREE_EINVAL, call,
                "type %u, destination %u: flush a registered type (of %u) to a destination (of %u) inside an epoch",
                type, dest, world->type_count, dests);
  return false;
}

static void flush_lane(scree__worker *me, uint32_t type, uint32_t dest) {
  scree__lane_close(me, type, scree__lane_of(me, type, dest), SCREE__FLUSH_EARLY);
}

typedef struct {
  scree__worker *me;
  uint32_t type, dest;
} flush_call;

static void flush_one(void *call) {
  const flush_call *c = call;
  if (begin_flush(c->me, "scree_flush_lane", c->type, c->dest)) flush_lane(c->me, c->type, c->dest);
}

void scree_flush_lane(scree_worker *worker, uint32_t type, uint32_t dest) {
  flush_call call = {scree__worker_of(worker), type, dest};
  if (!call.me) return;
  scree__call_on_own_stack(call.me, flush_one, &call);
}

static void flush_type(void *call) {
  scree__worker *me = ((const flush_call *)call)->me;
  const uint32_t type = ((const flush_call *)call)->type;
  if (type == SCREE_ALL && me->in_epoch) {
    SCREE__HOLDERS(h, me, empty)(me, h, SCREE_ALL);
    scree__flush_all(me, SCREE__FLUSH_EARLY);
    return;
  }
  bool to_worker = scree__has_type(me->world, type) && me->world->types[type].flags & SCREE_TO_WORKER;
  uint32_t dests = to_worker ? me->world->types[type].dests : me->head.ranks;
  uint32_t mine = to_worker ? me->endpoint : me->head.rank;
  if (!begin_flush(me, "scree_flush", type, (mine + 1) % dests)) return;
  for (uint32_t i = 1; i <= dests && !me->failed; i++) flush_lane(me, type, (mine + i) % dests);
}

void scree_flush(scree_worker *worker, uint32_t type) {
  flush_call call = {scree__worker_of(worker), type, 0};
  if (scree__dropped(call.me, "scree_flush", type)) return;
  scree__call_on_own_stack(call.me, flush_type, &call);
}
