/* fault.c - the fault sink. */
#include "transport/fault.h"

#include <stdarg.h>

void scree__fault_raise(scree__fault *fault, scree_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fault->status = status;
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
}
