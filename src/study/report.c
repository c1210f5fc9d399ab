/* report.c - stub */
#include "study.h"
int study_report(const study_request *request) {
  (void)request;
  return 2;
}
