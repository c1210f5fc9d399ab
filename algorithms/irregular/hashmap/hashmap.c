/* hashmap.c - users that look up strings in a map in global memory (GMT's Concurrent Hash Map Access: Morari et al.
 * 2014, section V.D). A string that is there is taken out, reversed and stored; then, and if it is not there, the
 * user goes on with another one. So of a string and its reverse never more than one is in the map. A task has one user,
 * or several; how it looks strings up is its form's. */
#include <stdio.h>

#include "irregular/hashmap/hashmap.h"

static const scree__hashmap_form *const forms[] = {&scree__hashmap_by_gets, &scree__hashmap_by_delegates,
                                                   &scree__hashmap_by_gathers};

static void run_take(scree_worker *w, void *bucket, const scree__string *s, uint8_t *found, void *arg) {
  scree__map_slot *slot = scree__bucket_find(bucket, s);
  (void)w, (void)arg;
  if (slot) scree__slot_set(slot, SCREE__SLOT_FREE);
  *found = slot != NULL;
}
SCREE_DELEGATE_BODY(take, scree__string, uint8_t, run_take);

static void run_store(scree_worker *w, void *bucket, const scree__string *s, uint8_t *stored, void *arg) {
  (void)w, (void)arg;
  *stored = scree__bucket_store(bucket, s);
}
SCREE_DELEGATE_BODY(store, scree__string, uint8_t, run_store);

/* All steps of so many users. */
static void run_users(scree_task *self, const users_args *args) {
  scree__hashmap_state *h = scree_task_arg(self);
  const scree__irregular_options *o = h->k->options;
  const uint64_t mine = o->pool / scree__hashmap_users(h), count = o->strings ? o->pool : mine;
  scree__hashmap_user user[SCREE__HASHMAP_GROUP];
  uint64_t index;
  bool reversed;
  for (uint64_t u = 0; u < args->count; u++) user[u].random = scree__hash_draw(o->seed, args->first + u);
  for (uint64_t step = 0; step < o->steps && !scree_error(h->k->world); step++) {
    for (uint64_t u = 0; u < args->count; u++)
      user[u].string = scree__string_next(&user[u].random, o->seed, o->strings ? 0 : mine * (args->first + u), count,
                                          &index, &reversed);
    h->form->look_up(self, h, user, args->count, &h->worker[scree_task_worker(self)->index].part);
  }
}
SCREE_TASK_BODY(users, users_args, run_users);

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
  scree_status status = users_register(k->world, h, &h->users);
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
  const uint64_t group = h->form->group;
  for (uint64_t t = 0; t < tasks; t += group)
    users_spawn(w, h->users, NULL, (users_args){me * tasks + t, tasks - t < group ? tasks - t : group});
  scree_end(w, part);
}

static scree_status run(scree__irregular *k) {
  scree__hashmap_state *h = k->state;
  h->form = forms[k->form];
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
