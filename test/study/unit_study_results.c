/* unit_study_results.c - result files: writing, incomplete lines, locks, full disks, reading. */
#include "study/results/results.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static char directory[] = "/tmp/unit_study_results.XXXXXX", name[64], why[512];

static cJSON *make_header(void) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "scree_sweep", 2);
  cJSON_AddStringToObject(o, "title", "of three");
  cJSON_AddStringToObject(o, "plan", "ranks = 1, 2\nrepeat = 1\n");
  cJSON_AddNumberToObject(o, "steps", 3);
  return o;
}

static cJSON *make_record(unsigned step, study_status status) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "step", step);
  cJSON_AddStringToObject(o, "key", step == 1 ? "ranks=1" : "ranks=2");
  cJSON *axes = cJSON_AddObjectToObject(o, "configuration");
  cJSON_AddStringToObject(axes, "ranks", step == 1 ? "1" : "2");
  cJSON_AddNumberToObject(o, "repetition", 1);
  cJSON_AddBoolToObject(o, "control", step == 2);
  cJSON_AddBoolToObject(o, "validated", step == 1);
  cJSON_AddStringToObject(o, "started", "2026-01-31T12:00:00Z");
  cJSON_AddStringToObject(o, "status", study_status_word(status));
  if (status != STUDY_OK) {
    cJSON_AddStringToObject(o, "message", "why\nand \"how\"");
    return o;
  }
  cJSON_AddNumberToObject(o, "seconds", 0.25);
  cJSON_AddNumberToObject(o, "teps", 4e6);
  cJSON *work = cJSON_AddObjectToObject(o, "work");
  for (size_t i = 0; i < STUDY_WORK_COUNT; i++) cJSON_AddNumberToObject(work, study_work_names[i], (double)(i + 10));
  return o;
}

static int add(study_writer *w, unsigned step, study_status status) {
  cJSON *record = make_record(step, status);
  int rc = study_writer_add(w, record, why, sizeof why);
  cJSON_Delete(record);
  return rc;
}

static study_writer *open_writer(bool resume) {
  cJSON *header = make_header();
  *why = 0;
  study_writer *w = study_writer_open(name, header, resume, why, sizeof why);
  cJSON_Delete(header);
  return w;
}

/* A new file with a header and `count` records. */
static bool make_file(unsigned count) {
  unlink(name);
  study_writer *w = open_writer(false);
  if (!check_text(w != NULL, "%s", why)) return false;
  for (unsigned i = 0; i < count; i++) check_text(add(w, i, i == 2 ? STUDY_TIMEOUT : STUDY_OK) == 0, "%s", why);
  study_writer_close(w);
  return true;
}

static void append(const char *text, size_t bytes) {
  FILE *file = fopen(name, "a");
  if (!check(file != NULL)) return;
  check_equal(fwrite(text, 1, bytes, file), bytes);
  fclose(file);
}

static long long size_of(const char *file) {
  struct stat s;
  return stat(file, &s) ? -1 : (long long)s.st_size;
}

/* Records in the file; -1: it cannot be read. */
static int count_records(bool *torn) {
  study_results *r = study_results_read(name, why, sizeof why);
  int n = r ? (int)r->count : -1;
  if (torn) *torn = r && r->torn;
  study_results_free(r);
  return n;
}

