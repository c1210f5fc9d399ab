/* prepare.c - prepares a sweep: its plan, its constants, its result file and the results that the file already has.
 *
 * Every error that can be detected before the first run is detected here. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "io/input_file.h"
#include "package/allocation.h"
#include "package/machine.h"
#include "study/run/eager.h"
#include "study/run/launch.h"
#include "study/sweep/sweep.h"
#include "study/util/fail.h"
#include "study/util/names.h"
#include "study/util/printable.h"

/* ---- text ---- */

static bool fail_unknown(const char *name, char *why, size_t size) {
  enum { MOST = 64 };
  const char *names[MOST];
  char known[512] = "";
  size_t count = 0;
  for (size_t n = 0; count < MOST && study_preset_at(count).name; count++) {
    names[count] = study_preset_at(count).name;
    if (n < sizeof known) n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", count ? ", " : "", names[count]);
  }
  const char *near = scree__nearest(name, names, count);
  return study_fail((study_why){why, size}, "'%s' is neither a sweep file nor a preset; %s%s%spresets: %s", name,
                    near ? "the nearest preset is '" : "", near ? near : "", near ? "'; " : "", known);
}

static bool read_file(const char *name, char **text, char *why, size_t size) {
  const char *reason;
  FILE *file = scree__input_open_text(name, &reason);
  size_t capacity = 0;
  if (!file) return study_fail((study_why){why, size}, "sweep file '%s': %s", name, reason);
  errno = 0;
  ssize_t n = getdelim(text, &capacity, 0, file);
  bool whole = feof(file) && !ferror(file);
  fclose(file);
  if (n < 0 && whole) {
    free(*text);
    *text = strdup("");
  }
  if (whole && *text) return true;
  return study_fail((study_why){why, size}, "sweep file '%s': %s", name,
                    errno ? strerror(errno) : "it contains zero bytes, so it is not text");
}

/* The operand names a file if that exists, else a preset. */
static bool find_text(study_sweep_state *s, char *why, size_t size) {
  const char *name = s->request->operand_count ? s->request->operands[0] : NULL;
  struct stat st;
  if (s->request->operand_count > 1)
    return study_fail((study_why){why, size}, "a sweep takes one plan: '%s' follows '%s'", s->request->operands[1],
                      name);
  if (!name && s->request->axis_count == 0)
    return study_fail(
        (study_why){why, size},
        "no plan given: use scree sweep FILE, PRESET or --NAME VALUES; 'scree sweep --help' explains them");
  if (!name) return true;
  if (stat(name, &st) == 0 && !S_ISDIR(st.st_mode)) return read_file(name, &s->text, why, size);
  for (size_t i = 0; study_preset_at(i).name; i++)
    if (strcmp(study_preset_at(i).name, name) == 0) s->text = strdup(study_preset_at(i).text);
  return s->text || fail_unknown(name, why, size);
}

/* ---- results ---- */

/* The base name of the file or preset, with the suffix .jsonl. */
static bool name_results(study_sweep_state *s, char *why, size_t size) {
  const char *name = s->request->operand_count ? s->request->operands[0] : "sweep";
  const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
  const char *dot = strrchr(base, '.');
  int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  if (s->request->results)
    s->results_name = strdup(s->request->results);
  else if (asprintf(&s->results_name, "%.*s.jsonl", n, base) < 0)
    s->results_name = NULL;
  else
    study_make_printable(s->results_name, false);
  return s->results_name || study_fail((study_why){why, size}, "no memory for a name");
}

static bool read_results(study_sweep_state *s, char *why, size_t size) {
  const study_request *r = s->request;
  if (access(s->results_name, F_OK) && errno == ENOENT) return true;
  if (!r->resume && !r->dry_run)
    return study_fail((study_why){why, size},
                      "results '%s': the file exists; --resume continues it, --results FILE names another",
                      s->results_name);
  s->results = study_results_read(s->results_name, why, size);
  return s->results || !r->resume;
}

/* Describes the first line in which the two texts differ. */
static void first_difference(const char *theirs, const char *ours, char *text, size_t size) {
  while (*theirs && *ours) {
    size_t a = strcspn(theirs, "\n"), b = strcspn(ours, "\n");
    if (a != b || memcmp(theirs, ours, a) != 0) break;
    theirs += a + (theirs[a] == '\n');
    ours += b + (ours[b] == '\n');
  }
  snprintf(text, size, "'%.*s' there, '%.*s' here", (int)strcspn(theirs, "\n"), theirs, (int)strcspn(ours, "\n"), ours);
}

/* Results of another plan are an error with --resume, else they are ignored. */
static bool check_results(study_sweep_state *s, char *why, size_t size) {
  char difference[400];
  if (!s->results || strcmp(s->results->plan, s->plan->text) == 0) return true;
  first_difference(s->results->plan, s->plan->text, difference, sizeof difference);
  study_results_free(s->results);
  s->results = NULL;
  return !s->request->resume ||
         study_fail((study_why){why, size},
                    "results '%s' belong to another plan (%s); --results FILE names another file for this one",
                    s->results_name, difference);
}

