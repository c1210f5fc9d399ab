/* last_words.c - what is printed of a world whose program did not read its failure: when the world closes, by the rank
 * that raised it, or when the process ends, as it does after `if (scree_end(w, NULL)) return 1;`. */
#include <pthread.h>
#include <stdlib.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "io/say.h"
#include "observe/observe.h"

/* Worlds of the process that are open and not simulated. */
typedef struct watched {
  scree_world *world;
  struct watched *next;
} watched;
static watched *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void scree__watch_last_words(scree_world *world) {
  watched *w = malloc(sizeof *w);
  if (!w) return;
  *scree__feature_state(world, &scree__last_words_feature) = w;
  pthread_mutex_lock(&lock);
  *w = (watched){world, all};
  all = w;
  pthread_mutex_unlock(&lock);
}

static void forget(scree_world *world) {
  watched *mine = *scree__feature_state(world, &scree__last_words_feature);
  pthread_mutex_lock(&lock);
  watched **w = &all;
  while (*w && *w != mine) w = &(*w)->next;
  if (mine) *w = mine->next;
  pthread_mutex_unlock(&lock);
  free(mine);
}

/* A failure is printed by the rank that raised it, or, if ranks have not agreed on one, by each that has one. */
static const char *unread(scree_world *world, bool ends) {
  const scree__worker *first = world->worker[0];
  const uint64_t agreed = AO_load_acquire(&world->agreed);
  if (AO_load(&world->read)) return "";
  if (AO_load_acquire(&world->has_text)) return !agreed || scree_error_rank(world) == world->rank ? world->text : "";
  if (agreed && scree_error_rank(world) != world->rank) return "";
  if (agreed) return world->text;
  return ends && !first->failed ? first->failure.text : "";
}

static void say_at_close(scree_world *world) {
  if (!*scree__feature_state(world, &scree__last_words_feature)) return;
  const char *text = unread(world, false);
  if (*text) scree__say("%s\n", text);
}

/* Other threads may still run: nothing is waited for. */
static void say_at_end(scree_world *world) {
  const char *text = unread(world, true);
  if (scree__is_forked(world)) return;
  if (*text)
    scree__say("%s\n", text);
  else if (!AO_load(&world->read) && !scree__agreed(world) && !world->worker[0]->failed)
    scree__say(
        "scree: rank %u of %u: the process ends and a world is open: call scree_close on all ranks first, else other "
        "ranks may wait for this one\n",
        world->rank, world->ranks);
}

__attribute__((destructor)) static void end(void) {
  if (pthread_mutex_trylock(&lock)) return;
  for (const watched *w = all; w; w = w->next) say_at_end(w->world);
  pthread_mutex_unlock(&lock);
}

const scree__feature scree__last_words_feature = {.close = say_at_close, .free = forget};
