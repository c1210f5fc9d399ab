/* row.c - makes a test in the simulator one over the simulated memory: a run with a finding ends the program. */
#include "weak.h"

__attribute__((constructor)) static void observe(void) {
  scree__order = &weak_order;
  weak_fatal = true;
}
