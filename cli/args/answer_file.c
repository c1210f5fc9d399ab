/* answer_file.c - how the name of a file determines the answer that is written to it. */
#include <string.h>
#include <strings.h>

#include "args/args.h"
#include "io/ending.h"

/* Endings of files that an answer cannot be, each followed by a blank. */
static const char others[] = ".json .jsonl .xml .html .yaml .xz .bz2 .zip .7z .lz4 .tar .parquet .feather .arrow .npy "
                             ".npz .mat .h5 .hdf5 .xls .xlsx "
                             ".ods .gr .mtx .graph .metis .tuples .scree .sg .wsg .gml .graphml .net .dot .gv ";

/* The last ending of a name without .gz or .zst, of *length characters; "" if there is none. */
static const char *ending(const char *name, size_t *length) {
  const char *slash = strrchr(name, '/'), *at = slash ? slash + 1 : name;
  size_t n = strlen(at);
  if (n > 3 && scree__has_ending(at, ".gz"))
    n -= 3;
  else if (n > 4 && scree__has_ending(at, ".zst"))
    n -= 4;
  *length = 0;
  while (*length < n && at[n - *length - 1] != '.') ++*length;
  const bool any = *length < n;
  *length = any ? *length + 1 : 0;
  return at + n - *length;
}

char cli_answer_separator(const char *name) {
  size_t n;
  const char *end = ending(name ? name : "-", &n);
  return n == 4 && scree__ends_with(end, n, ".csv") ? ',' : '\t';
}

bool cli_check_answer_file(cli_args *args) {
  size_t n;
  const char *name = args->answer.file ? args->answer.file : "-", *end = ending(name, &n);
  for (const char *at = others; n && *at; at += strcspn(at, " ") + 1)
    if (strcspn(at, " ") == n && strncasecmp(at, end, n) == 0)
      return cli_fail(
          args,
          "option '--output': '%s': an answer is not written as %.*s; legal: .csv, with commas, or any other name, "
          "such as .tsv or .txt, with tabs; and .gz or .zst after them",
          name, (int)n, end);
  return true;
}
