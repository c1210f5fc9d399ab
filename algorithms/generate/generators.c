/* generators.c - the table of generators, and generators by their text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/generate.h"
#include "generate/generator.h"

static const scree__generator *const generators[] = {&scree__generator_kron, &scree__generator_uniform,
                                                     &scree__generator_grid, &scree__generator_path,
                                                     &scree__generator_star, &scree__generator_complete};
enum { COUNT = sizeof generators / sizeof *generators };

scree_generator scree_generator_at(size_t i) {
  return i < COUNT ? generators[i]->text : (scree_generator){NULL, NULL, NULL};
}

static const scree__generator *generator_of(const char *text) {
  size_t n = strcspn(text, ":");
  for (size_t i = 0; text[n] && i < COUNT; i++)
    if (strlen(generators[i]->text.name) == n && !memcmp(generators[i]->text.name, text, n)) return generators[i];
  return NULL;
}

bool scree_generator_is_named(const char *text) {
  if (!text) return false;
  return generator_of(text) != NULL;
}

scree_status scree__generated_init(scree_generated *generated, const char *text, char *why, size_t size) {
  char legal[160];
  const scree__generator *g = generator_of(text);
  if (!g) {
    snprintf(why, size, "%s: names no generator", text);
    return SCREE_EINVAL;
  }
  *generated = (scree_generated){.generator = g, .seed = 1};
  if (g->parse(text + strlen(g->text.name) + 1, generated, legal, sizeof legal)) return SCREE_OK;
  snprintf(why, size, "%s: expected %s:%s with %s", text, g->text.name, g->text.numbers, legal);
  return SCREE_EINVAL;
}

scree_status scree_generated_parse(const char *text, char *why, size_t size, scree_generated **out) {
  if (!text || !out) {
    snprintf(why, size, "no text, or no place for the generator: pass what is not NULL");
    return SCREE_EINVAL;
  }
  scree_generated *generated = malloc(sizeof *generated);
  if (!generated) {
    snprintf(why, size, "%s: no memory for a generator; free memory on this host", text);
    return SCREE_ENOMEM;
  }
  scree_status status = scree__generated_init(generated, text, why, size);
  if (status) {
    free(generated);
    return status;
  }
  *out = generated;
  return SCREE_OK;
}

void scree_generated_free(scree_generated *generated) {
  free(generated);
}

uint64_t scree_generated_vertices(const scree_generated *generated) {
  if (!generated) return 0;
  return generated->n;
}

uint64_t scree_generated_edges(const scree_generated *generated) {
  if (!generated) return 0;
  return generated->edges;
}

void scree_generated_make(const scree_generated *generated, uint64_t first, uint64_t count, scree_edge *edges) {
  if (!generated || !edges) return;
  for (uint64_t i = 0; i < count; i++) generated->generator->edge(generated, first + i, &edges[i]);
}
