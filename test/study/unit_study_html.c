/* unit_study_html.c - the page of a report as a file: texts cannot leave the data, nor those of a plot its script, and
 * no other file is overwritten.
 *
 * report_page.py tests the page in a browser. */
#include "study/report/html.h"
#include "study/report/plots.h"
#include "study/report/report.h"

#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

static const char evil[] = "</script><script>alert(1)</script><!-- \" \\ & \xff";

static char name[] = "/tmp/unit_study_html.XXXXXX";

static char *read_all(const char *from) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = fopen(from, "r");
  if (!check(file != NULL)) return NULL;
  if (getdelim(&text, &size, 0, file) < 0) check(false);
  fclose(file);
  return text;
}

static void write_all(const char *text) {
  FILE *file = fopen(name, "w");
  if (!check(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

/* Two runs of one configuration, one of them failed; every text is evil. */
static study_table *make_table(study_results *results) {
  static study_setting settings[] = {{"kernel", "sssp"}, {evil, "4K"}};
  static study_record records[2];
  records[0] =
      (study_record){.key = evil, .settings = settings, .count = 2, .step = 1, .repetition = 1, .seconds = 0.5};
  records[0].teps = 2e6, records[0].validated = true, records[0].started = evil, records[0].message = "";
  records[1] = records[0];
  records[1].status = STUDY_TIMEOUT, records[1].repetition = 2, records[1].message = evil;
  *results =
      (study_results){.name = (char *)evil, .title = evil, .plan = evil, .steps = 2, .records = records, .count = 2};
  records[0].json = records[1].json = results->header = cJSON_CreateObject();
  return study_table_make(results);
}

/* The content of the data element of the page. */
static cJSON *data_of(char *page) {
  static const char begin[] = "id=\"data\">";
  char *data = strstr(page, begin), *end = data ? strstr(data, "</script>") : NULL;
  if (!check(end != NULL)) return NULL;
  *end = 0;
  check(strchr(data + strlen(begin), '<') == NULL);
  return cJSON_Parse(data + strlen(begin));
}

static const cJSON *first(const cJSON *in, const char *list) {
  return cJSON_GetArrayItem(cJSON_GetObjectItem(in, list), 0);
}

static const char *text_of(const cJSON *in, const char *of) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(in, of));
  return text ? text : "(none)";
}

HARNESS_TEST(texts_stay_in_the_data) {
  char why[256] = "";
  study_results results;
  study_table *table = make_table(&results);
  const study_table *tables[] = {table, table};
  check_text(study_write_html(name, tables, 2, why, sizeof why) == 0, "%s", why);
  char *page = read_all(name);
  check(page && strstr(page, "</html>") && !strstr(page, "alert(1)</script>"));
  cJSON *data = page ? data_of(page) : NULL;
  const cJSON *one = first(data, "tables"), *group = first(one, "groups");
  check(strcmp(text_of(one, "title"), evil) == 0);
  check(strcmp(text_of(one, "plan"), evil) == 0);
  check(strcmp(text_of(group, "message"), evil) == 0);
  check(strcmp(text_of(cJSON_GetObjectItem(group, "settings"), evil), "4K") == 0);
  check_equal(cJSON_GetArraySize(cJSON_GetObjectItem(one, "records")), 2);
  check_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(data, "numbers"), "4K")), 4096);
  check(cJSON_GetArrayItem(cJSON_GetObjectItem(group, "seconds"), 1)->valuedouble == 0.5);
  check_equal(cJSON_GetArraySize(cJSON_GetObjectItem(data, "changes")), 1);
  check(cJSON_IsTrue(cJSON_GetObjectItem(first(first(data, "changes"), "rows"), "few"))); /* one run of each */
  cJSON_Delete(data);
  free(page);
  study_table_free(table);
  cJSON_Delete((cJSON *)results.header);
}

HARNESS_TEST(escapes) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!check(stream != NULL)) return;
  study_put_script("[\"<a> & </script>\",\"\\\\\"]", stream);
  fclose(stream);
  check(strcmp(text, "[\"\\u003ca> & \\u003c/script>\",\"\\\\\"]") == 0);
  free(text);
}

/* A page replaces a page and an empty file, and nothing else: not the results that it is made of. */
HARNESS_TEST(no_other_file_is_overwritten) {
  static const char mine[] = "{\"scree_sweep\":2}\n";
  char why[256] = "";
  write_all(mine);
  check(study_write_html(name, NULL, 0, why, sizeof why) == -1);
  check_text(strstr(why, "is not an HTML page") != NULL, "%s", why);
  char *text = read_all(name);
  check(text && strcmp(text, mine) == 0);
  free(text);
  write_all("");
  check_equal(study_write_html(name, NULL, 0, why, sizeof why), 0);
  check_equal(study_write_html(name, NULL, 0, why, sizeof why), 0);
}

HARNESS_TEST(says_why_not) {
  char why[256] = "";
  check(study_write_html("/there/is/no/such.html", NULL, 0, why, sizeof why) == -1);
  check_text(strstr(why, "'/there/is/no/such.html' cannot be written: No such file or directory") != NULL, "%s", why);
  if (access("/dev/full", W_OK)) harness_skip("there is no /dev/full");
  check(study_write_html("/dev/full", NULL, 0, why, sizeof why) == -1);
  check_text(strstr(why, "No space left on device") != NULL, "%s", why);
}

/* No line of a script begins with what a text has behind a newline, even if the results were not read from a file. */
HARNESS_TEST(texts_stay_in_the_script) {
  study_results results;
  study_table *table = make_table(&results);
  const char *values[] = {"1\n!id", "'\r!id"};
  const study_axis axis = {"a\n!id", values, 2};
  study_plot plot = {.table = table, .axis = &axis, .file = "file", .bars = true};
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!check(to != NULL && study_plot_open(&plot))) return;
  study_plot_script(&plot, to);
  study_plot_data(&plot, to);
  fclose(to);
  check_contains(text, "set xlabel 'a !id'");
  check_contains(text, "'1 !id'");
  check_contains(text, "\'\'\' !id\'");
  check(!strstr(text, "\n!") && !strchr(text, '\r'));
  free(text);
  study_plot_close(&plot);
  cJSON_Delete((cJSON *)(uintptr_t)results.header);
  study_table_free(table);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts_stay_in_the_data),
                                     cmocka_unit_test(texts_stay_in_the_script), cmocka_unit_test(escapes),
                                     cmocka_unit_test(no_other_file_is_overwritten), cmocka_unit_test(says_why_not)};
  int file = mkstemp(name);
  if (file >= 0) close(file);
  int rc = harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  unlink(name);
  return rc;
}
