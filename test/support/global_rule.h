/* global_rule.h - what global memory refuses and notices: one rule each, which a task of the last virtual rank
 * executes. */
#ifndef GLOBAL_RULE_H
#define GLOBAL_RULE_H
#include <scree/global.h>

#include "harness.h"

enum { RULE_HEAP = 65536 };

typedef struct {
  uint64_t n; /* 0: the rule's task; else one that it has spawned, or what it was given */
} rule_args;
SCREE_TASK(job, rule_args);
SCREE_DELEGATE(visit, rule_args, rule_args);

typedef struct rule rule;
typedef struct {
  const rule *rule;
  scree_world *world;
  const scree_global_map *map; /* NULL: it has no global memory */
  job_type job;
  visit_type visit;
} actor;

/* With a task, the world ends with `code`; else `code` is what `open` returns. `text`: what the error then contains. */
struct rule {
  scree_status code;
  const char *text;
  void (*task)(scree_task *self, actor *a);
  uint32_t ranks, nodes;          /* 0: three; one or two */
  scree_status (*open)(actor *a); /* NULL: opens global memory as usual */
  void (*other)(scree_task *self, actor *a, uint64_t n);
  void (*visit)(scree_worker *w, actor *a, uint64_t from); /* in the delegate */
};

/* RULE(name, code, text, field...) { body } adds a test: the body is what the task does. RULE_VISIT: what the delegate
 * does; RULE_OPEN: what each rank does in place of the usual opening, with the status. A REFUSED row has a call
 * instead, which returns the code. */
#define RULE__(field, type, name_, parameters, code_, ...)                                                             \
  static type name_ parameters;                                                                                        \
  __attribute__((constructor)) static void add_##name_(void) {                                                         \
    static const rule self = {.field = name_, .code = code_, .text = __VA_ARGS__};                                     \
    harness_add((struct CMUnitTest){#name_, rule_run, NULL, NULL, (void *)(uintptr_t)&self});                          \
  }                                                                                                                    \
  static type name_ parameters
#define RULE(name, code, ...) RULE__(task, void, name, (scree_task * self, actor * a), code, __VA_ARGS__)
#define RULE_VISIT(name, code, ...)                                                                                    \
  RULE__(visit, void, name, (scree_worker * w, actor * a, uint64_t from), code, __VA_ARGS__)
#define RULE_OPEN(name, code, ...) RULE__(open, scree_status, name, (actor * a), code, __VA_ARGS__)
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

void rule_run(void **rule);
scree_status rule_open(actor *a, uint64_t heap, uint64_t stripe);
/* Runs each rule with `seeds` seeds; checked: half of these worlds are checked. */
int rules_main(int argc, char **argv, uint64_t seeds, bool checked);
#endif
