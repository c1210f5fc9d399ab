/* roads.c - shortest paths by the library, validated, and a reduction over the distances. */
#include <math.h>
#include <scree/sssp.h>

int main(void) {
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *graph;
  scree_solver *sssp;
  scree_answer answer;
  scree_verdict verdict;
  if (scree_open(NULL, &world) || scree_graphs_open(world, &graphs)) return 1;
  if (scree_graph_load(graphs, "examples/village.gr", NULL, &graph)) {
    fprintf(stderr, "%s\n", scree_graphs_error(graphs));
    return 1;
  }
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  how.algorithm = "delta";
  uint64_t source = scree_graph_find(graph, 1); /* the vertex that the file calls 1 */
  if (scree_solver_open(graphs, scree_kernel_find("sssp"), &sssp)) return 1;
  if (scree_solver_run(sssp, graph, source, &how, &answer)) return 1;
  if (scree_solver_validate(sssp, graph, source, &how, &answer, &verdict)) return 1;

  const double *distance = answer.array[0];
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < answer.locals; u++) {
    if (!(distance[u] < INFINITY)) continue;
    all.sum[0]++;
    if (distance[u] > (double)all.max) all.max = (uint64_t)distance[u];
  }
  if (scree_graphs_reduce(graphs, &all)) return 1;
  if (scree_graphs_worker(graphs)->rank == 0)
    printf("%d of %d crossings reached, the farthest after %d m: %s\n", (int)all.sum[0], (int)graph->vertices.n,
           (int)all.max, verdict.valid ? "valid" : verdict.text);

  scree_answer_free(&answer);
  scree_solver_close(sssp);
  scree_graph_free(graph);
  scree_graphs_close(graphs);
  return scree_close(world) != SCREE_OK;
}
