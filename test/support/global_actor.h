/* global_actor.h - generated operations on global memory: a task, or a worker's own stack, does them in all forms, and
 * knows what they must read and write. */
#ifndef GLOBAL_ACTOR_H
#define GLOBAL_ACTOR_H
#include <scree/global.h>

enum { ACTOR_PENDING = 48 };
typedef enum { WAIT, POLL, INTO, IN, NBI, FORMS } form;

/* Of operations; on memory of each policy, what was exported included, and last on stacks. */
enum { OPERATIONS = 9, OPERATION_CALL = OPERATIONS - 1, PLACES = SCREE_GLOBAL_EXPORTED + 2, ON_A_STACK = PLACES - 1 };

/* Draws, and counts. */
typedef struct {
  uint64_t random, operations[FORMS], bytes, max[FORMS]; /* max: bytes of one */
  uint64_t drawn[OPERATIONS][FORMS][PLACES];
  uint32_t operation, place; /* of the operation that begins */
} actor_plan;

/* An operation that may be outstanding: the place of its result, and what that must be. */
typedef struct {
  unsigned char *buffer, *expected;
  uint64_t bytes;
  bool sets; /* a future */
  scree_future future;
} pending;

/* A delegate that changes each byte, and returns what they were. */
typedef struct {
  uint64_t bytes, add;
} mix_args;
typedef struct {
  uint64_t sum, bytes;
} mix_result;
SCREE_DELEGATE(mix, mix_args, mix_result);
scree_status actor_register(scree_world *world, mix_type *mix);

/* A task, or the worker's own stack where self is NULL. */
typedef struct {
  scree_task *self;
  scree_worker *w;
  actor_plan *plan;
  const scree_global_map *map;
  mix_type mix;
  scree_completion *completion;
  pending pending[ACTOR_PENDING];
  uint32_t count;
} actor;

uint64_t actor_draw(actor_plan *plan, uint64_t n);

/* One drawn operation on these bytes of such a place, which no other outstanding one accesses and which contain the
 * model; byte i is at scree_global_add(at, i). False: the world has failed. */
bool actor_operate(actor *a, scree_address at, unsigned char *model, uint64_t bytes, uint32_t place);

/* Waits until all are complete, and checks their results. False: the world has failed. */
bool actor_finish(actor *a);
#endif
