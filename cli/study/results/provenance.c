/* provenance.c - where and with what a record was made, from the JSON of its job: machine, MPI, binding. */
#include "study/results/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/util/fields.h"

const char *study_fact(const study_record *record, const char *name, char text[64]) {
  static const char *const parts[] = {"machine", "mpi", "versions"};
  const cJSON *result = study_field(record->json, "result"), *item = NULL;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !item; i++)
    item = study_field(study_field(result, parts[i]), name);
  if (cJSON_IsNumber(item)) {
    snprintf(text, 64, "%.15g", item->valuedouble);
    return text;
  }
  const char *word = cJSON_GetStringValue(item);
  return word && *word ? word : NULL;
}

static const char *cores_of(const cJSON *rank) {
  const char *cores = cJSON_GetStringValue(study_field(rank, "cores"));
  return cores ? cores : "?";
}

/* True if the ranks are bound alike in both. */
static bool alike(const cJSON *a, const cJSON *b) {
  const cJSON *i = a ? a->child : NULL, *k = b ? b->child : NULL;
  for (; i && k && strcmp(cores_of(i), cores_of(k)) == 0; i = i->next) k = k->next;
  return !i && !k;
}

/* ", ranks on cores 0 | 1 | 2-3": the first ranks, or one if all are the same. */
static void print_binding(const cJSON *binding, FILE *to) {
  enum { SHOWN = 4 };
  const cJSON *rank;
  bool same = true;
  int shown = 0;
  if (!binding || !binding->child) return;
  cJSON_ArrayForEach(rank, binding) same &= strcmp(cores_of(rank), cores_of(binding->child)) == 0;
  fputs(", ranks on cores ", to);
  cJSON_ArrayForEach(rank, binding) {
    if (shown < (same ? 1 : SHOWN)) fprintf(to, "%s%s", shown ? " | " : "", cores_of(rank));
    shown++;
  }
  if (shown > SHOWN && !same) fputs(" | ...", to);
}

/* Only if all records that have a binding agree: it is also a setting of a run. */
static void print_common_binding(const study_results *results, FILE *to) {
  const cJSON *first = NULL;
  for (size_t i = 0; i < results->count; i++) {
    const cJSON *binding = study_field(study_field(results->records[i].json, "result"), "binding");
    if (!binding) continue;
    if (first && !alike(first, binding)) return;
    if (!first) first = binding;
  }
  print_binding(first, to);
}

static void print_facts(const study_record *record, FILE *to) {
  static const struct {
    const char *name, *before, *after;
  } facts[] = {{"host", "", ""},
               {"cpu", "", ""},
               {"cores", "", " cores"},
               {"kernel", "Linux ", ""},
               {"governor", "governor ", ""},
               {"mpi_library", "", ""},
               {"thread_level", "thread level ", ""}};
  bool any = false;
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
    char number[64];
    const char *fact = study_fact(record, facts[i].name, number);
    if (!fact || strcmp(fact, "unknown") == 0) continue;
    int length = (int)strcspn(
        fact, strcmp(facts[i].name, "mpi_library") == 0 ? ",\n" : "\n"); /* the rest says who built the library */
    fprintf(to, "%s%s%.*s%s", any ? ", " : "", facts[i].before, length, fact, facts[i].after);
    any = true;
  }
  if (!any) fputs("not recorded", to);
}

/* The first record with facts; those of failed runs may have none. */
static const study_record *find_informed(const study_results *results) {
  for (size_t i = 0; i < results->count; i++)
    if (study_field(study_field(results->records[i].json, "result"), "machine")) return &results->records[i];
  return NULL;
}

char *study_provenance(const study_results *results) {
  const study_record *record = find_informed(results);
  if (!record) return strdup("not recorded");
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (to) {
    print_facts(record, to);
    print_common_binding(results, to);
  }
  if (to && fclose(to) == 0) return text;
  free(text);
  return NULL;
}
