/* fault.h - where all layers of a transport report what went wrong: one sink for each endpoint, written by the
 * layer that detects the fault, read and cleared by the core after each progress. */
#ifndef SCREE__FAULT_H
#define SCREE__FAULT_H
#include <scree/scree.h>

typedef struct {
  scree_status status;  /* of a call that returns no status; SCREE_OK: none */
  char text[256];       /* of the last fault, also of one whose status was returned */
  uint32_t written_off; /* pushed blocks that no rank will handle: the core adds them to what it has completed */
  uint32_t doubtful;    /* sends that MPI has failed: their messages may arrive all the same (decision 3) */
  bool lost;            /* a peer is gone: waiting is pointless. Never cleared */
  bool abandoned; /* at close: messages of this world may still be in flight, or MPI may read and write its blocks:
                         * nothing collective is done, communicators stay, as does the memory of active requests */
} scree__fault;

/* Sets status and text. */
void scree__fault_raise(scree__fault *fault, scree_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Clears status and text, unless it is lost: for a failed attempt to open a world that another attempt replaces. */
void scree__fault_clear(scree__fault *fault);
/* While a world opens: raises SCREE_ENOMEM, unless a call of MPI has left its text. */
void scree__fault_no_memory(scree__fault *fault, size_t bytes, const char *what);
#endif
