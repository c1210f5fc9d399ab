/* write.c - a graph into a file: the writer is chosen by the caller's option or by the file's name. */
#include "write/writer.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "graph/consensus.h"
#include "io/ending.h"

/* In the order of scree_graph_format, without AUTO. */
static const scree__writer *const writers[] = {
    &scree__writer_dimacs, &scree__writer_edges, &scree__writer_matrix_market, &scree__writer_tuples,
    &scree__writer_image,  &scree__writer_sg,    &scree__writer_wsg,           &scree__writer_metis};
enum { WRITERS = sizeof writers / sizeof *writers };

static const scree__writer *by_name(const char *path) {
  if (!path) return NULL;
  size_t n = strlen(path);
  if (scree__ends_with(path, n, ".gz")) n -= 3;
  if (scree__ends_with(path, n, ".zst")) n -= 4; /* refused later, by its name */
  for (size_t i = 0; i < WRITERS; i++)
    if (scree__ends_with(path, n, writers[i]->ending) ||
        (writers[i]->other_ending && scree__ends_with(path, n, writers[i]->other_ending)))
      return writers[i];
  return NULL;
}

static scree_status choose(const scree_graph *g, const char *path, const scree_write_options *o,
                           const scree__writer **writer) {
  const scree__writer *w = o->format ? writers[o->format - 1] : by_name(path);
  if (!w)
    return scree__why(g->graphs, SCREE_EINVAL,
                      "%s: its name tells no format; expected --format, or one of the endings .gr .txt .mtx "
                      ".tuples .scree .sg .wsg .graph .metis, with .gz after those of text",
                      path);
  size_t n = strlen(path);
  if (scree__ends_with(path, n, ".zst") || (!w->text && scree__ends_with(path, n, ".gz")))
    return scree__why(g->graphs, SCREE_EINVAL, "%s: %s; expected %s", path,
                      w->text ? "found an ending .zst, which is read but not written"
                              : "a binary file is written plain",
                      w->text ? ".gz, or none and then zstd(1)" : "a name without .gz or .zst");
  const char *against = w->against ? w->against(g) : NULL;
  if (against) return scree__why(g->graphs, SCREE_EINVAL, "%s: the format %s %s", path, w->name, against);
  if (o->weights_file && w != &scree__writer_tuples)
    return scree__why(g->graphs, SCREE_EINVAL, "%s: found --weights-file, which is for the format tuples, not %s", path,
                      w->name);
  *writer = w;
  return SCREE_OK;
}

scree_graph_format scree_graph_written_format(const char *path, const scree_write_options *o) {
  if (o && o->format) return o->format;
  const scree__writer *w = by_name(path);
  for (size_t i = 0; i < WRITERS; i++)
    if (w == writers[i]) return (scree_graph_format)(i + 1);
  return SCREE_FORMAT_AUTO;
}

uint64_t scree_graph_written_base(const char *path, const scree_write_options *o) {
  const scree__writer *w = o && o->format ? writers[o->format - 1] : by_name(path);
  return w ? w->base : UINT64_MAX;
}

scree_status scree_graph_write(const scree_graph *g, const char *path, const scree_write_options *options) {
  if (!g || !path) return scree__missing(g, __func__, "path");
  static const scree_write_options defaults;
  if (!options) options = &defaults;
  const scree__writer *w = NULL;
  locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(numbers);
  g->graphs->text[0] = 0;
  scree_status status = scree__consensus(g->graphs, choose(g, path, options, &w));
  if (!status) status = w->text ? scree__text_format_write(g, w->text, path) : w->write(g, path, options);
  uselocale(before);
  if (numbers) freelocale(numbers);
  return status;
}
