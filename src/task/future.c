/* future.c - a value that one set, or several, make ready. */
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "task/object.h"
#include "task/scope.h"

/* A task that begins when the future is ready; in the list of its future, and in that of its worker. */
typedef struct scree__parked {
  struct scree__parked *next, *older, **from; /* from: what points to it in the worker's list */
  scree__closure closure;
} parked;

typedef struct {
  scree__object object;    /* must be first */
  uint64_t bytes, missing; /* missing: sets until it is ready */
  scree_combine_fn *combine;
  uint64_t value[SCREE__OBJECT_WORDS];
  parked *first;
} future;
_Static_assert(sizeof(future) <= sizeof(scree_future), "the public struct has room for it");

enum { SET, WAIT };

static future *of(scree_future *f) {
  return (future *)(void *)f;
}

/* Else the world fails whose worker this thread used last. */
static bool is_given(const scree_future *f, const char *call) {
  scree__worker *me = f ? NULL : scree__here();
  if (me) scree__fail(me, SCREE_EINVAL, call, "no future: pass what is not NULL");
  return f != NULL;
}

/* Where a request names a future by its number, `bytes` is what the program's memory has. */
static bool has_size(scree__worker *me, size_t bytes, const char *call) {
  if (bytes <= SCREE_FUTURE_MAX) return true;
  scree__fail(me, SCREE_EINVAL, call, "a value of %zu bytes: legal are 0..%d", bytes, SCREE_FUTURE_MAX);
  return false;
}

static void link_parked(scree__tasks *t, parked *p) {
  p->older = t->latest_parked;
  p->from = &t->latest_parked;
  if (p->older) p->older->from = &p->older;
  t->latest_parked = p;
}

static void unlink_parked(parked *p) {
  SCREE__INVARIANT(*p->from == p && (!p->older || p->older->from == &p->older));
  *p->from = p->older;
  if (p->older) p->older->from = p->from;
}

uint32_t scree__count_parked(const scree__tasks *t, const char **type) {
  uint32_t count = 0;
  for (const parked *p = t->latest_parked; p; p = p->older, count++) *type = p->closure.type->name;
  return count;
}

static void begin_parked(future *f) {
  scree__tasks *t = f->object.home;
  for (parked *p; (p = f->first);) {
    f->first = p->next;
    unlink_parked(p);
    scree__spawn_closure(t, &p->closure);
    scree__freelist_put(&t->parked, p);
  }
}

static void set(future *f, const uint64_t *value) {
  if (!f->missing) {
    scree__fail(f->object.home->me, SCREE_ESTATE, "scree_future_set",
                "the future is ready, so it has been set as often as it was opened for: set it once, or open it with a "
                "larger count");
    return;
  }
  if (f->combine)
    f->combine(f->value, value);
  else
    memcpy(f->value, value, sizeof f->value);
  if (--f->missing == 0) begin_parked(f);
  SCREE__INVARIANT(f->missing || !f->first);
}

static bool serve(scree__object *object, scree__request *request) {
  future *f = (future *)object;
  if (request->op == SET) {
    set(f, request->value);
    return true;
  }
  if (f->missing) return false;
  memcpy(request->value, f->value, sizeof f->value);
  return true;
}

static const scree__object_ops ops = {.name = "future", .serve = serve};

scree_status scree_future_open(scree_worker *worker, scree_future *future_, size_t bytes, uint64_t count,
                               scree_combine_fn *combine) {
  const char *call = "scree_future_open";
  scree__tasks *t = scree__tasks_for(worker, call);
  if (!t) return SCREE_ESTATE;
  if (!scree__is_given(t, future_, call, "future")) return SCREE_EINVAL;
  if (bytes > SCREE_FUTURE_MAX || count == 0) {
    scree__fail(t->me, SCREE_EINVAL, call, "%zu bytes, set %llu times: legal are 0..%d bytes, and once or more", bytes,
                (unsigned long long)count, SCREE_FUTURE_MAX);
    return SCREE_EINVAL;
  }
  future *f = of(future_);
  *f = (future){.bytes = bytes, .missing = count, .combine = combine};
  return scree__object_open(worker, &f->object, &ops, call) ? SCREE_OK : t->me->failure.status;
}

/* The words of a value; those after it are zero. */
static void read_value(uint64_t words[SCREE__OBJECT_WORDS], const void *value, size_t bytes) {
  memset(words, 0, SCREE__OBJECT_WORDS * sizeof *words);
  if (value) memcpy(words, value, bytes < SCREE_FUTURE_MAX ? bytes : SCREE_FUTURE_MAX);
}

