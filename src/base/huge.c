/* huge.c - huge-page allocation. Each allocation is a mapping of its own, which is returned to the system when it is
 * freed; but a lazy one of less than 2 MiB is on the heap, so that programs that open thousands of worlds reuse it. The
 * page in front of an allocation holds its size and keeps the kernel from merging two mappings into one. */
#include "base/huge.h"

#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21, HEAP_MAX = HUGE_PAGE };

typedef struct scree__spare {
  size_t bytes;              /* that the caller asked for */
  size_t mapped;             /* this page included; 0: on the heap */
  scree__account *account;   /* that counts the bytes, or NULL */
  bool keep;                 /* it is kept when it is freed */
  struct scree__spare *next; /* while it is kept */
} head;

static size_t page_size(void) {
  long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? (size_t)size : 4096;
}

size_t scree__huge_page_read(const char *root) {
  char path[256];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", root);
  FILE *file = fopen(path, "re");
  if (!file) return HUGE_PAGE;
  const bool read = fscanf(file, "%zu", &size) == 1;
  fclose(file);
  return read && size >= page_size() && (size & (size - 1)) == 0 ? size : HUGE_PAGE;
}

/* Threads that read it at once store the same. */
size_t scree__huge_page(void) {
  static AO_t known;
  AO_t size = AO_load(&known);
  if (size) return size;
  size = scree__huge_page_read("");
  AO_store(&known, size);
  return size;
}

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

static head *head_of(const void *table) {
  return (head *)(void *)((char *)(uintptr_t)table - page_size());
}

/* A mapping whose second page starts at a multiple of `align`. */
static char *map(size_t bytes, size_t align, int flags) {
  size_t page = page_size(), room = bytes + (align > page ? align : 0);
  char *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (at == MAP_FAILED) return NULL;
  size_t before = round_up((uintptr_t)at + page, align) - page - (uintptr_t)at;
  if (before) munmap(at, before);
  if (room > before + bytes) munmap(at + before + bytes, room - before - bytes);
  return at + before;
}

static void *alloc_on_heap(size_t bytes) {
  size_t page = page_size(), room = page + round_up(bytes, page);
  char *at = aligned_alloc(page, room);
  if (!at) return NULL;
  *(head *)(void *)at = (head){.bytes = bytes};
  return at + page;
}

void *scree__huge_alloc(size_t bytes, bool huge, bool lazy) {
  if (lazy && bytes < HEAP_MAX) return alloc_on_heap(bytes);
  if (bytes > SIZE_MAX / 2) return NULL;
  const size_t page = page_size(), large = scree__huge_page();
  const bool rounds = huge && large <= HUGE_PAGE && bytes % large >= large / 2;
  const size_t size = round_up(bytes, rounds ? large : page);
  char *at = map(page + size, size < large ? page : large, lazy ? MAP_NORESERVE : 0);
  if (!at) return NULL;
  char *table = at + page;
  *(head *)(void *)at = (head){.bytes = bytes, .mapped = page + size};
  if (huge && size >= large) madvise(table, size / large * large, MADV_HUGEPAGE);
  return table;
}

void *scree_huge_alloc(size_t bytes) {
  return scree__huge_alloc(bytes, true, false);
}

/* ---- accounts: all accesses of counters are relaxed, because no other memory is read by their values; but the thread
 * that frees an account must see the last use of all others, hence the full fences of `users` ---- */

scree__account *scree__account_new(void) {
  scree__account *account = calloc(1, sizeof *account);
  if (account) AO_store(&account->users, 1);
  return account;
}

void scree__account_add(scree__account *account, size_t bytes) {
  const AO_t held = AO_fetch_and_add(&account->held, bytes) + bytes;
  AO_t peak = AO_load(&account->peak);
  while (held > peak && !AO_compare_and_swap(&account->peak, peak, held)) peak = AO_load(&account->peak);
}

void scree__account_subtract(scree__account *account, size_t bytes) {
  AO_fetch_and_add(&account->held, (AO_t)0 - bytes);
}

