/* words.c - words of a command line: lists of them, and quoting for a shell. */
#include "study/util/words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void study_words_add(study_words *words, const char *format, ...) {
  char **longer = realloc(words->word, (words->count + 2) * sizeof *longer), *text = NULL;
  va_list list;
  va_start(list, format);
  if (longer) words->word = longer;
  if (!longer || vasprintf(&text, format, list) < 0)
    words->lost = true;
  else
    words->word[words->count++] = text;
  va_end(list);
  if (longer) longer[words->count] = NULL;
}

void study_words_free(study_words *words) {
  for (size_t i = 0; i < words->count; i++) free(words->word[i]);
  free(words->word);
  *words = (study_words){0};
}

void study_print_word(const char *word, FILE *to) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  if (*word && !word[strspn(word, plain)]) {
    fputs(word, to);
    return;
  }
  fputc('\'', to);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", to);
    else
      fputc(*word, to);
  fputc('\'', to);
}
