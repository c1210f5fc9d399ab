/* configure.c - a candidate as a configuration and as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/tune/tune.h"

static char *join(const study_setting *settings, size_t count) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  for (size_t i = 0; i < count; i++) fprintf(to, "%s%s=%s", i ? " " : "", settings[i].name, settings[i].value);
  return fclose(to) ? free(text), NULL : text;
}

char *tune_settings(const tune_candidate *candidate) {
  return candidate->count ? join(candidate->settings, candidate->count) : strdup("default");
}

/* A configuration and the text of its amount. */
typedef struct {
  study_configuration configuration; /* first, since callers hold a pointer to it */
  char amount[24];
} own_configuration;

/* True if the candidate sets a name that is fixed only for the default, such as ranks. */
static bool sets(const tune_candidate *candidate, const char *name) {
  for (size_t i = 0; i < candidate->count; i++)
    if (strcmp(candidate->settings[i].name, name) == 0) return true;
  return false;
}

study_configuration *tune_configure(const tune_space *space, const tune_candidate *candidate, uint64_t amount) {
  own_configuration *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  study_configuration *c = &own->configuration;
  c->settings = calloc(space->fixed_count + candidate->count + 1, sizeof *c->settings);
  for (size_t i = 0; c->settings && i < space->fixed_count; i++)
    if (!sets(candidate, space->fixed[i].name)) c->settings[c->count++] = space->fixed[i];
  for (size_t i = 0; c->settings && i < candidate->count; i++) c->settings[c->count++] = candidate->settings[i];
  snprintf(own->amount, sizeof own->amount, "%" PRIu64, amount);
  if (c->settings) c->settings[c->count++] = (study_setting){space->resource, own->amount};
  c->key = c->settings ? join(c->settings, c->count) : NULL;
  if (!c->key) return tune_configuration_free(c), NULL;
  return c;
}

void tune_configuration_free(study_configuration *c) {
  if (!c) return;
  free((char *)c->key);
  free(c->settings);
  free(c);
}
