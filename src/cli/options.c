/* options.c - the table of the command line's own options.
 *
 * Room: one row for each option, and the small functions that read their values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

static bool bad(cli_args *args, const char *name, const char *text, const char *legal) {
  snprintf(args->why, sizeof args->why, "option '--%s': '%s' is not legal; legal: %s", name, text, legal);
  return false;
}

static bool whole(const char *text, uint64_t least, uint64_t most, uint64_t *value) {
  uint64_t n = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9' || n > (most - (uint64_t)(*text - '0')) / 10) return false;
    n = 10 * n + (uint64_t)(*text - '0');
  }
  return n >= least ? *value = n, true : false;
}

static bool set_algorithm(cli_args *args, const char *text) {
  char known[256] = "";
  for (size_t i = 0; args->kernel->algorithm_at(i); i++) {
    const char *name = args->kernel->algorithm_at(i)->name;
    if (strcmp(name, text) == 0) return args->how.algorithm = name, true;
    size_t n = strlen(known);
    snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", name);
  }
  snprintf(args->why, sizeof args->why, "option '--algorithm': '%s' is unknown to %s; known are: %s", text,
           args->kernel->name, known);
  return false;
}

static bool set_delta(cli_args *args, const char *text) {
  char *end;
  args->how.delta = strtod(text, &end);
  bool number = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
  if (number && !*end && args->how.delta > 0 && args->how.delta < INFINITY) return true;
  return bad(args, "delta", text, "a number above 0, in units of the weights, as in 0.1");
}

static bool set_source(cli_args *args, const char *text) {
  args->random = strncmp(text, "random:", 7) == 0;
  if (args->random ? whole(text + 7, 0, UINT64_MAX - (1 << 20), &args->seed)
                   : whole(text, 0, UINT64_MAX - 1, &args->label))
    return true;
  return bad(args, "source", text, "the id of a vertex in the file, or random:SEED with a whole number");
}

static bool set_sources(cli_args *args, const char *text) {
  if (whole(text, 1, 100000, &args->sources)) return true;
  return bad(args, "sources", text, "a whole number from 1 to 100000");
}

static bool set_repeat(cli_args *args, const char *text) {
  if (whole(text, 1, 100000, &args->repeat)) return true;
  return bad(args, "repeat", text, "a whole number from 1 to 100000");
}

static bool set_warmup(cli_args *args, const char *text) {
  if (whole(text, 0, 100000, &args->warmup)) return true;
  return bad(args, "warmup", text, "a whole number from 0 to 100000");
}

static bool set_validate(cli_args *args, const char *text) {
  (void)text;
  return args->validate = true;
}

static bool set_output(cli_args *args, const char *text) {
  args->output = text;
  return *text ? true : bad(args, "output", text, "the name of a file");
}

static bool set_json(cli_args *args, const char *text) {
  args->json = text;
  return *text ? true : bad(args, "json", text, "the name of a file, or - for standard output");
}

static const cli_option table[] = {
    {"algorithm", "NAME", "how to solve it; the names are above, the first is the default", NULL, set_algorithm},
    {"source", "V", "where to start: an id of the file, or random:SEED for one with an arc (default random:1)", NULL,
     set_source},
    {"sources", "N", "start from N vertices in turn, drawn by SEED, SEED + 1, ... (default 1)", NULL, set_sources},
    {"delta", "D", "width of a bucket of delta-stepping (default: largest weight over mean degree)", &kernel_sssp,
     set_delta},
    {"validate", NULL, "check each answer by the rules of the Graph500 specification", NULL, set_validate},
    {"repeat", "N", "run each source N times (default 1)", NULL, set_repeat},
    {"warmup", "N", "run the first source N times before, without a clock (default 0)", NULL, set_warmup},
    {"output", "FILE", "write the answer, a line for each vertex in the order of its id", NULL, set_output},
    {"json", "FILE", "write configuration, graph, times, rates and counters; - is standard output", NULL, set_json},
    {"format", "F", "format of the file: auto, dimacs, edges (default auto)", NULL, NULL},
    {"directed", NULL, "read an edge list as arcs from its first to its second column", NULL, NULL},
    {"undirected", NULL, "read an edge list as edges that lead both ways", NULL, NULL},
    {"columns", "S,D[,W]", "columns of an edge list that hold source, target and weight, from 1 (default 1,2)", NULL,
     NULL},
    {"random-weights", "RANGE", "draw weights: LO..HI whole numbers, or float for [0,1); ,SEED may follow", NULL, NULL},
    {"unit-weights", NULL, "give every edge the weight 1", NULL, NULL},
    {"distribution", "KIND", "which rank owns a vertex: block, cyclic, hash (default block)", NULL, NULL},
};

const cli_option *cli_option_at(size_t i) {
  return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}
