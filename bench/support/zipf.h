/* zipf.h - a histogram whose words are drawn by Zipf's law: what is gained by combining counts of a word before they travel. */
#ifndef ZIPF_H
#define ZIPF_H
#include "common_requests.h"

/* Counts 2^b->scale words of each rank, 2^22 by default, of 2^20 that there are, drawn with exponent s; the option reduce is
 * auto, on and off; over MPI and, if all ranks are on one node, by shared memory. Prints and records all rates, as ratios to off
 * and to the plain loop too. False: it failed. Collective. */
bool bench_zipf(bench *b, double s);
#endif
