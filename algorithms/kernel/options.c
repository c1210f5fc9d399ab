/* options.c - a kernel's structure of options, by the tables of its variants. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "kernel/kernel.h"

const scree_kernel_option *scree_kernel_option_at(const scree_kernel *kernel, size_t i, size_t j) {
  if (!kernel) return NULL;
  const scree__variant *const *variants = scree__kernel_of(kernel)->variants;
  for (size_t k = 0; k < i && *variants; k++) variants++;
  const scree_kernel_option *option = *variants ? (*variants)->options : NULL;
  for (size_t k = 0; k < j && option && option->row.name; k++) option++;
  return option && option->row.name ? option : NULL;
}

const scree_kernel_option *scree_kernel_option_find(const scree_kernel *kernel, size_t i, const char *name) {
  if (!kernel || !name) return NULL;
  const bool any = i == SIZE_MAX;
  for (size_t k = any ? 0 : i; any ? scree_kernel_variant_at(kernel, k) != NULL : k == i; k++)
    for (size_t j = 0; scree_kernel_option_at(kernel, k, j); j++)
      if (scree__option_is(&scree_kernel_option_at(kernel, k, j)->row, name, strlen(name)))
        return scree_kernel_option_at(kernel, k, j);
  return NULL;
}

/* Calls `act` for each row of each variant, until it returns other than 0. */
static int for_each_row(const scree_kernel *kernel, int (*act)(const scree_option *row, void *options, void *arg),
                        void *options, void *arg) {
  int code = 0;
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++)
    for (size_t j = 0; scree_kernel_option_at(kernel, i, j) && code == 0; j++)
      code = act(&scree_kernel_option_at(kernel, i, j)->row, options, arg);
  return code;
}

static int make_unset(const scree_option *row, void *options, void *arg) {
  static const uint64_t whole = SCREE_UNSET;
  static const double real = SCREE_UNSET_REAL;
  (void)arg;
  char *field = (char *)options + row->offset;
  if (row->kind == SCREE_KIND_REAL)
    memcpy(field, &real, sizeof real);
  else if (row->kind != SCREE_KIND_FLAG)
    memcpy(field, &whole, sizeof whole);
  return 0;
}

void scree_kernel_options_init(const scree_kernel *kernel, void *options) {
  if (!kernel || !options) return;
  memset(options, 0, kernel->options_size);
  memcpy(options, &kernel->options_size, sizeof kernel->options_size);
  for_each_row(kernel, make_unset, options, NULL);
}

int scree_kernel_options_set(const scree_kernel *kernel, void *options, const char *name, const char *text, char *why,
                             size_t size) {
  if (!kernel || !options || !name) {
    snprintf(why, size, "no kernel, options or name of an option: pass what is not NULL");
    return -1;
  }
  const scree_kernel_option *option = scree_kernel_option_find(kernel, SIZE_MAX, name);
  if (option) return scree__option_parse(&option->row, options, text, "", why, size);
  snprintf(why, size, "option '%s' is unknown to %s", name, kernel->name);
  return -1;
}

/* ---- a caller's structure ---- */

typedef struct {
  char *text;
  size_t size;
} reason;

static int complete(const scree_option *row, void *options, void *arg) {
  const reason *why = arg;
  return scree__option_fill(row, options, why->text, why->size);
}

int scree__kernel_options_complete(const scree_kernel *kernel, const void *options, void *full, char *why,
                                   size_t size) {
  const scree__sized type = {kernel->options_name, kernel->options_init, kernel->options_size};
  reason r = {why, size};
  scree_kernel_options_init(kernel, full);
  if (scree__sized_copy(&type, full, options, why, size)) return -1;
  return for_each_row(kernel, complete, full, &r);
}
