/* open.c - how tasks join a world: options, the library's messages, a holder of each worker; and types of tasks, each
 * of which is a type of messages too: of those that spawn it on another worker. */
#include <string.h>

#include "base/hash.h"
#include "base/option_table.h"
#include "base/sized.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "task/loop.h"
#include "task/object.h"
#include "task/scope.h"
#include "task/steal.h"

#define NAME      "scree_tasks_open"
#define NO_MEMORY "no memory: free memory on this host"

scree__tasks *scree__tasks_of(const scree__worker *me) {
  return (scree__tasks *)scree__holder_of(me, &scree__tasks_ops);
}

bool scree__tasks_in(const scree_world *world) {
  return scree__tasks_of(world->worker[0]) != NULL;
}

scree__tasks *scree__tasks_for(scree_worker *worker, const char *call) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__dropped(me, call, SCREE_ALL)) return NULL;
  scree__tasks *t = scree__tasks_of(me);
  if (t && me->in_epoch) return t;
  scree__fail(me, SCREE_ESTATE, call, "%s",
              t                        ? "no epoch is open: call scree_begin first"
              : scree__is_progress(me) ? "called on a progress thread, which has no tasks"
                                       : "the world has no tasks: call " NAME " first");
  return NULL;
}

bool scree__is_given(scree__tasks *t, const void *pointer, const char *call, const char *what) {
  if (pointer) return true;
  scree__fail(t->me, SCREE_EINVAL, call, "no %s: pass what is not NULL", what);
  return false;
}

/* ---- options ---- */

#define OPTION(...) SCREE__OPTION_OF(scree__tasks_options, __VA_ARGS__),
static const scree_option rows[] = {SCREE_TASKS_OPTIONS(OPTION)};
enum { ROWS = sizeof rows / sizeof *rows };

static int read_options(scree__tasks_options *o, const scree_tasks_options *given, char *why, size_t size) {
  static const scree__sized sized = {"scree_tasks_options", "SCREE_TASKS_OPTIONS_INIT", sizeof(scree_tasks_options)};
  o->user = (scree_tasks_options)SCREE_TASKS_OPTIONS_INIT;
  return scree__options_read(rows, ROWS, &sized, o, given, why, size);
}

/* ---- what is freed with the world: the state of each worker, and with the first one the shared state ---- */

static void free_world(scree__task_world *of) {
  for (uint32_t i = 0; i < of->types; i++) free(of->type[i]);
  free(of->type);
  free(of);
}

void scree__tasks_free(scree__holder *holder) {
  scree__tasks *t = (scree__tasks *)holder;
  const bool last = t->me->head.index == 0;
  SCREE__INVARIANT(t->broken || !t->current);
  SCREE__INVARIANT(t->me->failed || t->live == t->asleep);
  scree__stack_faults_close(&t->watch);
  scree__stacks_close(&t->stacks);
  free(t->ready.item);
  free(t->private.item);
  free(t->public.item);
  free(t->timed.item);
  free(t->table);
  free(t->numbers);
  scree__freelist_close(&t->scopes.parts);
  scree__freelist_close(&t->scopes.sums);
  scree__freelist_close(&t->scopes.seen);
  scree__loops_free(t);
  free(t->deque);
  scree__freelist_close(&t->parked);
  scree__objects_free(t);
  if (last) free_world(t->of);
  free(t);
}

/* ---- opening ---- */

static const char *type_on(const scree__stack *stack) {
  return ((const scree_task *)stack)->closure.type->name;
}

static scree__tasks *make(scree__task_world *of, scree__worker *me) {
  scree__tasks *t = aligned_alloc(SCREE__LINE, (sizeof *t + SCREE__LINE - 1) / SCREE__LINE * SCREE__LINE);
  if (!t) return NULL;
  memset(t, 0, sizeof *t);
  t->holder.ops = &scree__tasks_ops;
  t->me = me;
  t->of = of;
  t->live_max = (uint32_t)of->options.task_live;
  t->budget = (uint32_t)of->options.task_poll;
  snprintf(t->who, sizeof t->who, "rank %u, worker %u", me->head.rank, me->head.index);
  t->watch = (scree__fault_watch){.stacks = &t->stacks, .who = t->who, .task = type_on};
  t->asks = of->options.steal == SCREE_STEAL_ALL && me->head.ranks > 1;
  t->random = scree__hash(scree__worker_number(me) + 1);
  const uint32_t first = (uint32_t)scree__first_count(&me->world->options, SCREE__COUNTS_CLOSURES);
  t->private.head = t->private.tail = t->public.head = t->public.tail = t->ready.head = t->ready.tail = first;
  scree__objects_open(t);
  scree__scopes_open(t);
  scree__stacks_open(&t->stacks, of->options.task_stack, sizeof(scree_task), (scree__guard)of->options.task_guard,
                     scree__task_run_closures, t);
  return t;
}

