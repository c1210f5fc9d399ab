/* html.c - writes the HTML page of a report: page.html with the data in place. */
#include "study/report/html.h"

#include <stdlib.h>
#include <string.h>

#include "study/report/page.inc"
#include "study/report/report.h"
#include "study/util/output.h"
#include "study/util/replace.h"

/* The placeholder for the data, once in page.html. */
static const char mark[] = "@DATA@";
static const char first_line[] = "<!doctype html>";

void study_put_script(const char *json, FILE *to) {
  for (const char *at = json; *at; at++) {
    if (*at == '<')
      fputs("\\u003c", to);
    else
      fputc(*at, to);
  }
}

static void put_page(const char *json, FILE *to) {
  const char *text = (const char *)page, *data = strstr(text, mark);
  fwrite(text, 1, (size_t)(data - text), to);
  study_put_script(json, to);
  fputs(data + strlen(mark), to);
}

static int write_page(const char *name, const char *json, char *why, size_t size) {
  if (!study_is_standard_output(name) && !study_replaceable(name, first_line))
    return study_fail(
               (study_why){why, size},
               "option '--html': '%s' exists and is not an HTML page; it is not overwritten; give --html another name",
               name),
           -1;
  study_output out;
  if (!study_output_open(&out, "html", name, (study_why){why, size})) return -1;
  put_page(json, out.to);
  return study_output_close(&out, (study_why){why, size}) ? 0 : -1;
}

int study_write_html(const char *name, const study_table *const *tables, size_t count, char *why, size_t size) {
  cJSON *data = study_page_data(tables, count);
  char *json = data ? cJSON_PrintUnformatted(data) : NULL;
  int rc = json ? write_page(name, json, why, size)
                : (study_fail((study_why){why, size}, "no memory for the page '%s'", name), -1);
  cJSON_free(json);
  cJSON_Delete(data);
  return rc;
}