static void release(scree__account *account) {
  if (AO_fetch_and_sub1_full(&account->users) == 1) free(account);
}

/* The lock is held for a few instructions at a time, and orders what follows it in the account. */
static void lock(scree__account *account) {
  while (AO_test_and_set_acquire(&account->lock) != AO_TS_CLEAR) sched_yield();
}
static void unlock(scree__account *account) {
  AO_CLEAR(&account->lock);
}

static void drop(scree__account *account, bool close) {
  lock(account);
  head *h = account->spare;
  account->spare = NULL;
  account->closed |= close;
  unlock(account);
  for (head *next; h; h = next) {
    next = h->next;
    scree__account_subtract(account, h->bytes);
    munmap(h, h->mapped);
  }
}

void scree__account_drop(scree__account *account) {
  drop(account, false);
}

void scree__account_close(scree__account *account) {
  if (!account) return;
  drop(account, true);
  release(account);
}

static void count(head *h, scree__account *account) {
  h->account = account;
  AO_fetch_and_add1(&account->users);
  scree__account_add(account, h->bytes);
}

void *scree__huge_alloc_counted(size_t bytes, bool huge, scree__account *account) {
  void *table = scree__huge_alloc(bytes, huge, false);
  if (table) count(head_of(table), account);
  return table;
}

/* The smallest table that is kept and large enough, but not twice what is needed. */
static head *take_spare(scree__account *account, size_t mapped) {
  head **best = NULL;
  lock(account);
  for (head **h = &account->spare; *h; h = &(*h)->next)
    if ((*h)->mapped >= mapped && (*h)->mapped < 2 * mapped && (!best || (*h)->mapped < (*best)->mapped)) best = h;
  head *found = best ? *best : NULL;
  if (found) *best = found->next;
  unlock(account);
  return found;
}

void *scree__huge_alloc_kept(size_t bytes, bool huge, scree__account *account, bool *dirty) {
  const size_t page = page_size();
  head *h = bytes < SIZE_MAX / 2 ? take_spare(account, page + round_up(bytes, page)) : NULL;
  *dirty = h != NULL;
  if (h) {
    AO_fetch_and_add1(&account->users);
    return (char *)h + page;
  }
  drop(account, false);
  void *table = scree__huge_alloc_counted(bytes, huge, account);
  if (table) head_of(table)->keep = true;
  return table;
}

/* False: the account is closed. */
static bool keep(head *h) {
  scree__account *account = h->account;
  lock(account);
  const bool kept = !account->closed;
  if (kept) {
    h->next = account->spare;
    account->spare = h;
  }
  unlock(account);
  if (kept) release(account);
  return kept;
}

void scree_huge_free(void *table) {
  if (!table) return;
  head *h = head_of(table);
  if (h->keep && keep(h)) return;
  if (h->account) {
    scree__account_subtract(h->account, h->bytes);
    release(h->account);
  }
  if (h->mapped)
    munmap(h, h->mapped);
  else
    free(h);
}

/* Bytes that two ranges have in common. */
static uintptr_t common(uintptr_t a, uintptr_t a_end, uintptr_t b, uintptr_t b_end) {
  uintptr_t from = a > b ? a : b, to = a_end < b_end ? a_end : b_end;
  return to > from ? to - from : 0;
}

/* smaps has a line with the range of each mapping, and below it one that begins with AnonHugePages. */
size_t scree_huge_bytes(const void *table) {
  FILE *file = table ? fopen("/proc/self/smaps", "re") : NULL;
  if (!file) return 0;
  uintptr_t at = (uintptr_t)table, end = at + head_of(table)->bytes, from, to, here = 0;
  size_t sum = 0, kib;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
      here = common(at, end, from, to);
    else if (here && sscanf(line, "AnonHugePages: %zu kB", &kib) == 1)
      sum += kib * 1024 < here ? kib * 1024 : here;
  }
  fclose(file);
  return sum;
}
