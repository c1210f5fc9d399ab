/* unit_provenance.c - ranks and threads that share a core, the truncation of long lists, and fields without a value.
 *
 * Tests the binding in the JSON of a job with made-up placements, and both printers of cli/record/field.h. */
#include "record/provenance.h"

#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "record/field.h"

static const char here[] = "here";

static cli_placement place(const char *host, const char *cores, int64_t core) {
  cli_placement p = {.core = core};
  snprintf(p.host, sizeof p.host, "%s", host);
  snprintf(p.cores, sizeof p.cores, "%s", cores);
  return p;
}

static cli_thread thread(const char *cores, int64_t core) {
  cli_thread t = {.name = "t", .core = core};
  snprintf(t.cores, sizeof t.cores, "%s", cores);
  return t;
}

static bool shares(cli_thread t, cli_placement p) {
  return cli_shares(here, &t, &p);
}

HARNESS_TEST(who_shares) {
  check(shares(thread("0-3", 2), place(here, "0-3", 2)));
  check(!shares(thread("0-3", 2), place(here, "0-3", 1)));
  check(!shares(thread("0-3", 2), place("there", "0-3", 2)));
  check(shares(thread("1", 1), place(here, "1", 1)));
  check(shares(thread("1", -1), place(here, "1", 0)));    /* they have no other core */
  check(!shares(thread("1", -1), place(here, "0-1", 0))); /* the rank has another */
  check(!shares(thread("0-1", -1), place(here, "0-1", 0)));
  check(!shares(thread("0,1", -1), place(here, "0,1", 0)));
  check(!shares(thread("", -1), place(here, "", -1))); /* nothing is known */
  check(!shares(thread("1", 1), place("there", "1", 1)));
}

static const cJSON *get(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

HARNESS_TEST(a_rank) {
  cli_placement placements[2] = {place(here, "0-1", 0), place(here, "1", 1)};
  placements[0].threads = CLI_THREADS + 3;
  for (int i = 0; i < CLI_THREADS; i++) placements[0].thread[i] = thread("0-1", i % 2);
  cJSON *root = cJSON_CreateObject();
  cli_add_binding(root, placements, 2);
  const cJSON *first = cJSON_GetArrayItem(get(root, "binding"), 0), *threads = get(first, "threads");
  check_equal(cJSON_GetArraySize(get(root, "binding")), 2);
  check_string(cJSON_GetStringValue(get(first, "cores")), "0-1");
  check_equal(cJSON_GetArraySize(threads), CLI_THREADS);
  check_equal(cJSON_GetNumberValue(get(first, "threads_left_out")), 3);
  for (int i = 0; i < 2; i++) {
    const cJSON *with = get(cJSON_GetArrayItem(threads, i), "shares_with");
    check_equal(cJSON_GetArraySize(with), 1);
    check_equal(cJSON_GetNumberValue(cJSON_GetArrayItem(with, 0)), i);
  }
  check(!get(root, "ranks_left_out"));
  check(!get(cJSON_GetArrayItem(get(root, "binding"), 1), "threads_left_out"));
  cJSON_Delete(root);
}

/* What the system does not tell is absent. */
HARNESS_TEST(unknown) {
  cli_placement one = place(here, "", -1);
  cJSON *root = cJSON_CreateObject();
  cli_add_binding(root, &one, 1);
  const cJSON *rank = cJSON_GetArrayItem(get(root, "binding"), 0);
  check(get(rank, "host") && !get(rank, "core") && !get(rank, "cores"));
  check_equal(cJSON_GetArraySize(get(rank, "threads")), 0);
  cli_add_machine(root, -1);
  check(get(get(root, "machine"), "host") && !get(get(root, "machine"), "load"));
  cJSON_Delete(root);
}

HARNESS_TEST(many_ranks) {
  cli_placement placements[CLI_PLACEMENTS] = {0};
  cJSON *root = cJSON_CreateObject();
  cli_add_binding(root, placements, CLI_PLACEMENTS + 6);
  check_equal(cJSON_GetArraySize(get(root, "binding")), CLI_PLACEMENTS);
  check_equal(cJSON_GetNumberValue(get(root, "ranks_left_out")), 6);
  cJSON_Delete(root);
}

typedef struct {
  const char *text;
  uint64_t id;
  double seconds;
  bool on;
} found;

static const cli_field rows[] = {
    {CLI_ROW(found, text, TEXT, "text", "of @"), .width = {-4}},
    {CLI_ROW(found, id, ID, "id", ", id @"), .width = {18}},
    {CLI_ROW(found, seconds, SECONDS, "seconds", ", @ long"), .width = {9}},
    {CLI_ROW(found, on, FLAG, "on", ", on|, off")},
    {CLI_ROW(found, on, FLAG, NULL, "!|")},
    {0},
};

static void prints(const found *record, const char *text, const char *json) {
  cJSON *root = cJSON_CreateObject();
  char *said = NULL;
  size_t size;
  FILE *to = open_memstream(&said, &size);
  cli_add_fields(root, rows, record);
  cli_print_text(rows, record, to);
  fclose(to);
  check_string(said, text);
  free(said);
  said = cJSON_PrintUnformatted(root);
  check_string(said, json);
  cJSON_free(said);
  cJSON_Delete(root);
}

HARNESS_TEST(fields) {
  prints(&(found){"a\tb", (UINT64_C(1) << 53) + 1, 0.0025, true}, "of a\tb, id 9007199254740993, 2.50 ms long, on!",
         "{\"text\":\"a\\tb\",\"id\":9007199254740993,\"seconds\":0.0025,\"on\":true}");
  prints(&(found){NULL, SCREE_UNSET, (double)NAN, false}, ", off", "{\"on\":false}");
  char *said = NULL;
  size_t size;
  FILE *to = open_memstream(&said, &size);
  cli_print_columns(rows, 0, &(found){"a", 1, 2, false}, to);
  fclose(to);
  check_string(said, "a                     1   2.000 s");
  free(said);
}

HARNESS_MAIN