/* Where others of the rank may take closures. */
static bool make_deque(scree__tasks *t) {
  if (t->of->options.steal == SCREE_STEAL_OFF || t->me->head.threads == 1) return true;
  t->deque = aligned_alloc(SCREE__LINE, sizeof *t->deque);
  if (!t->deque) return false;
  memset(t->deque, 0, sizeof *t->deque);
  const AO_t first = scree__first_count(&t->me->world->options, SCREE__COUNTS_EXPOSED);
  AO_store(&t->deque->top, first); /* relaxed: others find it in an epoch */
  AO_store(&t->deque->bottom, first);
  return true;
}

/* Last: tasks that are always ready leave no idle step to poll functions after them. */
static bool join_all(scree__task_world *of) {
  for (uint32_t w = 0; w < of->world->threads; w++) {
    scree__tasks *t = make(of, of->world->worker[w]);
    if (!t) return false;
    of->worker[w] = t;
    scree__holder_join_last(of->world->worker[w], &t->holder);
    if (!make_deque(t)) return false;
  }
  return true;
}

static void leave_all(scree__task_world *of) {
  if (!of->worker[0]) {
    free_world(of);
    return;
  }
  for (uint32_t w = of->world->threads; w-- > 0;) {
    scree__tasks *t = of->worker[w];
    if (!t) continue;
    scree__holder_leave(t->me, &t->holder);
    scree__tasks_free(&t->holder);
  }
}

static scree_status register_messages(scree__task_world *of) {
  const uint32_t item = sizeof(scree__object_item);
  const scree_type_desc descs[] = {
      {.size = sizeof *descs,
       .name = "tasks: acknowledged",
       .item = sizeof(scree__acknowledgement),
       .flags = SCREE_TO_WORKER,
       .fn = scree__on_acknowledged},
      {.size = sizeof *descs,
       .name = "tasks: requests",
       .item = item,
       .flags = SCREE_TO_WORKER,
       .fn = scree__on_request},
      {.size = sizeof *descs, .name = "tasks: answers", .item = item, .flags = SCREE_TO_WORKER, .fn = scree__on_answer},
      {.size = sizeof *descs,
       .name = "tasks: results",
       .item = sizeof(scree__scope_result),
       .flags = SCREE_TO_WORKER,
       .fn = scree__on_result},
      {.size = sizeof *descs,
       .name = "tasks: steals",
       .item = sizeof(scree__steal_item),
       .flags = SCREE_TO_WORKER,
       .fn = scree__on_steal}};
  enum { MESSAGES = sizeof descs / sizeof *descs };
  uint32_t ids[MESSAGES];
  const scree_status status = scree_register_all(of->world, descs, MESSAGES, ids);
  if (status) return status;
  of->acknowledge = ids[0];
  of->request = ids[1];
  of->answer = ids[2];
  of->result = ids[3];
  of->steal = ids[4];
  return SCREE_OK;
}

/* Refused on this rank alone: the others, which register a type, learn it there. */
static scree_status refuse(scree_world *world, scree_status status, const char *name, const char *call,
                           const char *why) {
  scree__misuse(world->worker[0], status, call, "%s", why);
  return scree__refuse_type(world, name, status);
}

static scree_status open_tasks(scree_world *world, const scree__tasks_options *options) {
  scree__task_world *of = calloc(1, sizeof *of);
  if (!of) return refuse(world, SCREE_ENOMEM, "tasks", NAME, NO_MEMORY);
  of->world = world;
  of->options = *options;
  const scree_status status =
      join_all(of) ? register_messages(of) : refuse(world, SCREE_ENOMEM, "tasks", NAME, NO_MEMORY);
  if (status) leave_all(of);
  return status;
}

