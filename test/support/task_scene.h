/* task_scene.h - scenes of tasks: what a task of rank 0 of two does, in an epoch of a virtual run, and how that
 * ends. */
#ifndef TASK_SCENE_H
#define TASK_SCENE_H
#include <scree/scree_sim.h>
#include <scree/task.h>

#include "harness.h"

typedef struct {
  uint64_t n;
} job_args;
SCREE_TASK(job, job_args);
SCREE_MESSAGE(ping, uint64_t);

/* A rank of a scene. */
typedef struct scene scene;
typedef struct {
  const scene *scene;
  scree_world *world;
  scree_worker *w;
  job_type job;
  ping_type ping;
  uint64_t ran, handled, order;
  scree_task *task;
  scree_future future;
  scree_scope *scope;
} actor;

/* `task`: what tasks do; `before`: what rank 0 does in the epoch, NULL: spawn_one; `after`: what all do after it, NULL:
 * has_returned. The epoch ends with `code`; the error of the rank that failed contains `text`. */
struct scene {
  const char *name;
  scree_status code;
  const char *text;
  void (*task)(scree_task *self, actor *a, uint64_t n);
  void (*before)(actor *a);
  void (*after)(actor *a);
  uint32_t live;            /* option task_live; 0: 1 */
  void (*called)(actor *a); /* by the handler of ping, and by a poll function; NULL: nothing is */
  uint32_t polls;           /* there is a poll function, that joins 1: after tasks, 2: before them */
  bool second, silent;      /* rank 1 fails, and not rank 0; the run prints what the scene captures */
};

/* SCENE(name, code, text, field...) { body } adds a test: the body is what tasks do. SCENE_BEFORE: what rank 0 does;
 * SCENE_CALLED: what is called. In a REFUSED row a task makes a call, which returns the code. */
#define SCENE__(field, name_, parameters, code_, ...)                                                                  \
  static void name_ parameters;                                                                                        \
  __attribute__((constructor)) static void add_##name_(void) {                                                         \
    static const scene self = {.name = #name_, .field = name_, .code = code_, .text = __VA_ARGS__};                    \
    harness_add((struct CMUnitTest){#name_, scene_run, NULL, NULL, (void *)(uintptr_t)&self});                         \
  }                                                                                                                    \
  static void name_ parameters
#define SCENE(name, code, ...)        SCENE__(task, name, (scree_task * self, actor * a, uint64_t n), code, __VA_ARGS__)
#define SCENE_BEFORE(name, code, ...) SCENE__(before, name, (actor * a), code, __VA_ARGS__)
#define SCENE_CALLED(name, code, ...) SCENE__(called, name, (actor * a), code, __VA_ARGS__)
#define REFUSED(name, call, code, ...)                                                                                 \
  SCENE(name, code, __VA_ARGS__) {                                                                                     \
    check_equal(call, code);                                                                                           \
  }

/* The function of job, whose argument is an actor. */
void scene_run_job(scree_task *self, const job_args *args);
SCREE_TASK_BODY(job, job_args, scene_run_job);

/* Tasks with n 0; 0 and 1. */
void spawn_one(actor *a);
void spawn_two(actor *a);
/* A task that has an argument of n has run on rank 0, at least. */
void has_returned(actor *a);
/* One virtual rank; arg: the scene. */
void scene_play(scree_world *world, void *arg);
/* The test of a scene, over some seeds, on two ranks and one or two nodes, with pools of one block and batches of one
 * item. */
void scene_run(void **scene);
#endif
