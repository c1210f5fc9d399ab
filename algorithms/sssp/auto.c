/* auto.c - the default of SSSP: opt, but on few ranks dc, which prepares nothing, for one run or on a graph without
 * hubs. */
#include "sssp/variants.h"

/* Ranks up to which dc sends about as many messages as opt; arcs of a vertex below which opt works as horizon does, and
 * dc, which may work ahead of other ranks without a limit, would gain little; vertices from which on the tables that dc
 * reads at random for all arcs, where opt examines few, leave the caches. */
enum { FEW = 2, SPARSE = 6, LARGE = 1 << 21 };

/* With a graph that is only planned they are assumed. Collective. */
static bool has_hubs(const scree_graph *g) {
  bool hubs = true;
  return !g->graphs || scree__sssp_hubs(g, &hubs) || hubs; /* the run finds a world that has failed */
}

static const scree__variant *choose(const scree_graph *g, const void *options, uint64_t runs, const char **reason) {
  const scree_sssp_options *o = options;
  const double arcs = (double)g->arcs * (g->directed ? 2 : 1);
  const char *why = NULL;
  if (g->vertices.ranks > FEW)
    why = "on many ranks dc sends more messages";
  else if (g->vertices.n >= LARGE)
    why = "on a large graph dc examines too many arcs";
  else if (arcs < SPARSE * (double)g->vertices.n)
    why = "the graph has few arcs per vertex";
  else if (has_hubs(g) && runs != 1) /* in this order: ranks may have different options */
    why = "rows sorted by weight pay from two runs on";
  if (o && o->delta != SCREE_UNSET_REAL) why = "a width is given";
  *reason = why         ? why
            : runs == 1 ? "one run is over before rows sorted by weight pay"
                        : "without hubs rows sorted by weight do not pay";
  return why ? &scree__sssp_opt : &scree__sssp_dc;
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__NO_PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__sssp_auto = {
    .about = {"auto", "dc on few ranks, for one run or without hubs, of a dense graph not too large; or opt"},
    .options = options,
    .tuned = true,
    .choose = choose,
};
