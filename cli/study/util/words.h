/* words.h - words of a command line: lists of them, and quoting for a shell. */
#ifndef STUDY_WORDS_H
#define STUDY_WORDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A growing list of words, terminated by NULL. */
typedef struct {
  char **word;
  size_t count;
  bool lost; /* a word is missing for lack of memory */
} study_words;
void study_words_add(study_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void study_words_free(study_words *words);

/* Prints a word so that a POSIX shell reads it as one. */
void study_print_word(const char *word, FILE *to);

#endif
