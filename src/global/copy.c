/* copy.c - from global to global memory: by pieces, each of which is read into a buffer of this rank and then
 * written. */
#include <stdlib.h>

#include "core/fail.h"
#include "global/operation.h"

enum { PIECE = 65536 };

typedef struct scree__copy {
  struct scree__copy *next, **link; /* of the worker's; what points to this one */
  scree__waiter *of;                /* of the whole, which counts it as one request */
  scree_address to, from;
  uint64_t left;
  bool full;    /* the buffer */
  bool ready;   /* the last piece has been read, or written */
  bool running; /* in scree__copy_step, which may be called recursively */
  char buffer[];
} copy;

static uint64_t piece_of(const copy *c) {
  return c->left < PIECE ? c->left : PIECE;
}

static void move(scree__globals *own, copy *c) {
  const scree__global_op op = {.call = "scree_copy",
                               .address = c->full ? c->to : c->from,
                               .local = c->buffer,
                               .bytes = piece_of(c),
                               .kind = c->full ? SCREE__GLOBAL_PUT : SCREE__GLOBAL_GET};
  scree__waiter *w = scree__new_waiter(own, op.call, SCREE__BY_STEP, c);
  if (w) scree__global_issue(own, &op, w, c->buffer);
}

static void finish(scree__globals *own, copy *c) {
  scree__waiter *of = c->of;
  *c->link = c->next;
  if (c->next) c->next->link = c->link;
  free(c);
  if (of->how != SCREE__BY_WAIT) scree__outstanding_less(own, 1);
  scree__waiter_release(own, of);
}

/* A piece that is this rank's own is complete at once, inside of `move`. */
void scree__copy_step(scree__globals *own, copy *c) {
  c->ready = true;
  if (c->running) return;
  c->running = true;
  while (c->ready && !own->me->failed) {
    const uint64_t bytes = piece_of(c);
    c->ready = false;
    SCREE__INVARIANT(bytes && bytes <= c->left);
    if (c->full) {
      c->left -= bytes;
      c->to = scree_global_add(c->to, (int64_t)bytes);
      c->from = scree_global_add(c->from, (int64_t)bytes);
      if (!c->left) {
        finish(own, c);
        return;
      }
    }
    c->full = !c->full;
    move(own, c);
  }
  c->running = false;
}

void scree__issue_copy(scree__globals *own, const scree__global_op *op, scree__waiter *waiter, char *to) {
  (void)to;
  const bool waits = waiter->how == SCREE__BY_WAIT;
  if (!op->bytes || (!waits && !scree__wait_for_fewer(own, 1))) return;
  copy *c = malloc(sizeof *c + (op->bytes < PIECE ? op->bytes : PIECE));
  if (!c) {
    scree__fail(own->me, SCREE_ENOMEM, op->call, "no memory for a copy: free memory on this host");
    return;
  }
  *c = (copy){.next = own->copies, .link = &own->copies, .of = waiter, .to = op->address, .from = op->expected};
  c->left = op->bytes;
  if (c->next) c->next->link = &c->next;
  own->copies = c;
  waiter->left++;
  own->outstanding += !waits;
  c->running = true; /* the first piece is read, not advanced over */
  move(own, c);
  c->running = false;
  if (c->ready && !own->me->failed) scree__copy_step(own, c);
}

void scree__copies_free(scree__globals *own) {
  for (copy *c = own->copies, *next; c; c = next) {
    next = c->next;
    free(c);
  }
}

scree__waiter *scree__copy_of(const scree__globals *own, uint64_t issuer) {
  for (copy *c = own->copies; c; c = c->next)
    if (c->of->key == issuer && c->of->how != SCREE__BY_WAIT) return c->of;
  return NULL;
}
