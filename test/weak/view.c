/* view.c - what a thread knows of the stores to each atomic object, and of the acts of other threads. */
#include <stdlib.h>
#include <string.h>

#include "weak.h"

static void grow(weak_view *view, uint32_t count) {
  if (count <= view->count) return;
  count = count < 64 ? 64 : count;
  if (!(view->seen = realloc(view->seen, count * sizeof *view->seen))) abort();
  memset(view->seen + view->count, 0, (count - view->count) * sizeof *view->seen);
  view->count = count;
}

uint32_t *weak_seen(weak_view *view, uint32_t object) {
  if (object >= view->count) grow(view, object + object / 2 + 1);
  return &view->seen[object];
}

void weak_join_seen(weak_view *to, const weak_view *from) {
  grow(to, from->count);
  for (uint32_t i = 0; i < from->count; i++)
    if (from->seen[i] > to->seen[i]) to->seen[i] = from->seen[i];
}

void weak_join(weak_view *to, const weak_view *from) {
  weak_join_seen(to, from);
  for (uint32_t i = 0; i < WEAK_THREADS; i++)
    if (from->clock[i] > to->clock[i]) to->clock[i] = from->clock[i];
}

void weak_clear(weak_view *view) {
  free(view->seen);
  *view = (weak_view){.count = 0};
}
