/* say.h - lines on standard error that no other process splits. */
#ifndef SCREE__SAY_H
#define SCREE__SAY_H

/* Prints to stderr as fprintf does, but by one write: from glibc 2.37 on, fprintf prints to a stream without a buffer
 * in pieces of 128 bytes, and another rank may print between them. Lines of 1,024 bytes or more are printed by
 * vfprintf. Local; any thread. */
__attribute__((format(printf, 1, 2))) void scree__say(const char *format, ...);

#endif
