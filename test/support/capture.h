/* capture.h - what the process prints on standard error for a while.
 *
 * Only one capture at a time. */
#ifndef CAPTURE_H
#define CAPTURE_H
/* From here on standard error goes to a file. */
void capture_start(void);
/* The same, to a file that is open for reading and appending, and then is capture_end's. Processes may share it. */
void capture_to(int file);
/* Standard error is as before. What was written in between, to be freed. */
char *capture_end(void);
#endif
