/* cc.c - the kernel of connected components: its record, and what its variants share. */
#include <scree/cc.h>

#include "cc/run.h"

static const scree__variant *const variants[] = {&scree__cc_afforest, &scree__cc_label, NULL};

void scree__cc_on_links(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  scree__cc_of(run)->take_links(run, items, count);
}

void scree__cc_on_requests(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__cc_of(run)->take_requests(run, sender, items, count);
}

static scree_status finish(scree__run *run) {
  uint64_t components = 0, largest = 0;
  scree_status status = scree__cc_count(run, &components, &largest);
  run->figure[0] = (double)components;
  run->figure[1] = (double)largest;
  run->passes = 1;
  return status;
}

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  (void)source;
  (void)options;
  return scree_cc_validate(graph, answer->array[0], verdict);
}

const scree__kernel scree__kernel_cc = {
    .about = {.name = "cc",
              .help = "connected components",
              .arrays = {{"component", SCREE_VALUE_REPRESENTATIVE, true}},
              .figures = {"components", "largest"},
              .options_name = "scree_cc_options",
              .options_init = "SCREE_CC_OPTIONS_INIT",
              .options_size = sizeof(scree_cc_options)},
    .variants = variants,
    .finish = finish,
    .validate = validate,
    .passes = 1.5,
    .shared = sizeof(scree__cc),
    .memory = {.local = 9},
};
