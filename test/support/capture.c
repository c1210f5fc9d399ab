/* capture.c - standard error to a file and back. */
#include "capture.h"

#include <unistd.h>

#include "harness.h"

static FILE *file;
static int err = -1;

void capture_start(void) {
  file = tmpfile();
  err = dup(STDERR_FILENO);
  assert_true(file && err >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
}

char *capture_end(void) {
  fflush(stderr);
  dup2(err, STDERR_FILENO);
  close(err);
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  char *text = calloc(1, (size_t)size + 1);
  assert_non_null(text);
  rewind(file);
  text[fread(text, 1, (size_t)size, file)] = 0;
  fclose(file);
  return text;
}
