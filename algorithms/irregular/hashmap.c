/* hashmap.c - users that look up strings in a map in global memory (GMT's Concurrent Hash Map Access: Morari et al.
 * 2014, section V.D). A string that is there is taken out, reversed and stored; then, and if it is not there, the
 * user goes on with another one. So of a string and its reverse never more than one is in the map. Form 0 works by
 * gets, puts and compare-and-swap of a slot's state, form 1 by delegates on a bucket; a user is a task. In form 2 a
 * task has several users, for all of which one gather brings the states, and works as form 0 where a string may be
 * there. */
#include <stdio.h>

#include "irregular/hashmap.h"

enum { GETS, DELEGATES, GATHERS };
enum { GROUP = 32 /* users of a task that gathers: their strings are on its stack */ };

static scree_address bucket_of(const scree__hashmap_state *h, const scree__string *s) {
  return scree_global_address(scree__string_rank(s, h->k->map->ranks),
                              h->first + SCREE__BUCKET_BYTES * scree__string_bucket(s, h->buckets));
}

static void run_take(scree_worker *w, void *bucket, const scree__string *s, uint8_t *found, void *arg) {
  scree__map_slot *slot = scree__bucket_find(bucket, s);
  (void)w, (void)arg;
  if (slot) slot->state = SCREE__SLOT_FREE;
  *found = slot != NULL;
}
SCREE_DELEGATE_BODY(take, scree__string, uint8_t, run_take);

static void run_store(scree_worker *w, void *bucket, const scree__string *s, uint8_t *stored, void *arg) {
  (void)w, (void)arg;
  *stored = scree__bucket_store(bucket, s);
}
SCREE_DELEGATE_BODY(store, scree__string, uint8_t, run_store);

/* Takes the string out: has this task got it? A failed world has none. known: the state of its first slot; NULL: not
 * yet. */
static bool take_by_gets(scree_task *self, scree_address bucket, const scree__string *s, const uint64_t *known) {
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++) {
    const scree_address slot = bucket + sizeof(scree__map_slot) * scree__slot_at(s, p);
    uint64_t state = known ? *known : 0, letters[3];
    if ((p || !known) && scree_get(self, &state, slot, 8)) return false;
    if (state == SCREE__SLOT_UNUSED) return false;
    if (state != scree__slot_state(s)) continue;
    if (scree_get(self, letters, slot + 8, sizeof letters)) return false;
    if (memcmp(letters, s->letters, sizeof letters) != 0) continue;
    return !scree_atomic_compare_swap(self, slot, state, SCREE__SLOT_FREE, 8, &letters[0]) && letters[0] == state;
  }
  return false;
}

static bool store_by_puts(scree_task *self, scree_address bucket, const scree__string *s) {
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++) {
    const scree_address slot = bucket + sizeof(scree__map_slot) * scree__slot_at(s, p);
    uint64_t state, old;
    if (scree_get(self, &state, slot, 8)) return false;
    if (state != SCREE__SLOT_UNUSED && state != SCREE__SLOT_FREE) continue;
    if (scree_atomic_compare_swap(self, slot, state, SCREE__SLOT_CLAIMED, 8, &old)) return false;
    if (old != state) continue;
    return !scree_put(self, slot + 8, s->letters, sizeof s->letters) &&
           !scree_put_value(self, slot, scree__slot_state(s), 8);
  }
  return false;
}

/* One step of a user: looks the string up, and if it is there, stores its reverse. */
static void look_up(scree_task *self, scree__hashmap_state *h, scree__string *s, const uint64_t *known) {
  scree_reduce *part = &h->worker[scree_task_worker(self)->index].part;
  uint8_t done = 0;
  if (h->k->form != DELEGATES)
    done = take_by_gets(self, bucket_of(h, s), s, known);
  else if (take_call(self, h->take, bucket_of(h, s), SCREE__BUCKET_BYTES, *s, &done))
    return;
  if (!done) return;
  part->sum[0]++;
  scree__string_reverse(s);
  if (h->k->form != DELEGATES)
    done = store_by_puts(self, bucket_of(h, s), s);
  else if (store_call(self, h->store, bucket_of(h, s), SCREE__BUCKET_BYTES, *s, &done))
    return;
  part->sum[1] += done;
}

