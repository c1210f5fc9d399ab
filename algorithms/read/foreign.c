/* foreign.c - files of other kinds, by their first bytes, and graphs of other formats, by name or first line. */
#include "read/foreign.h"
#include "io/ending.h"

#include <string.h>
#include <strings.h>

#include "read/reader.h"

/* Text in two bytes for each character. Numbers and their separators have a zero in one of the two. */
static const char *wide_text(const char *head) {
  const bool marked = !memcmp(head, "\xff\xfe", 2) || !memcmp(head, "\xfe\xff", 2);
  const bool zeros = (head[0] && !head[1] && head[2] && !head[3]) || (!head[0] && head[1] && !head[2] && head[3]);
  return marked || zeros ? "UTF-16, expected ASCII or UTF-8: convert it by 'iconv -f UTF-16 -t UTF-8 FILE'" : NULL;
}

const char *scree__foreign_content(const char *head) {
  static const struct {
    const char *start, *what;
  } known[] = {
      {"version https://git-lfs", "a Git LFS pointer, expected the graph itself: fetch it with 'git lfs pull'"},
      {"\xfd"
       "7zXZ",
       "a file that xz packed, expected one of gzip or zstd, or plain: 'xz -dc FILE' unpacks it, also into a pipe to "
       "'scree SUBCOMMAND -'"},
      {"BZh",
       "a file that bzip2 packed, expected one of gzip or zstd, or plain: 'bzip2 -dc FILE' unpacks it, also into a "
       "pipe to 'scree SUBCOMMAND -'"},
      {"PK\3\4",
       "a zip archive, expected a file packed by gzip or zstd, or plain: 'unzip -p FILE' unpacks it, also into a pipe "
       "to 'scree SUBCOMMAND -'"},
      {"7z\xbc\xaf", "a 7z archive, expected a file packed by gzip or zstd, or plain: '7z x FILE' unpacks it"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(head, known[i].start, strlen(known[i].start))) return known[i].what;
  return wide_text(head);
}

/* ---- graphs of other formats ---- */

#define BY_NETWORKX(format, reader)                                                                                    \
  format ", expected an edge list: make one by python3 -c 'import networkx as n; n.write_edgelist("                    \
         "n.convert_node_labels_to_integers(n." reader "), \"FILE.txt\", data=False)', without weights "               \
         "and isolated vertices, or say --format edges if it is one"
#define BY_PROBLEM(problem)                                                                                            \
  "a DIMACS graph for " problem ", expected one for shortest paths ('p sp') or a file of another format"
#define COLOURING                                                                                                      \
  BY_PROBLEM("colouring")                                                                                              \
  ": awk '$1==\"p\"{print \"%%MatrixMarket matrix coordinate pattern symmetric\"; print $3,$3,$4} "                    \
  "$1==\"e\"{print ($2+0>$3+0?$2\" \"$3:$3\" \"$2)}' FILE >FILE.mtx makes one"

/* By the ending of the name. */
static const struct {
  const char *ending, *what;
} graphs[] = {
    {".adj",
     "an adjacency list by its name, expected an edge list: make one of it by the line of awk in docs/graphs.md, "
     "section 2, or say --format edges if it is one"},
    {".adjlist",
     "an adjacency list by its name, expected an edge list: make one of it by the line of awk in docs/graphs.md, "
     "section 2, or say --format edges if it is one"},
    {".lgl", "a graph for LGL by its name, expected an edge list: say --format edges if it is one"},
    {".gml", BY_NETWORKX("a GML graph", "read_gml(\"FILE\", label=\"id\")")},
    {".net", BY_NETWORKX("a Pajek graph", "read_pajek(\"FILE\")")},
    {".dot", BY_NETWORKX("a DOT graph", "nx_pydot.read_dot(\"FILE\")")},
    {".gv", BY_NETWORKX("a DOT graph", "nx_pydot.read_dot(\"FILE\")")},
    {".graphml", BY_NETWORKX("a GraphML graph", "read_graphml(\"FILE\")")},
    {".gexf", BY_NETWORKX("a GEXF graph", "read_gexf(\"FILE\")")}};
enum { GML = 3, PAJEK, DOT };

/* By the start of the first line. */
static const struct {
  const char *start, *what;
} starts[] = {{"<", "markup, expected a graph: --format lists what is read"},
              {"p edge ", COLOURING},
              {"p col ", COLOURING},
              {"p max ", BY_PROBLEM("flows")},
              {"p min ", BY_PROBLEM("flows")},
              {"p asn ", BY_PROBLEM("assignments")}};

static bool begins(const char *line, const char *word) {
  return !strncasecmp(line, word, strlen(word));
}

const char *scree__foreign_format(const char *name, const char *line) {
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
    if (scree__has_ending(name, graphs[i].ending)) return graphs[i].what;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (begins(line, starts[i].start)) return starts[i].what;
  if (begins(line, "*vertices") || begins(line, "*network")) return graphs[PAJEK].what;
  if (begins(line, "strict ")) line += strlen("strict ");
  const bool graph = begins(line, "graph") || begins(line, "digraph");
  if (graph && strchr(line, '{')) return graphs[DOT].what;
  return begins(line, "creator ") || (graph && (strchr(line, '[') || !line[strlen("graph")])) ? graphs[GML].what : NULL;
}
