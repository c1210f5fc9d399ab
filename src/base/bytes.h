/* bytes.h - amounts of memory as readable text. */
#ifndef SCREE__BYTES_H
#define SCREE__BYTES_H
#include <stdio.h>

typedef struct {
  char text[32];
} scree__bytes_text;

/* "12.5 MiB", "1.1 PiB": a number below 1024 and its unit, from MiB up. */
static inline scree__bytes_text scree__bytes_format(double bytes) {
  static const char *const units[] = {"MiB", "GiB", "TiB", "PiB", "EiB"};
  scree__bytes_text t;
  size_t unit = 0;
  for (bytes /= 1 << 20; bytes >= 1023.95 && unit < 4; bytes /= 1024) unit++;
  snprintf(t.text, sizeof t.text, "%.1f %s", bytes, units[unit]);
  return t;
}

#endif