static void refused(const char *text) {
  check_equal(count_records(NULL), -1);
  check_contains(why, text);
  check_contains(why, name);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

HARNESS_TEST(round_trip) {
  if (!make_file(3)) return;
  study_results *r = study_results_read(name, why, sizeof why);
  if (!check_text(r != NULL, "%s", why)) return;
  check_string(r->name, name);
  check_string(r->title, "of three");
  check_string(r->plan, "ranks = 1, 2\nrepeat = 1\n");
  check_equal(r->steps, 3);
  check(!r->torn);
  if (!check_equal(r->count, 3)) return;
  const study_record *one = &r->records[1], *bad = &r->records[2];
  check_equal(one->step, 1);
  check_equal(one->repetition, 1);
  check_string(one->key, "ranks=1");
  check_equal(one->count, 1);
  check_string(one->settings[0].name, "ranks");
  check_string(one->settings[0].value, "1");
  check(one->validated && !one->control && one->status == STUDY_OK);
  check(one->seconds == 0.25 && one->teps == 4e6);
  check(one->work[STUDY_WORK_messages] == 10 && one->work[STUDY_WORK_wait_seconds] == STUDY_WORK_COUNT + 9);
  check_string(one->message, "");
  check_string(one->started, "2026-01-31T12:00:00Z");
  check(bad->control && !bad->validated && bad->status == STUDY_TIMEOUT && bad->seconds == 0 && bad->teps == 0);
  check_string(bad->message, "why\nand \"how\"");
  study_results_free(r);
}

/* Jobs and paths may have bytes that are no UTF-8: half characters, too long ones, halves of pairs, above the last. */
HARNESS_TEST(bytes_that_are_no_text) {
  if (!make_file(1)) return;
  study_writer *w = open_writer(true);
  if (!check_text(w != NULL, "%s", why)) return;
  cJSON *record = cJSON_CreateObject();
  cJSON_AddStringToObject(
      record, "message", "\xc3\xa4 \xe4 \xc0\x80 \xe0\x9f\xbf \xed\xa0\x80 \xf4\x90\x80\x80 \xf0\x9f\x98\x80 \xe2\x82");
  check_text(study_writer_add(w, record, why, sizeof why) == 0, "%s", why);
  study_writer_close(w);
  cJSON_Delete(record);
  char line[4096] = "";
  FILE *file = fopen(name, "r");
  while (check(file != NULL) && fgets(line, sizeof line, file))
    ;
  if (file) fclose(file);
  check_string(line, "{\"message\":\"\xc3\xa4 ? ?? ??? ??? ???? \xf0\x9f\x98\x80 ?\x3f\"}\n");
}

/* What a kill leaves: at each length of the last line, it is cut off and written again. */
HARNESS_TEST(torn_last_line) {
  if (!make_file(2)) return;
  long long two = size_of(name);
  if (!make_file(3)) return;
  long long three = size_of(name);
  for (long long bytes = two; bytes < three; bytes++) {
    bool torn;
    if (!make_file(3) || !check(truncate(name, (off_t)bytes) == 0)) return;
    check_equal(count_records(&torn), 2);
    check_equal(torn, bytes > two);
    study_writer *w = open_writer(true);
    if (!check_text(w != NULL, "%s", why)) return;
    check_equal(size_of(name), two);
    check_equal(add(w, 2, STUDY_TIMEOUT), 0);
    study_writer_close(w);
    check_equal(size_of(name), three);
    check_equal(count_records(&torn), 3);
    check(!torn);
  }
}

/* A torn line that is longer than what is looked at in one piece. */
HARNESS_TEST(long_torn_line) {
  if (!make_file(1)) return;
  long long one = size_of(name);
  static char part[3 * 4096 + 7];
  memset(part, 'x', sizeof part);
  for (int i = 0; i < 3; i++) append(part, sizeof part);
  study_writer *w = open_writer(true);
  if (!check_text(w != NULL, "%s", why)) return;
  check_equal(size_of(name), one);
  study_writer_close(w);
}

HARNESS_TEST(garbage) {
  static const struct {
    const char *line, *says;
  } lines[] = {
      {"what?\n", "line 3: not a JSON object"},
      {"\n", "line 3: not a JSON object"},
      {"[1]\n", "line 3: not a JSON object"},
      {"{\"step\":1} {\"step\":2}\n", "line 3: not a JSON object"},
      {"{\"step\":1,\"repetition\":1}\n", "line 3: key, step or repetition is missing"},
      {"{\"step\":-1,\"repetition\":1,\"key\":\"a\"}\n", "line 3: key, step or repetition"},
      {"{\"step\":1,\"repetition\":1,\"key\":\"a\",\"status\":\"good\"}\n", "status is not one of ok, invalid"},
      {"{\"step\":1,\"repetition\":1,\"key\":\"a\",\"status\":\"ok\"}\n", "seconds is missing"},
      {"{\"step\":1,\"repetition\":1,\"key\":\"a\",\"status\":\"failed\"}\n", "the configuration is missing"},
      {"{\"step\":1,\"repetition\":1,\"key\":\"a\",\"status\":\"failed\",\"configuration\":{\"a\":1}}\n",
       "a value of the configuration is not text"},
      {"{\"step\":1,\"key\":\"a\\n\"}\n", "line 3: a setting, key or title has a control character"},
      {"{\"step\":1,\"configuration\":{\"a\":\"1\\u001b[2J\"}}\n", "line 3: a setting, key or title has a control"},
      {"{\"step\":1,\"configuration\":{\"a\":\"1\\u009b2J\"}}\n", "line 3: a setting, key or title has a control"},
      {"{\"step\":1,\"configuration\":{\"a\":\"1\\u202e2\"}}\n", "line 3: a setting, key or title has a control"},
      {"{\"step\":1,\"configuration\":{\"a\\n!id\":\"1\"}}\n", "line 3: a name has a control character"},
      {"{\"step\":1,\"result\":{\"machine\":{\"\\u007f\":\"1\"}}}\n", "line 3: a name has a control character"}};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    if (!make_file(1)) return;
    append(lines[i].line, strlen(lines[i].line));
    append("{}\n", 3);
    refused(lines[i].says);
  }
}

