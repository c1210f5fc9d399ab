/* options.c - the options of scree_graph_load: their table, and how the texts are read that are of no common kind. */
#include <stdio.h>
#include <string.h>

#include <scree/graph.h>

#include "base/option_table.h"
#include "base/option_value.h"

/* ---- texts of the kind FORM ---- */

static bool read_columns(void *fields, const char *text) {
  enum { COLUMN_MAX = 64 };
  uint64_t c[3] = {0};
  const char *p = text;
  bool good = scree__digits(&p, COLUMN_MAX, &c[0]) && *p++ == ',' && scree__digits(&p, COLUMN_MAX, &c[1]);
  if (good && *p) good = *p++ == ',' && scree__digits(&p, COLUMN_MAX, &c[2]) && c[2] && !*p;
  if (!good || !c[0] || !c[1] || c[0] == c[1] || c[2] == c[0] || c[2] == c[1]) return false;
  for (int i = 0; i < 3; i++) ((scree_graph_options *)fields)->columns[i] = (uint32_t)c[i];
  return true;
}

static bool read_separator(void *fields, const char *text) {
  const bool tab = !strcmp(text, "tab"), blanks = !strcmp(text, "blanks");
  if (!tab && !blanks && (!*text || text[1] || !strchr(",;|:/&=!", *text))) return false;
  ((scree_graph_options *)fields)->separator = tab ? '\t' : blanks ? ' ' : *text;
  return true;
}

/* A comment cannot be taken for an edge. */
static bool read_comment(void *fields, const char *text) {
  if (!*text || strchr("0123456789 \t", *text)) return false;
  ((scree_graph_options *)fields)->comment = text;
  return true;
}

/* ---- one of two or three options ---- */

static bool set_direction(scree_graph_options *o, const char *text, scree_graph_direction direction) {
  if (strcmp(text, "on") || (o->direction != SCREE_DIRECTION_UNSET && o->direction != direction)) return false;
  o->direction = direction;
  return true;
}

static bool read_directed(void *fields, const char *text) {
  return set_direction(fields, text, SCREE_DIRECTED);
}

static bool read_undirected(void *fields, const char *text) {
  return set_direction(fields, text, SCREE_UNDIRECTED);
}

static bool set_weights(scree_graph_options *o, const char *text, scree_weights_from weights) {
  if (strcmp(text, "on") || o->weights != SCREE_WEIGHTS_GIVEN) return false;
  o->weights = weights;
  return true;
}

static bool read_unit(void *fields, const char *text) {
  return set_weights(fields, text, SCREE_WEIGHTS_UNIT);
}

static bool read_none(void *fields, const char *text) {
  return set_weights(fields, text, SCREE_WEIGHTS_DROP);
}

static bool read_random(void *fields, const char *text) {
  scree_graph_options *o = fields;
  uint64_t lo = 0, hi = 0, seed = 1;
  const char *p = text;
  const bool floats = !strncmp(p, "float", 5);
  bool good = floats;
  if (floats)
    p += 5;
  else
    good = scree__digits(&p, UINT32_MAX, &lo) && *p++ == '.' && *p++ == '.' && scree__digits(&p, UINT32_MAX, &hi) &&
           lo <= hi;
  if (good && *p) good = *p++ == ',' && scree__digits(&p, UINT64_MAX, &seed) && !*p;
  if (!good || !set_weights(o, "on", floats ? SCREE_WEIGHTS_RANDOM_FLOAT : SCREE_WEIGHTS_RANDOM_INT)) return false;
  o->lo = (uint32_t)lo;
  o->hi = (uint32_t)hi;
  o->seed = seed;
  return true;
}

/* ---- the table ---- */

#define AT(field) .offset = offsetof(scree_graph_options, field), .bytes = sizeof(((scree_graph_options *)0)->field)

