/* unit_provenance.c - ranks and threads that share a core, and the truncation of long lists.
 *
 * Tests cli/record/provenance.h, and the binding in a job's JSON with made-up placements. */
#include "record/provenance.h"

#include "harness.h"

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

HARNESS_MAIN
