#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "task_systems.h"

void *task_peer_open(const char *library, const char **missing) {
  static char path[4096];
  const char *prefix = getenv("SCREE_PEERS");
  *missing = "set SCREE_PEERS to the prefix that it was installed under";
  if (!prefix) return NULL;
  snprintf(path, sizeof path, "%s/lib/%s", prefix, library);
  void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *missing = opened ? NULL : dlerror();
  return opened;
}

task_peer_fn *task_peer_find(void *library, const char *name, const char **missing) {
  void *symbol = library ? dlsym(library, name) : NULL;
  task_peer_fn *fn;
  memcpy(&fn, &symbol, sizeof fn); /* which ISO C has no cast for */
  if (library && !symbol) *missing = dlerror();
  return fn;
}
