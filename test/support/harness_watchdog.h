/* harness_watchdog.h - the time limit of a test. */
#ifndef HARNESS_WATCHDOG_H
#define HARNESS_WATCHDOG_H

/* Starts the clock for `test`, or stops it with NULL. When no check was made for the limit
 * (SCREE_TEST_TIMEOUT seconds, by default 120), it requests the hang report of the library, gives the stuck ranks a
 * moment to print it, names the test and ends the process with code 3, which makes the launcher end the job. */
void harness__watch(const char *test);

/* Checks that were made so far, of all tests. Any thread. */
unsigned harness__checks(void);
#endif
