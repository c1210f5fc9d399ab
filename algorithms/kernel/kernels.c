/* kernels.c - the public functions of the registry. */
#include <string.h>

#include "kernel/kernel.h"

const scree_kernel *scree_kernel_at(size_t i) {
  const scree__kernel *const *kernel = scree__kernels;
  while (*kernel && i--) kernel++;
  return *kernel ? &(*kernel)->about : NULL;
}

const scree_kernel *scree_kernel_find(const char *name) {
  if (!name) return NULL;
  if (strcmp(name, "color") == 0) name = "colour";
  for (const scree__kernel *const *kernel = scree__kernels; *kernel; kernel++)
    if (strcmp((*kernel)->about.name, name) == 0) return &(*kernel)->about;
  return NULL;
}

double scree_kernel_passes(const scree_kernel *kernel, const void *options) {
  if (!kernel || !options) return 0;
  const scree__kernel *k = scree__kernel_of(kernel);
  return k->passes_by ? k->passes_by(options) : k->passes > 0 ? k->passes : 0.5;
}

static const scree__variant *variant_at(const scree_kernel *kernel, size_t i) {
  const scree__variant *const *variant = scree__kernel_of(kernel)->variants;
  while (*variant && i--) variant++;
  return *variant;
}

const scree_algorithm *scree_kernel_variant_at(const scree_kernel *kernel, size_t i) {
  if (!kernel) return NULL;
  const scree__variant *variant = variant_at(kernel, i);
  return variant ? &variant->about : NULL;
}

bool scree_kernel_variant_tuned(const scree_kernel *kernel, size_t i) {
  if (!kernel) return false;
  const scree__variant *variant = variant_at(kernel, i);
  return variant && variant->tuned;
}

bool scree_kernel_variant_progress(const scree_kernel *kernel, size_t i) {
  if (!kernel) return false;
  const scree__variant *variant = variant_at(kernel, i);
  return variant && variant->progress;
}
