/* html.h - the HTML page of a report: its data and how they are embedded. */
#ifndef STUDY_HTML_H
#define STUDY_HTML_H
#include <cjson/cJSON.h>
#include <stdio.h>

#include "study/report/report.h"

/* All that a page shows, as page.html reads it. NULL: no memory. The caller deletes it. */
cJSON *study_page_data(const study_table *const *tables, size_t count);

/* Writes JSON so that it can stand in a script element, whatever its texts hold: no '<' is left. */
void study_put_script(const char *json, FILE *to);

#endif
