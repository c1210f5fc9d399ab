/* tune.c - stub */
#include "study.h"
int study_tune(const study_request *request) {
  (void)request;
  return 2;
}
