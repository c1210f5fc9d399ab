/* refused.c - counts runs that refuse their input, for each graph of a plan. */
#include "study/sweep/refused.h"

#include <stdlib.h>
#include <string.h>

#include "study/util/fields.h"
#include "study/util/names.h"

enum { REFUSED = 2, ENOUGH = 3 }; /* the exit code; configurations */

/* A graph of the plan. */
typedef struct {
  const char *graph, *scale;
  size_t configurations, refused;
  char *reason;   /* the first */
  bool otherwise; /* a run ended in another way, or for another reason */
} input;

struct study_refusals {
  input *inputs;
  size_t count;
  size_t *of;    /* the input of each configuration */
  bool *refused; /* each configuration */
};

static size_t input_of(study_refusals *r, const study_configuration *c) {
  const input own = {.graph = study_value(c, "graph"), .scale = study_value(c, "scale")};
  size_t i = 0;
  while (i < r->count && !(study_same(r->inputs[i].graph, own.graph) && study_same(r->inputs[i].scale, own.scale))) i++;
  if (i == r->count) r->inputs[r->count++] = own;
  r->inputs[i].configurations++;
  return i;
}

study_refusals *study_refusals_make(const study_plan *plan) {
  study_refusals *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->inputs = calloc(plan->count + 1, sizeof *r->inputs);
  r->of = calloc(plan->count + 1, sizeof *r->of);
  r->refused = calloc(plan->count + 1, sizeof *r->refused);
  if (!r->inputs || !r->of || !r->refused) return study_refusals_free(r), NULL;
  for (size_t i = 0; i < plan->count; i++) r->of[i] = input_of(r, &plan->configurations[i]);
  return r;
}

void study_refusals_free(study_refusals *r) {
  if (!r) return;
  for (size_t i = 0; i < r->count; i++) free(r->inputs[i].reason);
  free(r->inputs);
  free(r->of);
  free(r->refused);
  free(r);
}

/* Behind "exit code 2: ". */
static char *reason_of(const cJSON *record) {
  const char *message = study_field_text(record, "message"), *colon = message ? strstr(message, ": ") : NULL;
  return colon ? strndup(colon + 2, strcspn(colon + 2, "\n")) : NULL;
}

void study_refusals_count(study_refusals *r, size_t configuration, const cJSON *record) {
  input *in = &r->inputs[r->of[configuration]];
  const cJSON *code = study_field(record, "exit");
  char *reason = cJSON_IsNumber(code) && code->valueint == REFUSED ? reason_of(record) : NULL;
  in->otherwise |= !reason || (in->reason && strcmp(in->reason, reason) != 0);
  if (!in->otherwise && !r->refused[configuration]) in->refused++, r->refused[configuration] = true;
  if (in->reason)
    free(reason);
  else
    in->reason = reason;
}

const char *study_refusals_reason(const study_refusals *r) {
  for (size_t i = 0; i < r->count; i++) {
    const input *in = &r->inputs[i];
    if (in->otherwise || in->refused < (in->configurations < ENOUGH ? in->configurations : ENOUGH)) return NULL;
  }
  return r->count ? r->inputs[0].reason : NULL;
}