void scree_future_set(scree_worker *worker, scree_future *f, const void *value) {
  const char *call = "scree_future_set";
  uint64_t words[SCREE__OBJECT_WORDS];
  if (!f) {
    scree__tasks *t = scree__tasks_for(worker, call);
    if (t) scree__is_given(t, f, call, "future");
    return;
  }
  read_value(words, value, of(f)->bytes);
  scree__object_do(worker, &of(f)->object, SET, words, call);
}

scree_status scree_future_wait(scree_task *self, scree_future *f, void *value) {
  const char *call = "scree_future_wait";
  uint64_t words[SCREE__OBJECT_WORDS] = {0};
  if (!f) {
    const scree_status refused = scree__task_may_wait(self, call);
    if (!refused) scree__is_given(scree__home(self), f, call, "future");
    return refused ? refused : SCREE_EINVAL;
  }
  const scree_status status = scree__object_wait(self, &of(f)->object, WAIT, words, call);
  if (!status && value) memcpy(value, words, of(f)->bytes);
  return status;
}

bool scree_future_test(const scree_future *future_, void *value) {
  const future *f = (const future *)(const void *)future_;
  if (!is_given(future_, "scree_future_test") || f->missing) return false;
  if (value) memcpy(value, f->value, f->bytes);
  return true;
}

void scree_future_close(scree_future *future_) {
  future *f = of(future_);
  if (!is_given(future_, "scree_future_close")) return;
  if (f->first && !f->object.home->me->failed) {
    scree__fail(f->object.home->me, SCREE_ESTATE, "scree_future_close",
                "tasks of name_then wait for this future: close it when it is ready");
    return;
  }
  scree__object_close(&f->object, "scree_future_close");
}

uint64_t scree_future_number(scree_future *f) {
  return is_given(f, "scree_future_number") ? scree__object_number(&of(f)->object) : 0;
}

void scree_future_set_at(scree_worker *worker, uint64_t number, const void *value, size_t bytes) {
  const char *call = "scree_future_set_at";
  uint64_t words[SCREE__OBJECT_WORDS];
  if (!worker || !has_size(scree__worker_of(worker), bytes, call)) return;
  read_value(words, value, bytes);
  scree__object_do_at(worker, number, SET, words, call);
}

scree_status scree_future_wait_at(scree_task *self, uint64_t number, void *value, size_t bytes) {
  const char *call = "scree_future_wait_at";
  uint64_t words[SCREE__OBJECT_WORDS] = {0};
  if (self && !has_size(scree__home(self)->me, bytes, call)) return SCREE_EINVAL;
  const scree_status status = scree__object_wait_at(self, number, WAIT, words, call);
  if (!status && value) memcpy(value, words, bytes);
  return status;
}

/* Its scope counts it from now on. */
void scree__task_then(scree_worker *worker, scree__task_world *world, uint32_t id, scree_scope *scope,
                      scree_future *future_, const void *args) {
  const char *call = "then";
  future *f = of(future_);
  scree__tasks *t = scree__tasks_for(worker, call);
  if (!t || t->me->failed || !scree__is_given(t, future_, call, "future")) return;
  if (world != t->of) {
    scree__task_spawn(worker, world, id, scope, args); /* which says so */
    return;
  }
  const scree__task_type *type = world->type[id];
  if (f->object.home != t) {
    scree__fail(t->me, SCREE_ESTATE, call,
                "task of type '%s': the future belongs to another worker: call name_then in a task that spawn_on has "
                "sent there",
                type->name);
    return;
  }
  if (!f->missing) {
    scree__task_spawn(worker, world, id, scope, args);
    return;
  }
  if (!scree__scope_is_here(t, scope, call, type->name)) return;
  parked *p = scree__freelist_get(&t->parked, sizeof *p);
  if (!p) {
    scree__fail(t->me, SCREE_ENOMEM, call,
                "no memory for one more task of type '%s' that waits for a future: free memory on this host",
                type->name);
    return;
  }
  p->closure.type = type;
  p->closure.scope = scope;
  memcpy(p->closure.args, args, p->closure.type->bytes);
  if (scope) scree__scope_enter(scope);
  p->next = f->first;
  f->first = p;
  link_parked(t, p);
}
