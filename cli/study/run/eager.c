/* eager.c - the eager limit of an MPI, measured by a job of its own. */
#include "study/run/eager.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "study/run/child.h"
#include "study/run/launcher.h"
#include "study/util/fail.h"

static bool read_eager(const study_outcome *outcome, uint64_t *bytes, study_why why) {
  const char *json = outcome->out ? strchr(outcome->out, '{') : NULL;
  cJSON *root = outcome->exit == 0 && json ? cJSON_Parse(json) : NULL;
  const cJSON *number = cJSON_GetObjectItemCaseSensitive(root, "eager_bytes");
  bool good = cJSON_IsNumber(number) && number->valuedouble >= 0;
  if (good) *bytes = (uint64_t)number->valuedouble;
  if (!good)
    study_fail(why, "the eager limit could not be measured: 'scree limits' with 2 ranks ended with code %d%s%.300s",
               outcome->exit, outcome->err && *outcome->err ? ": " : "", outcome->err ? outcome->err : "");
  cJSON_Delete(root);
  return good;
}

int study_eager(const char *mpi, const char *launcher, uint64_t *bytes, char *why, size_t size) {
  static const volatile sig_atomic_t never = 0;
  study_launch launch = {.template = study_is_local(launcher) ? NULL : study_template(launcher), .ranks = 2};
  study_words words = {0}, env = {0};
  study_why reason = {why, size};
  char *nothing[] = {NULL};
  bool good = study_find_program(mpi, &launch.program, reason) && study_add_launcher(&launch, &words, &env, reason);
  if (good) {
    const char *const job[] = {launch.program.path, "limits", "--json", "-"};
    for (size_t i = 0; i < sizeof job / sizeof job[0]; i++) study_words_add(&words, "%s", job[i]);
    good = !words.lost && !env.lost;
    if (!good) study_fail(reason, "no memory for a command line");
  }
  if (good) {
    study_outcome outcome = study_child_run(words.word, env.word ? env.word : nothing, 60, &never, NULL, NULL);
    good = read_eager(&outcome, bytes, reason);
    free(outcome.out);
    free(outcome.err);
  }
  study_words_free(&words);
  study_words_free(&env);
  return good ? 0 : -1;
}