bool study_sweep_count(study_sweep_state *s, char *why, size_t size) {
  for (size_t i = 0; s->results && i < s->results->count; i++) {
    const study_record *r = &s->results->records[i];
    if (r->step >= s->step_count || strcmp(r->key, s->plan->configurations[s->steps[r->step].configuration].key) != 0)
      return study_fail((study_why){why, size},
                        "results '%s': the plan has no step %llu of '%s'; the file was modified", s->results_name,
                        (unsigned long long)r->step, r->key);
    if (s->done[r->step]) continue;
    s->done[r->step] = s->request->resume;
    study_progress_count(s->progress, (size_t)r->step, r->json, s->request->resume);
  }
  return true;
}

/* ---- constants ---- */

enum { EAGER = 2 }; /* its index among the constants */

static bool make_plan(study_sweep_state *s, char *why, size_t size) {
  const study_request *r = s->request;
  const study_source source = {s->text,      r->operand_count ? r->operands[0] : "command line",
                               r->axes,      r->axis_count,
                               r->set,       r->set_count,
                               s->constants, s->constant_count};
  study_plan_free(s->plan);
  s->plan = study_plan_make(&source, why, size);
  return s->plan != NULL;
}

/* Takes the value that the results recorded, so that a new measurement does not change the plan. False: none. */
static bool recall(const study_sweep_state *s, study_constant *constant) {
  const cJSON *words = s->results ? cJSON_GetObjectItemCaseSensitive(s->results->header, "words") : NULL;
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(words, constant->name);
  if (!cJSON_IsNumber(value) || value->valuedouble < 0) return false;
  constant->value = (uint64_t)value->valuedouble;
  return true;
}

/* Measures it for the MPI of the plan, of which there must be only one. */
static bool measure_eager(study_sweep_state *s, bool known, char *why, size_t size) {
  const study_plan *plan = s->plan;
  const char *mpi = study_value(&plan->configurations[0], "mpi");
  for (size_t i = 1; i < plan->count; i++)
    if (!study_same(mpi, study_value(&plan->configurations[i], "mpi")))
      return study_fail(
          (study_why){why, size},
          "'eager' is the limit of one MPI, but the axis 'mpi' has several values; make one sweep for each");
  return known || (study_eager(mpi, study_value(&plan->configurations[0], "launcher"), &s->constants[EAGER].value, why,
                               size) == 0 &&
                   make_plan(s, why, size));
}

/* The eager limit is measured by the program and launcher of the plan. So a first plan is made with a typical limit. */
static bool plan_with_constants(study_sweep_state *s, char *why, size_t size) {
  s->constants[0] = (study_constant){"cores", study_allocation_find().slots};
  s->constants[1] = (study_constant){"fit", study_fit()};
  s->constants[EAGER] = (study_constant){"eager", 4096};
  s->constant_count = EAGER + 1;
  bool known = false;
  for (size_t i = 0; i < s->constant_count; i++) known = recall(s, &s->constants[i]);
  if (!make_plan(s, why, size)) return false;
  if (s->plan->constants_used >> EAGER & 1) return measure_eager(s, known, why, size);
  s->constant_count = EAGER; /* the header records known constants only */
  return true;
}

/* ---- all ---- */

bool study_sweep_prepare(study_sweep_state *s, const study_request *request, char *why, size_t size) {
  *s = (study_sweep_state){.request = request};
  if (!find_text(s, why, size) || !name_results(s, why, size) || !read_results(s, why, size)) return false;
  const bool held = s->results != NULL;
  if (!plan_with_constants(s, why, size) || !check_results(s, why, size)) return false;
  if (held && !s->results && !plan_with_constants(s, why, size))
    return false; /* the recorded constants belonged to another plan */
  const int too_many = study_check(s->plan, why, size);
  if (too_many < 0) return false;
  s->too_many = (size_t)too_many;
  s->steps = study_steps(s->plan, &s->step_count);
  s->done = calloc(s->step_count + 1, sizeof *s->done);
  s->progress = s->steps ? study_progress_make(s->plan, s->steps, s->step_count, request->quiet) : NULL;
  s->refusals = study_refusals_make(s->plan);
  if (!s->done || !s->progress || !s->refusals)
    return study_fail((study_why){why, size}, "no memory for a plan of %zu configurations", s->plan->count);
  return study_sweep_count(s, why, size);
}

void study_sweep_free(study_sweep_state *s) {
  study_progress_free(s->progress);
  study_refusals_free(s->refusals);
  study_results_free(s->results);
  free(s->steps);
  free(s->done);
  study_plan_free(s->plan);
  free(s->results_name);
  free(s->text);
}
