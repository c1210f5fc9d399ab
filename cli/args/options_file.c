/* options_file.c - options from a file, set as if they were words of the command line; where each was set. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "io/input_file.h"

/* The text of a file. Values point into it, so it lives as long as they do. */
struct cli_file {
  cli_file *before; /* the file that was read before this one */
  char *text;
};

/* Puts FILE:LINE before the message; what does not fit is cut off at the end. */
static bool blame(cli_args *args, cli_origin at) {
  char *located = NULL;
  if (asprintf(&located, "%s:%zu: %s", at.file, at.line, args->why) < 0) return false;
  args->why[0] = 0;
  strncat(args->why, located, sizeof args->why - 1);
  free(located);
  return false;
}

bool cli_blame(cli_args *args, const cli_origin *at) {
  return at && at->file ? blame(args, *at) : false;
}

/* Removes the blanks at both ends. */
static char *trim(char *text) {
  static const char blanks[] = " \t\r\v\f";
  text += strspn(text, blanks);
  size_t n = strlen(text);
  while (n && strchr(blanks, text[n - 1])) n--;
  text[n] = 0;
  return text;
}

/* A '#' at the beginning of a line or after a blank begins a comment. */
static void cut_comment(char *line) {
  for (char *p = strchr(line, '#'); p; p = strchr(p + 1, '#'))
    if (p == line || p[-1] == ' ' || p[-1] == '\t') {
      *p = 0;
      return;
    }
}

/* A flag may be alone on its line, as on the command line. */
static bool is_flag(const cli_args *args, const char *name) {
  bool flag = false;
  return cli_has_option(args->command, name, &flag) && flag;
}

static bool read_line(cli_args *args, char *line) {
  char *words = trim(line), *equals = strchr(words, '=');
  if (!*words) return true;
  if (equals) *equals++ = 0;
  const char *name = trim(words);
  const char *value = equals ? trim(equals) : is_flag(args, name) ? "on" : NULL;
  if (value && *value && *name && *name != '-') return cli_set_from_file(args, name, value);
  snprintf(args->why, sizeof args->why,
           "'%s%s%s' is not legal; legal: NAME = VALUE, the name without dashes, as coalesce-bytes = 4K, and comments "
           "after #",
           name, value ? " = " : "", value ? value : "");
  return false;
}

/* Returns the whole file, or NULL with the reason in args->why. */
static char *read_text(cli_args *args, const char *name) {
  char *text = NULL;
  size_t size = 0;
  const char *reason = NULL;
  FILE *file = scree__input_open_text(name, &reason);
  errno = 0;
  ssize_t n = file ? getdelim(&text, &size, 0, file) : -1; /* up to a zero byte, which text does not contain */
  bool binary = n > 0 && text[n - 1] == 0, failed = n < 0 && (!file || !feof(file));
  if (failed)
    snprintf(args->why, sizeof args->why,
             "option '--options': cannot read '%s': %s; name a text file that every rank can read", name,
             reason ? reason : strerror(errno));
  if (binary)
    snprintf(args->why, sizeof args->why, "option '--options': '%s' is not a text file; its lines are NAME = VALUE",
             name);
  if (file) fclose(file);
  if (n < 0 && !failed && text) text[0] = 0; /* empty */
  if (!failed && !binary && text) return text;
  if (!failed && !binary)
    snprintf(args->why, sizeof args->why, "no memory for the options in '%s'; free memory on this host", name);
  free(text);
  return NULL;
}

bool cli_read_options_file(cli_args *args, const char *name) {
  char *text = read_text(args, name), *line;
  cli_file *file = text ? malloc(sizeof *file) : NULL;
  if (text && !file)
    snprintf(args->why, sizeof args->why, "no memory for the options in '%s'; free memory on this host", name);
  if (!file) return free(text), false;
  *file = (cli_file){args->files.read, text};
  args->files.read = file;
  args->at.reading = (cli_origin){name, 0};
  bool good = true;
  for (char *rest = text; good && (line = strsep(&rest, "\n"));) {
    args->at.reading.line++;
    cut_comment(line);
    good = read_line(args, line) || blame(args, args->at.reading);
  }
  args->at.reading = (cli_origin){NULL, 0};
  return good;
}

void cli_args_free(cli_args *args) {
  free(args->how);
  free(args->source.list);
  free(args->files.named);
  args->how = NULL;
  args->source.list = NULL;
  args->files.named = NULL;
  args->files.count = 0;
  while (args->study.word_count) free(args->study.words[--args->study.word_count]);
  while (args->files.read) {
    cli_file *file = args->files.read;
    args->files.read = file->before;
    free(file->text);
    free(file);
  }
}
