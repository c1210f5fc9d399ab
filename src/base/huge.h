/* huge.h - huge-page allocation with the choices that the library has, beyond scree/memory.h. Freed by
 * scree_huge_free. */
#ifndef SCREE__HUGE_H
#define SCREE__HUGE_H
#include <atomic_ops.h>
#include <scree/memory.h>
#include <stdbool.h>

/* Bytes of tables: held now, and their maximum since `peak` was last set. Any thread may allocate and free what is
 * counted here. Every table counts as one user, and so does the owner: the last one frees the account, since a table
 * may outlive its owner. Freed tables that are kept for reuse are held, but are no users. */
typedef struct scree__account {
  AO_t held, peak, users;
  AO_TS_t lock; /* of what follows */
  bool closed;  /* the owner is done with it: nothing is kept any more */
  struct scree__spare *spare;
} scree__account;
/* NULL: no memory. The owner is done with it by scree__account_close; NULL is legal there. */
scree__account *scree__account_new(void);
void scree__account_close(scree__account *account);
/* Returns to the system what is kept for reuse. Local; any thread. */
void scree__account_drop(scree__account *account);

/* Bytes of a huge page that memory may be on without being reserved (transparent huge pages), as in
 * /sys/kernel/mm/transparent_hugepage/hpage_pmd_size: 2 MiB on x86-64, 32 MiB or 512 MiB on aarch64 with larger small
 * pages. 2 MiB where that file is missing. `root` is a prefix of the path, "" except in tests. Local; any time. */
size_t scree__huge_page_read(const char *root);
/* The same of this machine, which is read once. */
size_t scree__huge_page(void);

/* As scree_huge_alloc. huge: request huge pages; else they are left to the system. lazy: not zeroed, and counted as
 * taken only when it is touched, as suits a pool that may never be used up; a table that is too large then ends the
 * process. */
void *scree__huge_alloc(size_t bytes, bool huge, bool lazy);
/* Counts bytes of a table that is not allocated here, or no longer. Any thread. */
void scree__account_add(scree__account *account, size_t bytes);
void scree__account_subtract(scree__account *account, size_t bytes);
/* As scree__huge_alloc, not lazy; the bytes are counted until scree_huge_free. */
void *scree__huge_alloc_counted(size_t bytes, bool huge, scree__account *account);
/* As scree__huge_alloc_counted, of tables that every run of a kernel needs again: scree_huge_free keeps them, with
 * their pages, for the next call of about this size. A call that finds none drops what is kept. *dirty: it was in use
 * before, so it is not zeroed. */
void *scree__huge_alloc_kept(size_t bytes, bool huge, scree__account *account, bool *dirty);
#endif
