/* irregular_case.h - rows of options under which an irregular kernel is run and validated, in the simulator and over
 * real ranks. */
#ifndef IRREGULAR_CASE_H
#define IRREGULAR_CASE_H
#include <scree/kernel.h>

enum { IRREGULAR_OPTIONS = 8 };

typedef struct {
  const char *kernel;
  struct {
    const char *name, *words; /* one of the words is drawn, for each of which there is a blank before it */
  } option[IRREGULAR_OPTIONS];
  const char *refused; /* part of the reason; NULL: the kernel runs */
} irregular_case;

extern const irregular_case irregular_cases[], irregular_refusals[]; /* end with a kernel of NULL */

typedef struct {
  const irregular_case *row;
  uint64_t draw;
  const char *form; /* NULL: it is drawn */
  uint64_t runs,
      failed; /* of all ranks so far, which in the simulator share this; failed: as the world has, without a check */
  bool may_fail, has_mpi; /* has_mpi: each rank has one worker, and MPI; else the form `mpi` is refused */
} irregular_try;

/* Runs the row twice in an idle world without tasks, each variant, which is drawn too; checks answers as a test does.
 * Collective. */
void irregular_play(scree_world *world, irregular_try *t);

#endif
