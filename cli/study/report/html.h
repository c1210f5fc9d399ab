/* html.h - the HTML page of a report: its data and how they are embedded. */
#ifndef STUDY_HTML_H
#define STUDY_HTML_H
#include <cjson/cJSON.h>
#include <stdio.h>

#include "study/report/report.h"

/* The data of a page, as page.html reads them. NULL: no memory. The caller deletes them. */
cJSON *study_page_data(const study_table *const *tables, size_t count);

/* Writes JSON that is safe inside a script element whatever its texts contain: '<' is escaped. */
void study_put_script(const char *json, FILE *to);

#endif
