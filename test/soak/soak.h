/* soak.h - the board of a launch: a file that all its ranks map, read by test/soak.sh. */
#ifndef SOAK_H
#define SOAK_H
#include <scree/scree.h>

enum { BOARD_RANKS = 64 };

typedef struct {
  bool refused; /* the world refused the program, for lack of memory */
  uint64_t epochs, messages, losses;
} verdict;

/* Makes the rank's counters visible. Returns false and prints why if the file is unavailable. */
bool board_open(const char *path, uint32_t rank, uint32_t ranks);
/* The world whose blocks are counted; NULL before it closes. */
void board_world(const scree_world *world);
void board_messages(uint64_t n); /* handled, in addition; any thread */
void board_epoch(void);
/* Of rank 0: how to replay what it plays, and the outcome. */
void board_program(const char *replay);
void board_verdict(const verdict *v);
/* Prints the board: one line of totals, one of all progress, one to replay, one for each rank. */
int board_show(const char *path);
#endif
