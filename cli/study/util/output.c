/* output.c - opening and closing the files that a report or tune writes. */
#include "study/util/output.h"

#include <errno.h>
#include <string.h>

bool study_is_standard_output(const char *name) {
  return name && strcmp(name, "-") == 0;
}

bool study_output_open(study_output *out, const char *option, const char *name, study_why why) {
  *out = (study_output){.option = option, .name = name};
  out->to = scree__output_open(&out->file, name);
  return out->to || study_fail(why, "option '--%s': '%s' cannot be written: %s; name a file in a writable directory",
                               option, name, strerror(errno));
}

bool study_output_close(study_output *out, study_why why) {
  const int error = scree__output_close(&out->file, out->to, true);
  return !error || study_fail(why,
                              "option '--%s': '%s' was not written in full: %s; free space there, or name another "
                              "file",
                              out->option, out->name, strerror(error));
}
