/* capture.h - what the process prints on standard error for a while, and what a world prints, as text to be freed. */
#ifndef CAPTURE_H
#define CAPTURE_H
#include <scree/scree_sim.h>

/* From now on standard error goes to a file. Only one capture at a time. */
void capture_start(void);
/* The same, to a file that is open for reading and appending, and then is capture_end's. Processes may share it. */
void capture_to(int file);
/* Standard error is as before. What was written in between, to be freed. */
char *capture_end(void);

/* What a simulated run that ends with a status prints, to be freed. */
char *capture_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                  scree_status expected);

/* As scree_report_print and scree_stats_print. */
char *capture_report(const scree_world *world);
char *capture_stats(const scree_world *world, bool json);
#endif
