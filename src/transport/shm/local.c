/* local.c - gathers and detection rounds in the memory that the ranks of a job share. When a rank dies the parent ends
 * the job, so that those that wait here need not watch it. */
#include "transport/shm/local.h"

#include <stdlib.h>

#include "transport/idle.h"

/* Ranks that communicate in a channel. */
typedef struct {
  scree__meeting meeting; /* must be first */
  scree__local_slot *slots;
  uint64_t step;
} channel;

typedef struct {
  scree__peers peers; /* must be first */
  channel channel;
  uint64_t round;
  uint32_t number; /* of the channel */
} local;

/* Of the process. Each world takes the next channel that is free, as on all ranks, since they open and close worlds
 * alike. */
static channel opening;
static scree__fault fault_before; /* of an opening, until the world has its own */
static bool taken[SCREE__LOCAL_CHANNELS];

/* Waits until all have reached the step, which none gives up: a rank that cannot reach it ends the job. `of`: NULL, or
 * what waits. */
static void await_all(channel *c, const AO_t *of_first, uint64_t at, uint64_t spin, const scree__collective *of) {
  scree__idle idle = {.spin = spin};
  uint32_t polls = 0;
  for (uint32_t r = 0; r < c->meeting.ranks; r++) {
    const AO_t *its = (const AO_t *)(const void *)((const char *)of_first + r * sizeof(scree__local_slot));
    while ((int64_t)(AO_load_acquire(its) - at) < 0)
      if (of && of->wait)
        of->wait(of->context);
      else
        scree__idle_backoff(&idle, ++polls);
  }
}

/* A step: all publish `words` words, and can read those of all when it returns, until they publish the next. */
static size_t say(channel *c, const void *mine, size_t bytes, uint64_t spin, const scree__collective *of) {
  scree__local_slot *slot = &c->slots[c->meeting.rank];
  if (bytes > SCREE__LOCAL_CHUNK) bytes = SCREE__LOCAL_CHUNK;
  c->step++;
  memcpy(slot->words[c->step % 2], mine, bytes);
  AO_store_release(&slot->step, (AO_t)c->step);
  await_all(c, &c->slots->step, c->step, spin, of);
  return bytes;
}

static const uint64_t *heard(const channel *c, uint32_t rank) {
  return c->slots[rank].words[c->step % 2];
}

static bool max(scree__meeting *meeting, const uint64_t *mine, uint64_t *out, size_t words) {
  channel *c = (channel *)meeting;
  for (size_t at = 0, count; at < words; at += count) {
    count = say(c, mine + at, (words - at) * sizeof *mine, 0, NULL) / sizeof *mine;
    memcpy(out + at, heard(c, 0), count * sizeof *out);
    for (uint32_t r = 1; r < meeting->ranks; r++)
      for (size_t i = 0; i < count; i++)
        if (heard(c, r)[i] > out[at + i]) out[at + i] = heard(c, r)[i];
  }
  return true;
}

static scree_status gather(scree__collective *collective, const void *mine, void *all, size_t bytes) {
  local *l = (local *)collective;
  for (size_t at = 0, count; at < bytes; at += count) {
    count = say(&l->channel, (const char *)mine + at, bytes - at, l->peers.spin, collective);
    for (uint32_t r = 0; r < l->channel.meeting.ranks; r++)
      memcpy((char *)all + r * bytes + at, heard(&l->channel, r), count);
  }
  return SCREE_OK;
}

/* ---- detection rounds, among all ranks: the ranks of one node need them only where each leads ---- */

static scree_status round_start(scree__collective *collective, const scree__round *mine) {
  local *l = (local *)collective;
  scree__local_slot *slot = &l->channel.slots[l->channel.meeting.rank];
  SCREE__INVARIANT(AO_load(&slot->round) == l->round);
  l->round++;
  slot->rounds[l->round % 2] = *mine;
  AO_store_release(&slot->round, (AO_t)l->round);
  return SCREE_OK;
}

static bool round_test(scree__collective *collective, scree__round *out) {
  local *l = (local *)collective;
  const scree__local_slot *slots = l->channel.slots;
  const uint32_t ranks = l->channel.meeting.ranks;
  for (uint32_t r = 0; r < ranks; r++)
    if ((int64_t)(AO_load_acquire(&slots[r].round) - l->round) < 0) return false;
  *out = slots[0].rounds[l->round % 2];
  for (uint32_t r = 1; r < ranks; r++) scree__round_add(out, &slots[r].rounds[l->round % 2]);
  return true;
}

static const scree__collective_ops ops = {.gather = gather, .round_start = round_start, .round_test = round_test};

/* ---- open, close ---- */

static void never_spin(scree__peers *peers) {
  peers->spin = 0;
}

