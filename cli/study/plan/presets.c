/* presets.c - the presets, each with one line of help. */
#include "study/plan/plan.h"

#include "study/plan/amer-fig14.inc"
#include "study/plan/coalescing.inc"
#include "study/plan/firoz-fig1.inc"
#include "study/plan/firoz-fig2-own.inc"
#include "study/plan/firoz-fig2.inc"
#include "study/plan/firoz-fig3.inc"
#include "study/plan/firoz-fig4.inc"
#include "study/plan/pebbles.inc"
#include "study/plan/scaling.inc"
#include "study/plan/transports.inc"

study_preset study_preset_at(size_t i) {
  static const struct {
    const char *name, *help;
    const unsigned char *text;
  } presets[] = {
      {"coalescing", "a few coalescing sizes, shortest paths and breadth-first search", preset_coalescing},
      {"scaling", "from one rank to one on each core, by algorithm", preset_scaling},
      {"transports", "shared memory against MPI alone, at a few coalescing sizes", preset_transports},
      {"firoz-fig1", "algorithms for shortest paths over graph sizes, as in figure 1", preset_firoz_fig1},
      {"firoz-fig2", "asynchronous progress of MPICH by binding, as in figure 2", preset_firoz_fig2},
      {"firoz-fig2-own", "the progress thread of scree by binding, as in figure 2", preset_firoz_fig2_own},
      {"firoz-fig3", "coalescing sizes of Distributed Control, as in figure 3", preset_firoz_fig3},
      {"firoz-fig4", "the same for breadth-first search, as in figure 4", preset_firoz_fig4},
      {"amer-fig14", "hybrid search by threads, pinning and locks, as in figure VI.14", preset_amer_fig14},
      {"pebbles", "reductions and routes: pruning by table or cache, cache sizes, routes", preset_pebbles},
  };
  if (i >= sizeof presets / sizeof presets[0]) return (study_preset){0};
  return (study_preset){presets[i].name, presets[i].help, (const char *)presets[i].text};
}
