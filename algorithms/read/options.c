/* options.c - the options of scree_graph_load, from the texts of a command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scree/graph.h>

enum { COLUMN_MAX = 64, SCALE_MAX = 40 };

static int refuse(char *why, size_t size, const char *name, const char *text, const char *expected) {
  snprintf(why, size, "--%s: found '%s', expected %s", name, text, expected);
  return -1;
}

/* Index of text among words separated by '|', or -1. */
static int choice(const char *text, const char *words) {
  size_t n = strlen(text);
  for (int i = 0;; i++) {
    size_t m = strcspn(words, "|");
    if (m == n && !memcmp(words, text, n)) return i;
    if (!words[m]) return -1;
    words += m + 1;
  }
}

/* Digits at *p, of at most `max` as a number; *p moves past them. */
static bool number(const char **p, uint64_t max, uint64_t *value) {
  const char *at = *p;
  uint64_t v = 0;
  for (; *at >= '0' && *at <= '9'; at++) {
    uint64_t digit = (uint64_t)(*at - '0');
    if (digit > max || v > (max - digit) / 10) return false;
    v = v * 10 + digit;
  }
  if (at == *p) return false;
  *p = at;
  *value = v;
  return true;
}

static int set_columns(scree_graph_options *o, const char *text, char *why, size_t size) {
  uint64_t c[3] = {0};
  const char *p = text;
  bool good = number(&p, COLUMN_MAX, &c[0]) && *p++ == ',' && number(&p, COLUMN_MAX, &c[1]);
  if (good && *p) good = *p++ == ',' && number(&p, COLUMN_MAX, &c[2]) && c[2] && !*p;
  if (!good || !c[0] || !c[1] || c[0] == c[1] || c[2] == c[0] || c[2] == c[1])
    return refuse(why, size, "columns", text, "S,D or S,D,W: different columns of 1 .. 64");
  for (int i = 0; i < 3; i++) o->columns[i] = (uint32_t)c[i];
  return 0;
}

static int set_separator(scree_graph_options *o, const char *text, char *why, size_t size) {
  const bool tab = !strcmp(text, "tab"), blanks = !strcmp(text, "blanks");
  if (!tab && !blanks && (!*text || text[1] || !strchr(",;|:/&=!", *text)))
    return refuse(why, size, "separator", text, "one of , ; | : / & = ! or tab or blanks");
  o->separator = tab ? '\t' : blanks ? ' ' : *text;
  return 0;
}

/* A comment cannot be taken for an edge. */
static int set_comment(scree_graph_options *o, const char *text, char *why, size_t size) {
  if (!*text || strchr("0123456789 \t", *text))
    return refuse(why, size, "comment", text, "how a comment begins, with neither a digit nor a blank");
  o->comment = text;
  return 0;
}

static int set_skip(scree_graph_options *o, const char *text, char *why, size_t size) {
  const char *p = text;
  uint64_t lines;
  if (!number(&p, INT64_MAX, &lines) || *p) return refuse(why, size, "skip-lines", text, "a number of lines");
  o->skip_lines = lines;
  return 0;
}

static int set_first_line(scree_graph_options *o, const char *text, char *why, size_t size) {
  if (strcmp(text, "edge")) return refuse(why, size, "first-line", text, "edge; --header and --skip-lines 1 skip it");
  o->first_edge = true;
  return 0;
}

static int set_random(scree_graph_options *o, const char *text, char *why, size_t size) {
  uint64_t lo = 0, hi = 0, seed = 1;
  const char *p = text;
  bool floats = !strncmp(p, "float", 5), good = true;
  if (floats)
    p += 5;
  else
    good = number(&p, UINT32_MAX, &lo) && *p++ == '.' && *p++ == '.' && number(&p, UINT32_MAX, &hi) && lo <= hi;
  if (good && *p) good = *p++ == ',' && number(&p, UINT64_MAX, &seed) && !*p;
  if (!good)
    return refuse(why, size, "random-weights", text, "LO..HI[,SEED] with 0 <= LO <= HI <= 4294967295, or float[,SEED]");
  o->weights = floats ? SCREE_WEIGHTS_RANDOM_FLOAT : SCREE_WEIGHTS_RANDOM_INT;
  o->lo = (uint32_t)lo;
  o->hi = (uint32_t)hi;
  o->seed = seed;
  return 0;
}

