/* capture.h - what the process prints on standard error for a while.
 *
 * Only one capture at a time. */
#ifndef CAPTURE_H
#define CAPTURE_H
/* From here on standard error goes to a file. */
void capture_start(void);
/* Standard error is as before. What was written in between, to be freed. */
char *capture_end(void);
#endif
