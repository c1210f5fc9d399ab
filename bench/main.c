/* main.c - the main of every benchmark program. */
#include "common.h"

int main(int argc, char **argv) {
  return bench_main(argc, argv, bench_modes);
}