static const scree_option rows[] = {
    {SCREE__ROW("format", CHOICE, "auto|dimacs|edges|matrix-market|tuples|image|sg|wsg|metis",
                "format of the graph (default auto)"),
     .max = SCREE_FORMAT_METIS, AT(format)},
    {SCREE__ROW("weights-file", NAME, "FILE", "file with the weights of binary edge tuples, as 4-byte floats"),
     .rare = true, AT(weights_file)},
    {SCREE__ROW("scale", COUNT, "", "binary edge tuples have 2^N vertices (default: up to the largest id)"), .min = 1,
     .max = 40, .rare = true, AT(scale)},
    {SCREE__ROW("directed", FLAG, "one of directed and undirected",
                "read an edge list as arcs; from its first to its second column"),
     .read = read_directed},
    {SCREE__ROW("undirected", FLAG, "one of directed and undirected", "read an edge list as undirected edges"),
     .read = read_undirected},
    {SCREE__ROW("columns", FORM, "S,D[,W]",
                "columns of an edge list that hold source, target and weight, different ones of 1 to 64 (default 1,2)"),
     .rare = true, .read = read_columns},
    {SCREE__ROW("map", NAME, "FILE", "call vertices by their old ids; FILE is what convert --map wrote"), .rare = true,
     AT(map)},
    {SCREE__ROW("base", CHOICE, "0|1",
                "all ids from 0 or 1 up to the largest in a list are vertices (default: those that occur)"),
     .min = SCREE_BASE_0, .max = SCREE_BASE_1, .rare = true, AT(base)},
    {SCREE__ROW("vertices", NAME, "FILE", "additional vertices for an edge list: a file with one id per line"),
     .rare = true, AT(vertices)},
    {SCREE__ROW("skip-lines", COUNT, "", "skip so many lines at the start of an edge list"), .max = INT64_MAX,
     .rare = true, AT(skip_lines)},
    {SCREE__ROW("header", FLAG, "", "skip the first line of an edge list; after those of --skip-lines and comments"),
     .rare = true, AT(header)},
    {SCREE__ROW("first-line", CHOICE, "edge",
                "the first line of an edge list is an edge, even if it looks like counts"),
     .min = 1, .max = 1, .rare = true, AT(first_edge)},
    {SCREE__ROW(
         "separator", FORM, "C",
         "what separates the columns of an edge list: one of , | : / & = ! or a semicolon, or the word tab or blanks "
         "(default: by the line: commas, tabs or blanks)"),
     .rare = true, .read = read_separator},
    {SCREE__ROW("comment", FORM, "TEXT",
                "lines of an edge list that begin so are comments, with neither a digit nor a blank; as are those with "
                "# % ~ and "
                "a lone c"),
     .rare = true, .read = read_comment},
    {SCREE__ROW("dedup", FLAG, "", "of parallel edges keep the one of minimum weight; the number of others is printed"),
     .rare = true, AT(dedup)},
    {SCREE__ROW("drop-self-loops", FLAG, "", "drop edges from a vertex to itself; their number is printed"),
     .rare = true, AT(drop_self_loops)},
    {SCREE__ROW("trust", FLAG, "", "do not verify the checksums of an image"), .rare = true, AT(trust)},
    {SCREE__ROW(
         "random-weights", FORM, "RANGE",
         "random weights LO..HI[,SEED] or float[,SEED]; up to 4294967295, no others; integers, or numbers in [0,1)"),
     .read = read_random},
    {SCREE__ROW("unit-weights", FLAG, "one of random-weights, unit-weights and no-weights, once",
                "give every edge the weight 1"),
     .rare = true, .read = read_unit},
    {SCREE__ROW("no-weights", FLAG, "one of random-weights, unit-weights and no-weights, once", "drop the weights"),
     .rare = true, .read = read_none},
    {SCREE__ROW("distribution", CHOICE, "block|cyclic|hash", "distribution of vertices over ranks (default block)"),
     .max = SCREE_DISTRIBUTION_HASH, .rare = true, AT(distribution)},
    {SCREE__ROW("relabel", CHOICE, "none|degree",
                "numbering of vertices: by ascending ids, or by degree (default none)"),
     .max = SCREE_RELABEL_DEGREE, .rare = true, AT(relabel)},
};

enum { COUNT = sizeof rows / sizeof *rows };

const scree_option *scree_graph_option_at(size_t i) {
  return i < COUNT ? &rows[i] : NULL;
}

int scree_graph_options_set(scree_graph_options *o, const char *name, const char *text, char *why, size_t size) {
  if (!o || !name) {
    snprintf(why, size, "no options, or no name of one: pass what is not NULL");
    return -1;
  }
  const scree_option *row = rows;
  while (row < rows + COUNT && !scree__option_is(row, name, strlen(name))) row++;
  if (row == rows + COUNT) return 1;
  if (!text || !*text) text = row->kind == SCREE_KIND_FLAG ? "on" : "";
  return scree__option_parse(row, o, text, "", why, size);
}
