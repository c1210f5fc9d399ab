/* unfinished.c - a table of paths, which a signal handler may read at any time, while other threads change it. */
#include "io/unfinished.h"

#include <atomic_ops.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { FREE, CLAIMED, NAMED };

static struct {
  AO_t state; /* a thread that has claimed an entry writes its path, and releases it as named */
  char path[PATH_MAX];
} files[UNFINISHED_MAX];

void scree__unfinished_add(const char *path) {
  if (strlen(path) >= PATH_MAX) return;
  for (int i = 0; i < UNFINISHED_MAX; i++) {
    /* acquire: the path is written after an earlier owner has read it */
    if (!AO_compare_and_swap_acquire(&files[i].state, FREE, CLAIMED)) continue;
    strcpy(files[i].path, path);
    AO_store_release(&files[i].state, NAMED); /* release: a handler reads the path */
    return;
  }
}

void scree__unfinished_drop(const char *path) {
  for (int i = 0; i < UNFINISHED_MAX; i++)
    if (AO_load_acquire(&files[i].state) == NAMED && strcmp(files[i].path, path) == 0) {
      AO_store_release(&files[i].state, FREE); /* release: the comparison comes before the next path */
      return;
    }
}

/* A path that is replaced meanwhile was renamed or removed, so that unlink finds nothing, or an unfinished file. */
void scree__unfinished_remove(void) {
  for (int i = 0; i < UNFINISHED_MAX; i++)
    if (AO_load_acquire(&files[i].state) == NAMED) unlink(files[i].path);
}
