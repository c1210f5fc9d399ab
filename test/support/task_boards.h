/* task_boards.h - boards: objects by which tasks synchronise, each kind with producers and consumers on drawn workers,
 * and what it promises them. What a board guards is memory that all ranks share, of plain words where the object alone
 * orders their uses: so the thread sanitizer sees an order that is missing. */
#ifndef TASK_BOARDS_H
#define TASK_BOARDS_H
#include <atomic_ops.h>
#include <scree/task_sync.h>

enum { BOARD_USERS = 6, BOARD_ITEMS = 4, BOARD_ROOM = 3 };
typedef enum { BOARD_SEMAPHORE, BOARD_MUTEX, BOARD_CONDITION, BOARD_FULL_EMPTY, BOARD_BARRIER, BOARD_KINDS } board_kind;

/* The objects of one play, and what they guard. */
typedef struct {
  scree_semaphore items, space;
  scree_mutex mutex;
  scree_condition not_full, not_empty;
  scree_full_empty word;
  scree_barrier barrier;
  uint32_t users;
  uint32_t home;                    /* their worker's number */
  bool local;                       /* all users are there */
  bool close;                       /* after the epoch */
  AO_t stock;                       /* in the buffer of the semaphores */
  uint64_t held;                    /* in that of the conditions */
  uint64_t inside, tickets, served; /* users of the mutex: now; that have requested it, if they are local; that have had
                                     * it */
  uint64_t written[1 + BOARD_USERS * BOARD_ITEMS], sum[BOARD_USERS];
  bool came[BOARD_ITEMS][BOARD_USERS], done[BOARD_USERS];
} board;

/* In memory that all ranks share; all but `random` and `workers` zero at first. */
typedef struct {
  uint64_t random;
  uint32_t workers; /* of each rank */
  bool fails;       /* a user may fail the world */
  board b[BOARD_KINDS];
} boards;

typedef struct {
  uint32_t kind, user;
} board_args;
SCREE_TASK(board_user, board_args);
SCREE_TASK(board_host, board_args);

/* One rank's part. */
typedef struct {
  boards *s;
  board_host_type host;
  board_user_type user;
} boards_rank;

/* Collective; in a world with tasks. */
void boards_register(scree_world *world, boards_rank *r);
/* An epoch of the boards, by each of the workers, and what must be true after it if the world has not failed. */
void boards_play(scree_worker *w, boards_rank *r);
/* True if all users have ended. Called when all ranks have left the epoch. */
void boards_check(const boards *s);

bool board_open(scree_worker *w, board *b);
#endif