static void close_local(scree__peers *peers) {
  local *l = (local *)peers;
  SCREE__INVARIANT(taken[l->number]);
  taken[l->number] = false;
  scree__peers_free(peers);
  free(l);
}

static const scree__peers_ops peers_ops = {.never_spin = never_spin, .close = close_local};
static const scree__meeting_ops within = {.max = max};

static scree__local_slot *slots_of(const scree__meeting *meeting, uint32_t number) {
  return opening.slots + (size_t)number * meeting->ranks;
}

/* Steps and rounds go on where those of the channel's last world ended. */
static void take_channel(local *l, uint32_t number) {
  const scree__meeting *all = &opening.meeting;
  scree__local_slot *slots = slots_of(all, number);
  l->number = number;
  l->channel = (channel){{&within, all->rank, all->ranks, l->peers.fault}, slots, AO_load(&slots[all->rank].step)};
  l->round = AO_load(&slots[all->rank].round);
  l->peers.all = &l->channel.meeting;
  l->peers.node = all->ranks > 1 ? &l->channel.meeting : NULL; /* alone it needs no shared memory */
  taken[number] = true;
}

static local *allocate(const scree__meeting *meeting, const scree__options *options, scree__fault *fault) {
  local *l = malloc(sizeof *l);
  if (!l) return NULL;
  *l = (local){.peers = {.collective.ops = &ops,
                         .ops = &peers_ops,
                         .memory_alone = true,
                         .fault = fault,
                         .index = meeting->rank,
                         .size = meeting->ranks,
                         .local_rank = meeting->rank,
                         .local_ranks = meeting->ranks,
                         .spin = options->spin}};
  if (scree__peers_allocate(&l->peers, meeting->ranks, scree__options_endpoints(options))) return l;
  scree__peers_free(&l->peers);
  free(l);
  return NULL;
}

/* The index of this rank among the ranks that may run on the same cores, and their number. */
static void share_cores(scree__peers *p, uint64_t *hashes) {
  const uint64_t mine = scree__thread_allowed_hash();
  gather(&p->collective, &mine, hashes, sizeof mine);
  p->core_share = (scree__core_share){0, 0};
  for (uint32_t r = 0; r < p->all->ranks; r++) {
    p->core_share.index += r < p->all->rank && hashes[r] == mine;
    p->core_share.of += hashes[r] == mine;
  }
}

static void locate(scree__peers *p, scree__location *all) {
  for (uint32_t r = 0; r < p->all->ranks; r++) all[r] = (scree__location){0, r};
  scree__peers_locate(p, all, all[p->all->rank]);
}

static scree__peers *open_local(scree__meeting *meeting, bool by_memory, const scree__options *options,
                                scree__fault *fault, scree__ring *rings) {
  (void)rings;
  (void)by_memory;
  uint32_t number = 1;
  while (number < SCREE__LOCAL_CHANNELS && taken[number]) number++;
  if (number == SCREE__LOCAL_CHANNELS) {
    scree__fault_raise(fault, SCREE_EINVAL,
                       "%d worlds are open: ranks without a launcher cannot have more open at once",
                       SCREE__LOCAL_CHANNELS - 1);
    return NULL;
  }
  uint64_t *scratch = calloc(meeting->ranks, sizeof *scratch);
  local *l = scratch ? allocate(meeting, options, fault) : NULL;
  if (!l) scree__fault_no_memory(fault, meeting->ranks * sizeof *scratch, "the places of the ranks");
  const bool all = scree__agree(meeting, l ? SCREE_OK : SCREE_ENOMEM) == SCREE_OK;
  if (l) take_channel(l, number);
  if (all && options->pin != SCREE_PIN_OFF) share_cores(&l->peers, scratch);
  _Static_assert(sizeof(scree__location) <= sizeof *scratch, "both are kept there");
  if (all) locate(&l->peers, (scree__location *)(void *)scratch);
  free(scratch);
  if (all) return &l->peers;
  if (l) close_local(&l->peers);
  return NULL;
}

static const scree__meeting_ops meeting_ops = {.max = max, .open = open_local};

void scree__local_start(void *shared, uint32_t ranks, const scree__options *options) {
  const uint64_t step = scree__first_count(options, SCREE__COUNTS_STEPS);
  scree__local_slot *slots = shared;
  for (uint32_t i = 0; step && i < SCREE__LOCAL_CHANNELS * ranks; i++) {
    AO_store(&slots[i].step, step);
    AO_store(&slots[i].round, scree__first_count(options, SCREE__COUNTS_ROUNDS));
  }
}

void scree__local_enter(void *shared, uint32_t rank, uint32_t ranks) {
  opening = (channel){{&meeting_ops, rank, ranks, &fault_before}, shared, 0};
  if (shared) opening.step = AO_load(&opening.slots[rank].step);
}

scree__meeting *scree__local_meeting(void) {
  return opening.slots ? &opening.meeting : NULL;
}
