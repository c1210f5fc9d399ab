/* fields.h - members of a JSON object; an absent member reads as NULL or 0. */
#ifndef STUDY_FIELDS_H
#define STUDY_FIELDS_H
#include <cjson/cJSON.h>

static inline const cJSON *study_field(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static inline const char *study_field_text(const cJSON *o, const char *name) {
  return cJSON_GetStringValue(study_field(o, name));
}

static inline double study_field_number(const cJSON *o, const char *name) {
  const cJSON *item = study_field(o, name);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

#endif
