/* rules.h - the one driver of rules: what is refused, and what a scene shows. A rule is a row: a set-up, what is done
 * there, and how the run of virtual ranks ends. The set-ups are a bare world, tasks, and
 * global memory. */
#ifndef RULES_H
#define RULES_H
#include <scree/global.h>
#include <scree/scree_sim.h>
#include <scree/task.h>

#include "base/options.h"
#include "harness.h"

enum { RULE_HEAP = 65536 };

typedef struct {
  uint64_t n;
} job_args;
SCREE_TASK(job, job_args);
SCREE_DELEGATE(visit, job_args, job_args);
SCREE_MESSAGE(ping, uint64_t);

/* A virtual rank of a rule. The set-up fills in what it opens. */
typedef struct rule rule;
typedef struct {
  const rule *rule;
  uint64_t seed;
  scree_world *world;
  scree_worker *w;
  const scree_global_map *map; /* NULL if it has no global memory */
  job_type job;
  visit_type visit;
  ping_type ping;
  uint64_t ran, handled, order;
  scree_task *task;
  scree_future future;
  scree_scope *scope;
} actor;

/* Each rank runs `play`. `options` sets options of the world, and may be NULL. */
typedef struct {
  void (*play)(actor *a);
  uint32_t ranks;
  uint64_t seeds;
  void (*options)(scree__options *o, uint64_t seed);
} rule_setup;

/* rule_tasks has two ranks, with pools of one block and batches of one item; rank 0 spawns tasks. With global memory a
 * task of the last rank of three plays the rule, in two epochs; half of the worlds of the second set-up are checked. In
 * a bare world each rank runs the rule's function. */
extern const rule_setup rule_tasks, rule_global, rule_global_checked, rule_world;

/* Fields that are 0 or NULL have the value of the set-up. */
struct rule {
  const char *name;
  const rule_setup *setup;
  scree_status code; /* with which the run ends */
  const char *text;  /* which the error contains, on the rank that has failed */
  uint32_t ranks, nodes, threads;
  uint32_t ranks_max;   /* in place of `ranks`: 1 to this number, in turn */
  uint64_t seed, seeds; /* the first one, 1 by default, and their number */
  void (*options)(scree__options *o, uint64_t seed);
  void (*world)(actor *a);        /* what each rank does in a bare world */
  scree_status (*open)(actor *a); /* opens global memory; without a task the code is what it returns */
  void (*task)(scree_task *self, actor *a, uint64_t n);
  void (*other)(scree_task *self, actor *a, uint64_t n);   /* what tasks do whose n is not 0; by default `task` */
  void (*visit)(scree_worker *w, actor *a, uint64_t from); /* what the delegate does */
  void (*before)(actor *a);                                /* by rank 0 in the epoch; by default spawn_one */
  void (*after)(actor *a);                                 /* by all after it; by default has_returned */
  void (*called)(actor *a);                                /* by the handler of ping, and by a poll function */
  uint32_t live;                                           /* the option task_live, 1 by default */
  uint32_t polls; /* a poll function calls `called`; it joins after tasks if this is 1, before them if it is 2 */
  bool second;    /* rank 1 fails, and not rank 0 */
  void (*said)(const char *printed); /* examines what the run has printed */
};

/* RULES is the set-up of the rows of a file. RULE(name, code, text, field...) { body } adds a test, whose body is what
 * a task does. In the other macros it is what is done on another place: by rank 0 in the epoch, by the handler, by the
 * delegate, in place of the usual opening, or by each rank of a bare world. A REFUSED row has a call instead, which
 * returns the code. */
#define RULE__(field, type, name_, parameters, setup_, code_, ...)                                                     \
  static type name_ parameters;                                                                                        \
  __attribute__((constructor)) static void add_##name_(void) {                                                         \
    static const rule self = {.name = #name_, .field = name_, .setup = &setup_, .code = code_, .text = __VA_ARGS__};   \
    harness_add((struct CMUnitTest){#name_, rule_run, NULL, NULL, (void *)(uintptr_t)&self});                          \
  }                                                                                                                    \
  static type name_ parameters
#define RULE__ACTOR            (actor * a)
#define RULE__TASK             (scree_task * self, actor * a, uint64_t n)
#define RULE__VISIT            (scree_worker * w, actor * a, uint64_t from)
#define RULE(name, ...)        RULE__(task, void, name, RULE__TASK, RULES, __VA_ARGS__)
#define RULE_BEFORE(name, ...) RULE__(before, void, name, RULE__ACTOR, RULES, __VA_ARGS__)
#define RULE_CALLED(name, ...) RULE__(called, void, name, RULE__ACTOR, RULES, __VA_ARGS__)
#define RULE_VISIT(name, ...)  RULE__(visit, void, name, RULE__VISIT, RULES, __VA_ARGS__)
#define RULE_OPEN(name, ...)   RULE__(open, scree_status, name, RULE__ACTOR, RULES, __VA_ARGS__)
#define RULE_WORLD(name, ...)  RULE__(world, void, name, RULE__ACTOR, rule_world, __VA_ARGS__)
#define REFUSED(name, call, code, ...)                                                                                 \
  RULE(name, code, __VA_ARGS__) {                                                                                      \
    check_equal(call, code);                                                                                           \
  }
#define REFUSED_VISIT(name, call, code, ...)                                                                           \
  RULE_VISIT(name, code, __VA_ARGS__) {                                                                                \
    check_equal(call, code);                                                                                           \
  }
#define REFUSED_OPEN(name, call, code, ...)                                                                            \
  RULE_OPEN(name, code, __VA_ARGS__) {                                                                                 \
    return call;                                                                                                       \
  }

/* The function of job, whose argument is an actor. */
void rule_run_job(scree_task *self, const job_args *args);
SCREE_TASK_BODY(job, job_args, rule_run_job);

/* Spawn tasks with n 0; 0 and 1. */
void spawn_one(actor *a);
void spawn_two(actor *a);
/* Checks that a task has run on rank 0, at least. */
void has_returned(actor *a);
/* Opens global memory. */
scree_status rule_open(actor *a, uint64_t heap, uint64_t stripe);

/* The test of a rule. */
void rule_run(void **rule);
void rule_run_one(const rule *r);
#endif
