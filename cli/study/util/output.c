/* output.c - opening and closing the files that a report or tune writes. */
#include "study/util/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool study_is_standard_output(const char *name) {
  return name && strcmp(name, "-") == 0;
}

bool study_output_open(study_output *out, const char *option, const char *name, study_why why) {
  *out = (study_output){.option = option, .name = name};
  if (study_is_standard_output(name)) return out->to = stdout, true;
  int fd = scree__output_file_create(&out->file, name);
  out->to = fd < 0 ? NULL : fdopen(fd, "w");
  if (out->to) return errno = 0, true;
  const int error = errno;
  if (fd >= 0) close(fd);
  scree__output_file_finish(&out->file, false);
  return study_fail(why, "option '--%s': '%s' cannot be written: %s; name a file in a writable directory", option, name,
                    strerror(error));
}

bool study_output_close(study_output *out, study_why why) {
  int error = fflush(out->to) || ferror(out->to) ? errno ? errno : EIO : 0;
  if (out->to != stdout) {
    if (fclose(out->to) && !error) error = errno;
    const int unnamed = scree__output_file_finish(&out->file, !error);
    if (!error) error = unnamed;
  }
  return !error || study_fail(why,
                              "option '--%s': '%s' was not written in full: %s; free space there, or name another "
                              "file",
                              out->option, out->name, strerror(error));
}
