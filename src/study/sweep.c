/* sweep.c - stub */
#include "study.h"
int study_sweep(const study_request *request) {
  (void)request;
  return 2;
}
