/* version.c - the version of the library. */
#include <scree/version.h>

const char *scree_version(void) {
  return SCREE_VERSION;
}
