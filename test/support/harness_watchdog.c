/* harness_watchdog.c - a thread that ends a test which has hung, and prints the library's hang report. It counts checks
 * that are made, so a test may take as long as it needs on a busy machine. */
#include "harness_watchdog.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <scree/scree.h>

#include "harness.h"

enum { LIMIT_SECONDS = 120, REPORT_SECONDS = 3 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  bool started, watches;
  const char *test;      /* NULL: nothing to watch */
  struct timespec until; /* by then something must have moved */
  unsigned seen;         /* `moves` at the last poll */
} dog = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static atomic_uint moves;

void harness__moved(void) {
  atomic_fetch_add_explicit(&moves, 1, memory_order_relaxed); /* relaxed: only that it changes counts */
}

static struct timespec seconds_from_now(time_t seconds) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += seconds;
  return at;
}

unsigned harness__checks(void) {
  return atomic_load_explicit(&moves, memory_order_relaxed);
}

static bool passed(const struct timespec *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec);
}

/* Called with the lock held: the test that hangs must not end meanwhile. */
static void bite(void) {
  dup2(fileno(harness__err), STDERR_FILENO);
  fprintf(harness__err, "harness: %s hung on rank %d of %d; the hang report follows if the rank still progresses\n",
          dog.test, harness_rank, harness_ranks);
  scree_report_request();
  nanosleep(&(struct timespec){.tv_sec = REPORT_SECONDS}, NULL);
  fprintf(harness__err, "harness: rank %d gives up\n", harness_rank);
  fflush(NULL);
  _exit(3);
}

static time_t limit(void) {
  const char *text = getenv("SCREE_TEST_TIMEOUT");
  long seconds = text ? strtol(text, NULL, 10) : 0;
  if (seconds > 0) return seconds;
  return LIMIT_SECONDS;
}

static bool has_moved(void) {
  unsigned now = harness__checks(), before = dog.seen;
  dog.seen = now;
  dog.until = seconds_from_now(limit());
  return now != before;
}

static void *watch(void *unused) {
  pthread_mutex_lock(&dog.lock);
  dog.watches = true;
  pthread_cond_signal(&dog.changed);
  for (;;) {
    if (!dog.test)
      pthread_cond_wait(&dog.changed, &dog.lock);
    else if (passed(&dog.until) && !has_moved())
      bite();
    else
      pthread_cond_timedwait(&dog.changed, &dog.lock, &dog.until);
  }
  return NULL;
}

void harness__watch(const char *test) {
  pthread_mutex_lock(&dog.lock);
  dog.test = test;
  dog.until = seconds_from_now(limit());
  dog.seen = harness__checks();
  if (!dog.started && pthread_create(&dog.thread, NULL, watch, NULL) == 0) {
    pthread_detach(dog.thread);
    dog.started = true;
    /* While a thread starts, the sanitizer may hold the lock of its heap, which a child forked then would wait for. */
    while (!dog.watches) pthread_cond_wait(&dog.changed, &dog.lock);
  }
  pthread_cond_signal(&dog.changed);
  pthread_mutex_unlock(&dog.lock);
}
