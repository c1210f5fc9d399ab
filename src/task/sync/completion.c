/* completion.c - completions: scopes that count operations too, and that tasks of other workers may wait for. For these
 * a completion has an object, whose queue is served when nothing of the scope is left (scope.c). */
#include "core/epoch.h"
#include "core/fail.h"
#include "task/message.h"
#include "task/object.h"
#include "task/scope.h"

scree_status scree_completion_open(scree_worker *worker, scree_completion **completion) {
  scree__tasks *t = scree__tasks_for(worker, "scree_completion_open");
  if (!t) return SCREE_ESTATE;
  if (!scree__is_given(t, completion, "scree_completion_open", "completion")) return SCREE_EINVAL;
  scree_scope *scope = t->me->failed ? NULL : scree__scope_open(t, NULL);
  if (scope) *completion = scope;
  return t->me->failed ? t->me->failure.status : SCREE_OK;
}

/* SCREE_OK, or the world fails, or it has failed already. */
static scree_status check_completion(const scree_completion *c, const char *call) {
  scree__worker *me = c ? c->home->me : scree__here();
  if (!me) return SCREE_EINVAL;
  if (scree__dropped(me, call, SCREE_ALL)) return SCREE_ESTATE;
  if (me->failed) return me->failure.status;
  if (!c) {
    scree__fail(me, SCREE_EINVAL, call, "no completion: pass what is not NULL");
    return SCREE_EINVAL;
  }
  if (c->id && !c->opener) return SCREE_OK;
  scree__fail(me, SCREE_ESTATE, call, "%s: legal: a completion that is open",
              c->id ? "a scope of scree_finish" : "a completion that was closed");
  return SCREE_ESTATE;
}

scree_status scree_completion_enroll(scree_completion *c, uint64_t n) {
  const scree_status status = check_completion(c, "scree_completion_enroll");
  if (!status) c->active += n;
  return status;
}

scree_status scree_completion_complete(scree_completion *c, uint64_t n) {
  const char *call = "scree_completion_complete";
  const scree_status status = check_completion(c, call);
  if (status) return status;
  if (n > c->active) {
    scree__fail(c->home->me, SCREE_EINVAL, call,
                "%llu operations, legal are 0..%llu, as many as are enrolled and not completed", (unsigned long long)n,
                (unsigned long long)c->active);
    return SCREE_EINVAL;
  }
  SCREE__INVARIANT(c->opened_here && !c->opener);
  c->active -= n;
  scree__scope_check_end(c);
  return SCREE_OK;
}

scree_status scree_completion_wait(scree_task *self, scree_completion *c) {
  scree_status status = scree__task_may_wait(self, "scree_completion_wait");
  if (!status && c && c->home != scree__home(self)) {
    scree__fail(
        scree__home(self)->me, SCREE_ESTATE, "scree_completion_wait",
        "task of type '%s' waits for a completion of another worker: pass its number to scree_completion_wait_at",
        self->closure.type->name);
    return SCREE_ESTATE;
  }
  if (!status) status = check_completion(c, "scree_completion_wait");
  if (!status && self->closure.scope == c) {
    scree__fail(c->home->me, SCREE_ESTATE, "scree_completion_wait",
                "task of type '%s' waits for a completion that it belongs to, so for itself: wait in another task",
                self->closure.type->name);
    return SCREE_ESTATE;
  }
  while (!status && (c->active || c->outstanding)) status = scree__scope_wait(self, c, "a completion");
  return status;
}

scree_status scree_completion_close(scree_completion *c) {
  const scree_status status = check_completion(c, "scree_completion_close");
  if (status) return status;
  if (c->active || c->outstanding || c->first) {
    scree__fail(c->home->me, SCREE_ESTATE, "scree_completion_close",
                "%llu operations or tasks here and %llu elsewhere are outstanding: wait for them first",
                (unsigned long long)c->active, (unsigned long long)c->outstanding);
    return SCREE_ESTATE;
  }
  if (c->seen) {
    scree__object_close(c->seen, "scree_completion_close");
    scree__freelist_put(&c->home->scopes.seen, c->seen);
  }
  scree__scope_put_back(c);
  return SCREE_OK;
}

/* ---- from other workers ---- */

enum { WAIT = 0x600 }; /* an operation of no other kind of object */

typedef struct {
  scree__object object; /* must be first */
  scree_completion *of;
} seen;

static bool serve(scree__object *object, scree__request *request) {
  const scree_completion *c = ((seen *)object)->of;
  if (request->op == WAIT) return !c->active && !c->outstanding;
  scree__fail(object->home->me, SCREE_EINVAL, "task", "operation %x of another kind of object on completion %llx",
              request->op, (unsigned long long)object->number);
  return true;
}

static const scree__object_ops ops = {.name = "completion", .serve = serve};

uint64_t scree_completion_number(scree_completion *c) {
  const char *call = "scree_completion_number";
  if (check_completion(c, call)) return 0;
  if (!c->seen) {
    seen *s = scree__freelist_get(&c->home->scopes.seen, sizeof *s);
    if (!s) {
      scree__fail(c->home->me, SCREE_ENOMEM, call,
                  "no memory for the number of one more completion: free memory on this host");
      return 0;
    }
    s->of = c;
    if (!scree__object_open(&c->home->me->head, &s->object, &ops, call)) return 0;
    c->seen = &s->object;
  }
  return scree__object_number(c->seen);
}

scree_status scree_completion_wait_at(scree_task *self, uint64_t number) {
  uint64_t words[SCREE__OBJECT_WORDS] = {0};
  return scree__object_wait_at(self, number, WAIT, words, "scree_completion_wait_at");
}
