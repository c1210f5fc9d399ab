/* task_scene.h - scenes of tasks: what a task of rank 0 of two does, in an epoch of a virtual run, and how that
 * ends. */
#ifndef TASK_SCENE_H
#define TASK_SCENE_H
#include <scree/scree_sim.h>
#include <scree/task.h>

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

/* `task`: what tasks do; `before`: what rank 0 does in the epoch; `after`: what all do after it. The epoch ends with
 * `code`; the error of the rank that failed contains `text`. */
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
#define SCENE(name, code, text, task, before, after, ...)                                                              \
  { #name, code, text, task, before, after, __VA_ARGS__ }

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
/* All of them, over some seeds, on two ranks and one or two nodes, with pools of one block and batches of one item.
 * Returns the sends that found no space. */
uint64_t scenes_run(const scene *scenes, size_t count);
#endif
