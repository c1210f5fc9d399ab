/* patient.h - standard output that waits. */
#ifndef CLI_PATIENT_H
#define CLI_PATIENT_H

/* Replaces `stdout` by a stream that waits where standard output is full and does not block: another program that has
 * the same pipe or terminal may have set that, at any time. Called before the first print. Without memory for the
 * stream `stdout` stays as it is. */
void cli_wait_for_stdout(void);

#endif
