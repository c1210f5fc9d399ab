/* say.h - lines on standard error that no other process splits. */
#ifndef SCREE__SAY_H
#define SCREE__SAY_H

/* As fprintf to stderr, but by one write, where that stream is not buffered: glibc 2.37 and later print in pieces of
 * 128 bytes there, between which another rank may print. Lines of 1,024 bytes or more are printed as by fprintf.
 * Local; any thread. */
__attribute__((format(printf, 1, 2))) void scree__say(const char *format, ...);

#endif
