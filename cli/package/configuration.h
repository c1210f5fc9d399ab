/* configuration.h - one configuration of a study: the words of its job, and what is wrong with them. */
#ifndef PACKAGE_CONFIGURATION_H
#define PACKAGE_CONFIGURATION_H
#include <cjson/cJSON.h>

#include "args/benchmarks.h"

enum { PACKAGE_WORDS = 256 };

typedef struct {
  const cJSON *axes;   /* an object of texts */
  const cJSON *writes; /* the files that the study writes: an object of texts, by options; or NULL */
  uint64_t ranks;      /* that the job starts itself; 0: a launcher does */
  bool elsewhere;      /* it may run on other machines */
  const char *name;    /* of the kernel or benchmark */
  const cli_subcommand *kernel;
  const cli_benchmark *benchmark; /* of scree bench, or NULL */
  char *words[PACKAGE_WORDS + 1]; /* without the name of the program */
  size_t count;
  unsigned threads; /* that are busy in each rank */
  char why[1024];   /* why it is not legal, or why its job would be refused; "" */
} package_configuration;

/* Makes the words. False: c->why says what is not legal. */
bool package_read(package_configuration *c);
void package_free(package_configuration *c);

/* Has the axis its default, which the environment may say? */
bool package_is_default(const cli_subcommand *kernel, const char *axis, const char *value);

#endif