/* Jobs may have printed colours, and libraries lines: those are kept where lines are, and nothing else is obeyed. */
HARNESS_TEST(texts_of_others) {
  static const char line[] =
      "{\"step\":1,\"repetition\":1,\"key\":\"\xc3\xa4\tb\",\"status\":\"failed\",\"configuration\":{},"
      "\"message\":\"\\u001b[31mred\\nnext\xc2\x9b\x9b\",\"started\":\"1\\n2\","
      "\"result\":{\"binding\":[{\"cores\":\"0\\n!id\"}]}}\n";
  if (!make_file(1)) return;
  append(line, strlen(line));
  study_results *r = study_results_read(name, why, sizeof why);
  if (!check_text(r != NULL, "%s", why) || !check_equal(r->count, 2)) return;
  const study_record *record = &r->records[1];
  check_string(record->key, "\xc3\xa4\tb");
  check_string(record->message, "?[31mred\nnext???");
  check_string(record->started, "1?2");
  const cJSON *binding = cJSON_GetObjectItem(cJSON_GetObjectItem(record->json, "result"), "binding");
  check_string(cJSON_GetStringValue(cJSON_GetObjectItem(binding->child, "cores")), "0?!id");
  study_results_free(r);
}

HARNESS_TEST(not_such_a_file) {
  static const char *const texts[] = {"{\"scree_sweep\":0,\"plan\":\"\",\"steps\":1}\n", "p sp 1 1\n", "{}\n", "7\n"};
  unlink(name);
  refused("No such file");
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    unlink(name);
    append(texts[i], strlen(texts[i]));
    refused("line 1: not a result file of scree sweep");
  }
  unlink(name);
  append("{\"scree_sweep\":3}\n", 18);
  refused("line 1: of a newer release of scree");
  unlink(name);
  append("{\"scree_sweep\":1}\n", 18);
  refused("line 1: of scree before 0.2; ");
  unlink(name);
  append("{\"scree_sweep\":2}\n", 18);
  refused("line 1: the header lacks plan");
  for (int i = 0; i < 2; i++) {
    unlink(name);
    append("{\"scree_sweep\":2", i ? 16 : 0);
    refused("no complete line; remove the file");
  }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

HARNESS_TEST(never_overwrites) {
  if (!make_file(2)) return;
  long long before = size_of(name);
  check(open_writer(false) == NULL);
  check_contains(why, "--resume");
  check_equal(size_of(name), before);
}

HARNESS_TEST(one_writer) {
  if (!make_file(0)) return;
  study_writer *w = open_writer(true);
  if (!check_text(w != NULL, "%s", why)) return;
  check(open_writer(true) == NULL);
  check_contains(why, "another sweep is writing to this file");
  check_equal(add(w, 0, STUDY_OK), 0);
  study_writer_close(w);
  w = open_writer(true);
  check_text(w != NULL, "%s", why);
  study_writer_close(w);
}

static void limit_files(rlim_t max) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = max;
  check_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* No room for the third line, or for a part of it: the file ends before it, and goes on when there is room. */
HARNESS_TEST(disk_full) {
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  for (rlim_t room = 0; room < 100; room += 33) {
    if (!make_file(2)) return;
    long long two = size_of(name);
    study_writer *w = open_writer(true);
    if (!check_text(w != NULL, "%s", why)) return;
    limit_files((rlim_t)two + room);
    int rc = add(w, 2, STUDY_TIMEOUT);
    limit_files(before.rlim_cur);
    check_equal(rc, -1);
    check_contains(why, "the disk is full");
    check_contains(why, "--resume");
    check_equal(size_of(name), two);
    check_equal(add(w, 2, STUDY_TIMEOUT), 0);
    study_writer_close(w);
    check_equal(count_records(NULL), 3);
  }
}

/* No room for the header: no file, under no name. */
HARNESS_TEST(disk_full_at_once) {
  struct rlimit before;
  unlink(name);
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  limit_files(10);
  study_writer *w = open_writer(false);
  limit_files(before.rlim_cur);
  check(w == NULL);
  check_contains(why, "the disk is full");
  check_equal(rmdir(directory), 0);
  check_equal(mkdir(directory, 0700), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),       cmocka_unit_test(bytes_that_are_no_text),
                                     cmocka_unit_test(torn_last_line),   cmocka_unit_test(long_torn_line),
                                     cmocka_unit_test(garbage),          cmocka_unit_test(texts_of_others),
                                     cmocka_unit_test(not_such_a_file),  cmocka_unit_test(never_overwrites),
                                     cmocka_unit_test(one_writer),       cmocka_unit_test(disk_full),
                                     cmocka_unit_test(disk_full_at_once)};
  if (!mkdtemp(directory)) return 1;
  snprintf(name, sizeof name, "%s/results.jsonl", directory);
  int rc = harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  unlink(name);
  rmdir(directory);
  return rc;
}