static int set_weights(scree_graph_options *o, const char *name, const char *text, char *why, size_t size) {
  if (o->weights != SCREE_WEIGHTS_GIVEN)
    return refuse(why, size, name, text, "one of --random-weights, --unit-weights and --no-weights, once");
  if (!strcmp(name, "random-weights")) return set_random(o, text, why, size);
  o->weights = strcmp(name, "no-weights") ? SCREE_WEIGHTS_UNIT : SCREE_WEIGHTS_DROP;
  return 0;
}

static int set_direction(scree_graph_options *o, const char *name, char *why, size_t size) {
  scree_graph_direction d = strcmp(name, "directed") ? SCREE_UNDIRECTED : SCREE_DIRECTED;
  if (o->direction != SCREE_DIRECTION_UNSET && o->direction != d)
    return refuse(why, size, name, "", "one of --directed and --undirected");
  o->direction = d;
  return 0;
}

int scree_graph_options_set(scree_graph_options *o, const char *name, const char *text, char *why, size_t size) {
  if (!o || !name) {
    snprintf(why, size, "no options, or no name of one: pass what is not NULL");
    return -1;
  }
  static const char formats[] = "auto|dimacs|edges|matrix-market|tuples|image|sg|wsg|metis", bases[] = "0|1",
                    distributions[] = "block|cyclic|hash", relabels[] = "none|degree";
  if (!text) text = "";
  if (!strcmp(name, "columns")) return set_columns(o, text, why, size);
  if (!strcmp(name, "directed") || !strcmp(name, "undirected")) return set_direction(o, name, why, size);
  if (!strcmp(name, "random-weights") || !strcmp(name, "unit-weights") || !strcmp(name, "no-weights"))
    return set_weights(o, name, text, why, size);
  if (!strcmp(name, "skip-lines")) return set_skip(o, text, why, size);
  if (!strcmp(name, "first-line")) return set_first_line(o, text, why, size);
  if (!strcmp(name, "separator")) return set_separator(o, text, why, size);
  if (!strcmp(name, "comment")) return set_comment(o, text, why, size);
  if (!strcmp(name, "header")) return o->header = true, 0;
  if (!strcmp(name, "dedup")) return o->dedup = true, 0;
  if (!strcmp(name, "drop-self-loops")) return o->drop_self_loops = true, 0;
  if (!strcmp(name, "trust")) return o->trust = true, 0;
  int i;
  if (!strcmp(name, "format")) {
    if ((i = choice(text, formats)) < 0) return refuse(why, size, name, text, formats);
    o->format = (scree_graph_format)i;
    return 0;
  }
  if (!strcmp(name, "distribution")) {
    if ((i = choice(text, distributions)) < 0) return refuse(why, size, name, text, distributions);
    o->distribution = (scree_distribution_kind)i;
    return 0;
  }
  if (!strcmp(name, "base")) {
    if ((i = choice(text, bases)) < 0) return refuse(why, size, name, text, bases);
    o->base = (scree_graph_base)(i + 1);
    return 0;
  }
  if (!strcmp(name, "scale")) {
    const char *p = text;
    uint64_t scale = 0;
    if (!number(&p, SCALE_MAX, &scale) || *p || !scale) return refuse(why, size, name, text, "1 .. 40");
    o->scale = (uint32_t)scale;
    return 0;
  }
  if (!strcmp(name, "weights-file")) {
    if (!*text) return refuse(why, size, name, text, "the name of a file");
    o->weights_file = text;
    return 0;
  }
  if (!strcmp(name, "vertices")) {
    if (!*text) return refuse(why, size, name, text, "the name of a file");
    o->vertices = text;
    return 0;
  }
  if (!strcmp(name, "map")) {
    if (!*text) return refuse(why, size, name, text, "the name of a file");
    o->map = text;
    return 0;
  }
  if (!strcmp(name, "relabel")) {
    if ((i = choice(text, relabels)) < 0) return refuse(why, size, name, text, relabels);
    o->relabel = (scree_relabel)i;
    return 0;
  }
  return 1;
}
