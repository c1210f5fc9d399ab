/* tried.c - what tuning tries of a kernel: its options by their tables, and those of a world that matter most. */
#include "package/tried.h"

#include <stdio.h>
#include <stdlib.h>

#include "args/args.h"

static const char of_worlds[] = "coalesce-bytes = auto, 1K..256K*4\n"
                                "in-flight = 4, 2, 16\n"
                                "flush-age = 1ms, 100us, 10ms\n"
                                "batch-max = 8192, 1024\n"
                                "spin = 256, 0, 4096\n"
                                "distribution = block, cyclic, hash\n"
                                "relabel = auto, degree\n";

static bool refuse(const char *name, char *why, size_t size) {
  size_t n = (size_t)snprintf(why, size, "option '--kernel': '%s' is not legal; legal: ", name);
  for (size_t i = 0; cli_kernel_at(i) && n < size; i++)
    n += (size_t)snprintf(why + n, size - n, "%s%s", cli_kernel_at(i)->name,
                          !cli_kernel_at(i + 1) ? ""
                          : i                   ? ", "
                                                : " (the default), ");
  return false;
}

/* "algorithm = opt, dc", of the variants that are worth a try. */
static void write_algorithms(FILE *to, const scree_kernel *kernel) {
  size_t count = 0;
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++) count += scree_kernel_variant_tuned(kernel, i);
  if (count < 2) return;
  fputs("algorithm = ", to);
  for (size_t i = 0, k = 0; scree_kernel_variant_at(kernel, i); i++)
    if (scree_kernel_variant_tuned(kernel, i))
      fprintf(to, "%s%s", k++ ? ", " : "", scree_kernel_variant_at(kernel, i)->name);
  fputc('\n', to);
}

/* "queue = buckets, dary if algorithm = dc" */
static void write_axis(FILE *to, const scree_kernel *kernel, const char *name, const char *values) {
  char variants[256];
  cli_name_variants(kernel, name, true, "|", "|", variants, sizeof variants);
  fprintf(to, "%s = %s", name, values);
  if (!cli_is_of_all(kernel, name)) fprintf(to, " if algorithm = %s", variants);
  fputc('\n', to);
}

static void write_all(FILE *to, const scree_kernel *kernel, double delta) {
  char widths[128];
  fprintf(to, "kernel = %s\n", kernel->name);
  write_algorithms(to, kernel);
  for (size_t i = 0; cli_kernel_option_at(kernel, i); i++) {
    const scree_kernel_option *option = cli_kernel_option_at(kernel, i);
    if (option->tried) write_axis(to, kernel, option->row.name, option->tried);
  }
  snprintf(widths, sizeof widths, "auto, %.3g, %.3g, %.3g, %.3g", delta / 4, delta / 2, 2 * delta, 4 * delta);
  if (delta > 0 && scree_kernel_option_find(kernel, SIZE_MAX, "delta")) write_axis(to, kernel, "delta", widths);
  fputs(of_worlds, to);
}

bool package_tried(const char *name, double delta, char **axes, char *why, size_t size) {
  const cli_subcommand *c = cli_kernel_subcommand(name);
  size_t bytes;
  if (!c) return refuse(name, why, size);
  FILE *to = open_memstream(axes, &bytes);
  if (to) write_all(to, c->kernel, delta);
  return (to && fclose(to) == 0) || (snprintf(why, size, "no memory for the axes"), false);
}