/* One user, or of form 2 several, whose first slots are gathered. */
static void run_user(scree_task *self, const user_args *args) {
  scree__hashmap_state *h = scree_task_arg(self);
  const scree__irregular_options *o = h->k->options;
  const uint64_t part = o->pool / scree__hashmap_users(h);
  uint64_t random[GROUP], known[GROUP], index;
  scree__string s[GROUP];
  scree_address from[GROUP];
  bool reversed;
  for (uint64_t u = 0; u < args->count; u++) random[u] = scree__hash_draw(o->seed, args->first + u);
  for (uint64_t step = 0; step < o->steps && !scree_error(h->k->world); step++) {
    for (uint64_t u = 0; u < args->count; u++) {
      s[u] = scree__string_next(&random[u], o->seed, o->strings ? 0 : part * (args->first + u),
                                o->strings ? o->pool : part, &index, &reversed);
      from[u] = bucket_of(h, &s[u]) + sizeof(scree__map_slot) * scree__slot_at(&s[u], 0);
    }
    if (h->k->form == GATHERS && scree_gather(self, known, from, args->count, 8)) return;
    for (uint64_t u = 0; u < args->count; u++) look_up(self, h, &s[u], h->k->form == GATHERS ? &known[u] : NULL);
  }
}
SCREE_TASK_BODY(user, user_args, run_user);

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  const uint64_t users = p->ranks * p->threads * o->tasks;
  p->heap = SCREE__BUCKET_BYTES * (scree__string_buckets(scree__hashmap_strings(o), p->ranks) + 1) + 4096;
  if (o->strings || users <= o->pool) return true;
  snprintf(why, size,
           "%llu tasks for a pool of %llu strings, and no two share one: take more strings, or strings=shared",
           (unsigned long long)users, (unsigned long long)o->pool);
  return false;
}

static scree_status open(scree__irregular *k) {
  scree__hashmap_state *h = k->state;
  h->k = k;
  h->buckets = scree__string_buckets(scree__hashmap_strings(k->options), k->map->ranks);
  scree_status status = user_register(k->world, h, &h->user);
  if (!status) status = take_register(k->world, h, &h->take);
  if (!status) status = store_register(k->world, h, &h->store);
  if (!status) status = scree_symmetric_alloc(k->world, SCREE__BUCKET_BYTES * (h->buckets + 1), &h->map);
  const uint64_t start = scree_global_offset(k->map, scree_global_at(k->map, &h->map, 0, 0));
  h->first = (start + SCREE__BUCKET_BYTES - 1) / SCREE__BUCKET_BYTES * SCREE__BUCKET_BYTES;
  return status;
}

/* Each rank stores its strings of the map as it is at first. */
static scree_status prepare(scree__irregular *k) {
  const scree__hashmap_state *h = k->state;
  const uint32_t rank = scree_worker_of(k->world, 0)->rank;
  memset(scree__hashmap_own_bucket(h, 0), 0, SCREE__BUCKET_BYTES * h->buckets);
  bool good = true;
  for (uint64_t i = 0; i < k->options->pool; i += SCREE__POOL_PART) {
    const scree__string s = scree__string_of(k->options->seed, i);
    if (scree__string_rank(&s, k->map->ranks) == rank)
      good &= scree__bucket_store(scree__hashmap_own_bucket(h, scree__string_bucket(&s, h->buckets)), &s);
  }
  return good ? SCREE_OK : SCREE_ENOMEM;
}

static void work(scree_worker *w, void *arg) {
  scree__hashmap_state *h = arg;
  scree_reduce *part = &h->worker[w->index].part;
  const uint64_t tasks = h->k->options->tasks, me = (uint64_t)w->rank * w->threads + w->index;
  *part = (scree_reduce){.min = UINT64_MAX};
  if (scree_begin(w)) return;
  const uint64_t group = h->k->form == GATHERS ? GROUP : 1;
  for (uint64_t t = 0; t < tasks; t += group)
    user_spawn(w, h->user, NULL, (user_args){me * tasks + t, tasks - t < group ? tasks - t : group});
  scree_end(w, part);
}

static scree_status run(scree__irregular *k) {
  scree__hashmap_state *h = k->state;
  const scree_status status = scree_run_workers(k->world, scree_worker_of(k->world, 0)->threads, work, h);
  k->items = scree__hashmap_users(h) * k->options->steps;
  k->figure[0] = (double)scree__hashmap_users(h);
  k->figure[1] = (double)h->worker[0].part.sum[0];
  return status;
}

const scree__irregular_methods scree__hashmap = {
    .state = sizeof(scree__hashmap_state),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = scree__hashmap_check,
    .wrong =
        "strings are not in the map as a serial replay has them, or are there twice, or are of no string of the pool",
    .law = "no string is there twice or unknown, and of each string and its reverse one",
};
