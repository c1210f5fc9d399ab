/* launcher.h - programs and what starts their ranks.
 *
 * Room: which program, of which MPI, and the words of mpirun, of mpiexec or of a template before it. */
#ifndef STUDY_LAUNCHER_H
#define STUDY_LAUNCHER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the reason of a failure goes. */
typedef struct {
  char *text;
  size_t size;
} study_why;
/* Writes it; returns false. */
bool study_fail(study_why why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A growing list of words that ends with NULL. */
typedef struct {
  char **word;
  size_t count;
  bool lost; /* no memory: a word is missing */
} study_words;
void study_words_add(study_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void study_words_free(study_words *words);

typedef struct {
  const char *path; /* lives as long as the process */
  bool mpich;       /* else it is of Open MPI */
} study_program;

/* The program that the axis mpi means: openmpi, mpich, a path, or NULL for this very program. What a program says of
 * itself is asked for once. */
bool study_find_program(const char *mpi, study_program *program, study_why why);

typedef struct {
  study_program program;
  const char *template; /* or NULL for mpirun or mpiexec */
  const char *bind;     /* none, core, core:N; NULL: core if the cores suffice, else none */
  uint64_t ranks;
} study_launch;

/* Adds the launcher's words for a job with these variables, NAME=VALUE, to which it adds its own. */
bool study_add_launcher(const study_launch *launch, study_words *words, study_words *env, study_why why);

#endif
