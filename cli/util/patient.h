/* patient.h - standard output and standard error that wait. */
#ifndef CLI_PATIENT_H
#define CLI_PATIENT_H

/* Replaces `stdout` and `stderr` by streams that wait where the file is full and does not block: another program that
 * has the same pipe or terminal may have set that, at any time. A line of `stderr` is one write; what is not a line is
 * to be flushed. Called before the first print. Without memory for a stream the old one stays as it is. */
void cli_wait_for_readers(void);

#endif
