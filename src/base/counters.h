/* counters.h - counters as rows of tables: the sums over workers and ranks, tables, JSON objects and records come from
 * the rows. A counter is a uint64_t of a struct. */
#ifndef SCREE__COUNTERS_H
#define SCREE__COUNTERS_H
#include <scree/epoch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How the counters of several workers of a rank, and of several ranks, become one. */
typedef enum {
  SCREE__COUNTER_SUM,   /* the sum */
  SCREE__COUNTER_RANKS, /* the sum of the workers of a rank, of which the maximum over the ranks */
  SCREE__COUNTER_MAX    /* the maximum */
} scree__counter_of;

typedef struct {
  const char *name; /* in C and JSON; NULL ends a table */
  const char *text; /* before the value in a printed line, with the unit */
  uint16_t at;      /* its offset in the struct */
  uint8_t of;       /* scree__counter_of */
} scree__counter;

#define SCREE__COUNTER_AS(NAME, STRUCT, FIELD, OF, TEXT)                                                               \
  { NAME, TEXT, offsetof(STRUCT, FIELD), SCREE__COUNTER_##OF }
#define SCREE__COUNTER(STRUCT, FIELD, OF, TEXT) SCREE__COUNTER_AS(#FIELD, STRUCT, FIELD, OF, TEXT)

static inline uint64_t *scree__counter_in(const scree__counter *row, void *counts) {
  return (uint64_t *)(void *)((char *)counts + row->at);
}
static inline uint64_t scree__counter_value(const scree__counter *row, const void *counts) {
  return *(const uint64_t *)(const void *)((const char *)counts + row->at);
}

/* Adds the counters `from` of another worker of the rank to the counters `to`. Local; any thread. */
static inline void scree__counters_add(const scree__counter *rows, void *to, const void *from) {
  for (const scree__counter *row = rows; row->name; row++) {
    uint64_t *sum = scree__counter_in(row, to), more = scree__counter_value(row, from);
    if (row->of != SCREE__COUNTER_MAX)
      *sum += more;
    else if (more > *sum)
      *sum = more;
  }
}

/* Prints members of a JSON object, each after a comma, or a part of a line: the text and value of the first counter and
 * of each that is not 0, separated by commas. Local; any thread. */
static inline void scree__counters_print(const scree__counter *rows, const void *counts, FILE *to, bool json) {
  for (const scree__counter *row = rows; row->name; row++) {
    const unsigned long long n = scree__counter_value(row, counts);
    if (json)
      fprintf(to, ",\"%s\":%llu", row->name, n);
    else if (n || row == rows)
      fprintf(to, "%s%s %llu", row == rows ? "" : ", ", row->text, n);
  }
}

/* Combines the counters of all ranks, and gives every rank the results. `reduce` reduces over the ranks of `over`. A
 * sum may have addends below 0. Collective. */
static inline scree_status scree__counters_reduce(const scree__counter *rows, void *counts,
                                                  scree_status (*reduce)(void *over, scree_reduce *all), void *over) {
  scree_status status = SCREE_OK;
  while (rows->name && status == SCREE_OK) {
    scree_reduce all = SCREE_REDUCE_INIT;
    const scree__counter *const first = rows;
    for (int i = 0; i < SCREE_REDUCE_VALUES && rows->name; i++, rows++) {
      all.value[i].op = rows->of == SCREE__COUNTER_SUM ? SCREE_SUM : SCREE_MAX;
      all.value[i].of.integer = (int64_t)scree__counter_value(rows, counts);
    }
    status = reduce(over, &all);
    for (int i = 0; first + i < rows && status == SCREE_OK; i++)
      *scree__counter_in(first + i, counts) = (uint64_t)all.value[i].of.integer;
  }
  return status;
}

/* The tables of the public structs. */
extern const scree__counter scree__stats_counters[], scree__lane_counters[], scree__reduced_counters[],
    scree__lock_counters[], scree__tasks_counters[], scree__global_counters[], scree__work_counters[];

#endif
