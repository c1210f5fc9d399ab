/* unit_table.c - tables on huge pages: sizes, places, zeroes, and the result of the query.
 *
 * Huge pages themselves are checked where the system provides any. */
#include "base/huge.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

static bool all_zero(const char *table, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (table[i]) return false;
  return true;
}

/* Skips the test where huge pages are so large that filling some would take too much memory. */
static size_t small_huge_page(void) {
  const size_t page = scree__huge_page();
  if (page > (size_t)1 << 25) harness_skip("huge pages of more than 32 MiB");
  return page;
}

/* By the system, or 2 MiB. */
HARNESS_TEST(size_of_a_huge_page) {
  static const struct {
    const char *text;
    size_t size;
  } cases[] = {{"2097152\n", (size_t)1 << 21}, {"536870912\n", (size_t)1 << 29}, {"33554432\n", (size_t)1 << 25},
               {"", (size_t)1 << 21},          {"0\n", (size_t)1 << 21},         {"3000000\n", (size_t)1 << 21}};
  char root[] = "/tmp/scree-huge-XXXXXX", command[256];
  assert_non_null(mkdtemp(root));
  check_equal(scree__huge_page_read(root), (size_t)1 << 21);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(command, sizeof command,
             "d=%s/sys/kernel/mm/transparent_hugepage; mkdir -p $d && printf '%s' >$d/hpage_pmd_size", root,
             cases[i].text);
    check_equal(system(command), 0);
    check_equal(scree__huge_page_read(root), cases[i].size);
  }
  snprintf(command, sizeof command, "rm -r %s", root);
  check_equal(system(command), 0);
}

/* Zero, to the last byte, also where a freed table was; at a page, and from a huge page on at a multiple of that. */
HARNESS_TEST(zero_and_aligned) {
  const size_t page = small_huge_page();
  const size_t sizes[] = {1, 4095, 4096, 4097, page - 1, page, page + 1, 5 * page + 12345};
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      char *table = scree_huge_alloc(sizes[i]);
      if (!check(table != NULL)) continue;
      check_equal((uintptr_t)table % (sizes[i] < page ? 4096 : page), 0);
      check(all_zero(table, sizes[i]));
      memset(table, 0xa5, sizes[i]);
      scree_huge_free(table);
    }
}

HARNESS_TEST(no_bytes_and_no_table) {
  void *one = scree_huge_alloc(0), *two = scree_huge_alloc(0);
  check(one && two && one != two);
  check_equal(scree_huge_bytes(one), 0);
  scree_huge_free(one);
  scree_huge_free(two);
  scree_huge_free(NULL);
  check_equal(scree_huge_bytes(NULL), 0);
}

/* More than there are addresses: no sum of it wraps around. */
HARNESS_TEST(too_large) {
  const size_t sizes[] = {SIZE_MAX,         SIZE_MAX - 4095,  SIZE_MAX - scree__huge_page(),
                          SIZE_MAX / 2 + 1, SIZE_MAX / 2 - 1, (size_t)1 << 60};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    check(scree_huge_alloc(sizes[i]) == NULL);
    check(scree__huge_alloc(sizes[i], true, true) == NULL);
  }
}

/* Tables that live side by side keep apart, and freeing one leaves the others. */
HARNESS_TEST(side_by_side) {
  enum { COUNT = 32 };
  char *tables[COUNT];
  for (int i = 0; i < COUNT; i++) {
    tables[i] = scree_huge_alloc((size_t)(i + 1) * 4096 * 100);
    if (!check(tables[i] != NULL)) return;
    memset(tables[i], i + 1, (size_t)(i + 1) * 4096 * 100);
  }
  for (int i = 0; i < COUNT; i += 2) scree_huge_free(tables[i]);
  for (int i = 1; i < COUNT; i += 2) {
    size_t last = (size_t)(i + 1) * 4096 * 100 - 1;
    check_equal(tables[i][0], i + 1);
    check_equal(tables[i][last], i + 1);
    scree_huge_free(tables[i]);
  }
}

/* By /sys: whether a mapping that requests huge pages gets them. */
static bool system_gives_any(void) {
  char line[128] = "";
  FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  if (!file) return false;
  bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  return read && !strstr(line, "[never]");
}

/* Untouched: on no page. Touched: no more than the huge pages that it covers; another table beside it does not
 * count. */
HARNESS_TEST(how_much_is_huge) {
  enum { PARTS = 8 };
  const size_t page = small_huge_page(), bytes = PARTS * page + 4096;
  char *table = scree_huge_alloc(bytes), *other = scree_huge_alloc(bytes);
  if (!check(table && other)) return;
  memset(other, 1, bytes);
  check_equal(scree_huge_bytes(table), 0);
  memset(table, 1, bytes);
  size_t huge = scree_huge_bytes(table);
  check_equal(huge % page, 0);
  check(huge <= PARTS * page);
  scree_huge_free(other);
  check_equal(scree_huge_bytes(table), huge);
  scree_huge_free(table);
  if (!system_gives_any()) harness_skip("the system gives no huge pages");
  check_text(huge > 0, "the system gives huge pages, the table has none of its %d", PARTS);
}

/* The system may give some without a request; if it is set not to, it gives none, and the query shows that. */
HARNESS_TEST(none_when_told) {
  const size_t bytes = 4 * small_huge_page();
  char *table = scree__huge_alloc(bytes, false, false);
  if (!check(table != NULL)) return;
  if (madvise(table, bytes, MADV_NOHUGEPAGE)) harness_skip("the system knows no huge pages");
  memset(table, 1, bytes);
  check_equal(scree_huge_bytes(table), 0);
  scree_huge_free(table);
}

/* A table that is kept serves the next call of its size with its contents; others drop it. What is held is counted. */
HARNESS_TEST(kept_for_reuse) {
  const size_t bytes = (size_t)100 * 4096;
  bool dirty;
  scree__account *account = scree__account_new();
  if (!check(account != NULL)) return;
  char *table = scree__huge_alloc_kept(bytes, true, account, &dirty);
  check(table && !dirty);
  table[bytes - 1] = 7;
  scree_huge_free(table);
  check_equal(AO_load(&account->held), bytes);
  char *again = scree__huge_alloc_kept(bytes - 4096, true, account, &dirty);
  check(again == table && dirty && again[bytes - 1] == 7);
  char *second = scree__huge_alloc_kept(bytes, true, account, &dirty);
  check(second && second != again && !dirty && all_zero(second, bytes));
  check_equal(AO_load(&account->held), 2 * bytes);
  scree_huge_free(again);
  char *small = scree__huge_alloc_kept(1, true, account, &dirty);
  check(small && !dirty);
  check_equal(AO_load(&account->held), bytes + 1);
  scree_huge_free(small);
  scree__account_drop(account);
  check_equal(AO_load(&account->held), bytes);
  scree__account_close(account);
  scree_huge_free(second);
}

HARNESS_MAIN
