/* fault.c - the fault sink. */
#include "transport/fault.h"

#include <stdarg.h>

#include "base/host.h"

void scree__fault_raise(scree__fault *fault, scree_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fault->status = status;
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
}

void scree__fault_no_memory(scree__fault *fault, size_t bytes, const char *what) {
  if (fault->text[0]) return;
  char limits[160];
  scree__process_limits(limits, sizeof limits);
  scree__fault_raise(fault, SCREE_ENOMEM,
                     "no memory for %s (%zu bytes): free memory on this host, start fewer ranks on it, or lower the "
                     "option memory%s",
                     what, bytes, limits);
}

void scree__fault_clear(scree__fault *fault) {
  if (fault->lost) return;
  fault->status = SCREE_OK;
  fault->text[0] = 0;
}