scree_status scree_tasks_open(scree_world *world, const scree_tasks_options *options) {
  scree__tasks_options own;
  char why[256];
  const scree_status refused = scree__in_idle_world(world, NAME);
  if (refused) return refused;
  scree__worker *me = world->worker[0];
  if (scree__agreed(world)) return scree__agreed(world);
  if (scree__tasks_of(me)) return scree__misuse(me, SCREE_ESTATE, NAME, "the world has tasks already: open them once");
  if ((uint64_t)world->ranks * world->threads > SCREE__TASK_WORKERS_MAX)
    return scree__misuse(me, SCREE_EINVAL, NAME,
                         "%u ranks of %u workers: legal are up to %d workers in a world with tasks", world->ranks,
                         world->threads, SCREE__TASK_WORKERS_MAX);
  if (read_options(&own, options, why, sizeof why)) return refuse(world, SCREE_EINVAL, "tasks", NAME, why);
  return open_tasks(world, &own);
}

/* ---- types ---- */

static bool grow_types(scree__task_world *of, uint32_t id) {
  scree__task_type **bigger = realloc(of->type, (id + 1) * sizeof *bigger);
  if (!bigger) return false;
  of->type = bigger;
  for (; of->types <= id; of->types++) bigger[of->types] = NULL;
  return true;
}

/* For a type like that one, spawned by items of that many bytes. */
static scree_status register_type(scree_world *world, const char *name, const scree__task_type *like, uint32_t item,
                                  scree_batch_fn *handler, scree__task_world **of, uint32_t *id) {
  const char *call = "register";
  scree__worker *me = world->worker[0];
  const scree_status refused = scree__in_idle_world(world, call);
  if (refused) return refused;
  scree__tasks *t = scree__tasks_of(me);
  if (!t)
    return scree__misuse(me, SCREE_ESTATE, call, "task type '%s': the world has no tasks: call " NAME " first", name);
  scree__task_type *type = calloc(1, sizeof *type);
  if (!type || !grow_types(t->of, world->type_count + 1)) {
    free(type);
    return refuse(world, SCREE_ENOMEM, name, call, NO_MEMORY);
  }
  *type = *like;
  snprintf(type->name, sizeof type->name, "%s", name);
  type->id = world->type_count + 1;
  uint32_t as;
  const scree_type_desc desc = {sizeof desc, name, item, SCREE_TO_WORKER, handler, type, NULL, NULL};
  const scree_status status = scree_register(world, &desc, &as);
  if (status) {
    free(type);
    return status;
  }
  t->of->type[as] = type;
  *of = t->of;
  *id = as;
  return SCREE_OK;
}

scree_status scree__task_register(scree_world *world, const char *name, uint32_t bytes, scree__task_fn *fn, void *arg,
                                  scree__task_world **of, uint32_t *id) {
  const scree__task_type like = {.fn = fn, .arg = arg, .bytes = bytes};
  return register_type(world, name, &like, (uint32_t)sizeof(uint64_t) + bytes, scree__on_spawn, of, id);
}

scree_status scree__loop_register(scree_world *world, const char *name, uint32_t bytes, uint32_t value_bytes,
                                  scree__loop_fn *fn, scree_combine_fn *combine, void *arg, scree__task_world **of,
                                  uint32_t *id) {
  const scree__task_type like = {.fn = scree__run_range,
                                 .arg = arg,
                                 .bytes = sizeof(scree__range),
                                 .body = fn,
                                 .combine = combine,
                                 .loop_bytes = bytes,
                                 .value_bytes = value_bytes};
  return register_type(world, name, &like, (uint32_t)sizeof(scree__loop_item) + bytes, scree__on_loop, of, id);
}

/* ---- the properties of a task ---- */

scree_worker *scree_task_worker(const scree_task *self) {
  return self ? &scree__home(self)->me->head : NULL;
}

scree_scope *scree_task_scope(const scree_task *self) {
  return self ? self->closure.scope : NULL;
}

void *scree_task_arg(const scree_task *self) {
  return self ? self->closure.type->arg : NULL;
}
