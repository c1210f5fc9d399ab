/* kernel_options.c - the options of a kernel, by the tables of its variants: their values, and which variant has
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "base/nearest.h"
#include "base/option_table.h"

const scree_kernel_option *cli_kernel_option_at(const scree_kernel *kernel, size_t i) {
  for (size_t v = 0; kernel && scree_kernel_variant_at(kernel, v); v++)
    for (size_t j = 0; scree_kernel_option_at(kernel, v, j); j++) {
      const scree_kernel_option *option = scree_kernel_option_at(kernel, v, j);
      bool seen = false;
      for (size_t u = 0; u < v && !seen; u++) seen = scree_kernel_option_find(kernel, u, option->row.name) != NULL;
      if (!seen && i-- == 0) return option;
    }
  return NULL;
}

bool cli_init_kernel_options(cli_args *args) {
  if (!args->kernel) return true;
  if (cli_kernel_option_at(args->kernel, CLI_KERNEL))
    return cli_fail(args, "%s has more than %d options: raise CLI_KERNEL in cli/args/args.h", args->kernel->name,
                    CLI_KERNEL);
  args->how = malloc(args->kernel->options_size);
  if (!args->how)
    return cli_fail(args, "no memory for the options of %s; free memory on this host", args->kernel->name);
  scree_kernel_options_init(args->kernel, args->how);
  args->how->algorithm = scree_kernel_variant_at(args->kernel, 0)->name;
  return true;
}

bool cli_set_algorithm(cli_args *args, const char *text) {
  char known[256] = "";
  for (size_t i = 0; scree_kernel_variant_at(args->kernel, i); i++) {
    const char *name = scree_kernel_variant_at(args->kernel, i)->name;
    if (strcmp(name, text) == 0) return args->variant = i, args->how->algorithm = name, true;
    scree__names_add(known, sizeof known, name);
  }
  return cli_fail(args, "option '--algorithm': '%s' is unknown to %s; known are: %s", text, args->kernel->name, known);
}

/* ---- variants ---- */

bool cli_is_of_all(const scree_kernel *kernel, const char *option) {
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++)
    if (!scree_kernel_option_find(kernel, i, option)) return false;
  return true;
}

void cli_name_variants(const scree_kernel *kernel, const char *option, bool tuned, const char *separator,
                       const char *last, char *text, size_t size) {
  const char *names[64];
  size_t count = 0, all = 0, n = 0;
  while (scree_kernel_variant_at(kernel, all)) all++;
  for (size_t i = 1; i <= all && count < sizeof names / sizeof names[0]; i++) /* the first comes last */
    if (scree_kernel_option_find(kernel, i % all, option) && (!tuned || scree_kernel_variant_tuned(kernel, i % all)))
      names[count++] = scree_kernel_variant_at(kernel, i % all)->name;
  text[0] = 0;
  for (size_t i = 0; i < count && n < size; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%s", i == 0 ? "" : i + 1 == count ? last : separator, names[i]);
}

static bool is_given(const cli_args *args, const scree_option *row) {
  bool flag;
  memcpy(&flag, (const char *)args->how + row->offset, sizeof flag);
  return row->kind == SCREE_KIND_FLAG ? flag : !scree__option_is_unset(row, args->how);
}

bool cli_is_given(const cli_args *args, const char *option) {
  const scree_kernel_option *found = args->kernel ? scree_kernel_option_find(args->kernel, SIZE_MAX, option) : NULL;
  return found && is_given(args, &found->row);
}

bool cli_check_variant(cli_args *args) {
  for (size_t i = 0; cli_kernel_option_at(args->kernel, i); i++) {
    const scree_option *row = &cli_kernel_option_at(args->kernel, i)->row;
    char variants[256];
    if (!is_given(args, row) || scree_kernel_option_find(args->kernel, args->variant, row->name)) continue;
    cli_name_variants(args->kernel, row->name, false, ", ", " or ", variants, sizeof variants);
    cli_fail(args, "option '--%s' is for --algorithm %s, and the algorithm is %s", row->name, variants,
             args->how->algorithm);
    return cli_blame(args, &args->at.kernel[i]);
  }
  return true;
}
