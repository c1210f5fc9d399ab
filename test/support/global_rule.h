/* global_rule.h - what global memory refuses and notices: one row each, of which the last rank's task executes the row,
 * played on virtual ranks. */
#ifndef GLOBAL_RULE_H
#define GLOBAL_RULE_H
#include <scree/global.h>

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
  const char *name;
  scree_status code;
  const char *text;
  void (*task)(scree_task *self, actor *a);
  uint32_t ranks, nodes;          /* 0: three; one or two */
  scree_status (*open)(actor *a); /* NULL: opens global memory as usual */
  void (*other)(scree_task *self, actor *a, uint64_t n);
  void (*visit)(scree_worker *w, actor *a, uint64_t n); /* in the delegate */
};

scree_status rule_open(actor *a, uint64_t heap, uint64_t stripe);
/* All of them, by so many seeds each; checked: in half of the runs worlds are. */
void rules_run(const rule *rules, size_t count, uint64_t seeds, bool checked);
#endif
