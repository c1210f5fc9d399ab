/* stack_fault.c - the handler runs on an alternate stack, since the one of the task has ended, and prints only by
 * write. */
#include "task/stack_fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/tools.h"

enum { ALTERNATE = 64 << 10 };

/* Near: a handler that first uses them on a thread must not allocate. */
static _Thread_local scree__fault_watch *watches SCREE__NEAR_TLS; /* of this thread */
static _Thread_local void *alternate SCREE__NEAR_TLS;             /* the signal stack that it was given */
static _Thread_local bool provided SCREE__NEAR_TLS;               /* it has one, of the program or this */
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;
static struct {
  pthread_mutex_t lock;
  uint32_t watches;
  struct sigaction before;
} handler = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the line ---- */

typedef struct {
  char text[400];
  size_t n;
} line;

static void add_text(line *l, const char *text) {
  while (*text && l->n + 1 < sizeof l->text) l->text[l->n++] = *text++;
}

static void add_number(line *l, size_t number) {
  char digits[24], *at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  add_text(l, at);
}

static void report(const scree__fault_watch *w, const scree__stack *stack) {
  line l = {.n = 0};
  add_text(&l, "scree: ");
  add_text(&l, w->who);
  add_text(&l, ": task '");
  add_text(&l, w->task(stack));
  add_text(&l, "' has used up its stack of ");
  add_number(&l, w->stacks->bytes);
  add_text(&l, " bytes: set task_stack (4K to 8M) higher; the deepest use of another one so far is ");
  add_number(&l, scree__stacks_deepest(w->stacks, stack));
  add_text(&l, "\n");
  if (write(STDERR_FILENO, l.text, l.n) < 0) return; /* no reader */
}

/* ---- the handler ---- */

/* By default the access is repeated, and ends the process. A signal that was sent, which no access repeats, is raised
 * once more: it is delivered when the handler returns. */
static void pass_on(int number, siginfo_t *info, void *context) {
  const struct sigaction before = handler.before;
  const bool sent = info->si_code <= 0;
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else if (before.sa_handler == SIG_DFL || !sent) {
    sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (sent) raise(number);
  }
}

static void on_fault(int number, siginfo_t *info, void *context) {
  for (const scree__fault_watch *w = watches; w; w = w->next) {
    const scree__stack *stack = scree__stacks_guarding(w->stacks, info->si_addr);
    if (stack) report(w, stack);
  }
  pass_on(number, info, context);
}

static void install(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  pthread_mutex_lock(&handler.lock);
  if (!handler.watches++) sigaction(SIGSEGV, &action, &handler.before);
  pthread_mutex_unlock(&handler.lock);
}

/* A handler that was installed over this one stays. */
static void uninstall(void) {
  struct sigaction is;
  pthread_mutex_lock(&handler.lock);
  if (!--handler.watches && !sigaction(SIGSEGV, NULL, &is) && (is.sa_flags & SA_SIGINFO) && is.sa_sigaction == on_fault)
    sigaction(SIGSEGV, &handler.before, NULL);
  pthread_mutex_unlock(&handler.lock);
}

/* A stack that the program has set since stays. */
static void free_alternate(void *memory) {
  stack_t has;
  if (memory && !sigaltstack(NULL, &has) && has.ss_sp == memory) sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  free(memory);
}

static void make_key(void) {
  has_key = !pthread_key_create(&at_exit, free_alternate);
}

static bool give_alternate(void) {
  stack_t has;
  pthread_once(&once, make_key);
  if (sigaltstack(NULL, &has) || !(has.ss_flags & SS_DISABLE)) return true;
  alternate = has_key ? malloc(ALTERNATE) : NULL;
  if (!alternate || pthread_setspecific(at_exit, alternate)) return false;
  return !sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = ALTERNATE}, NULL);
}

static void take_alternate(void) {
  if (alternate) pthread_setspecific(at_exit, NULL);
  free_alternate(alternate);
  alternate = NULL;
  provided = false;
}

#if defined(SCREE__ASAN) || defined(SCREE__TSAN)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

bool scree__stack_faults_watch(scree__fault_watch *watch) {
  if (SANITIZED) return true;
  if (!provided) provided = give_alternate();
  if (!provided) {
    take_alternate();
    return false;
  }
  watch->next = watches;
  watches = watch;
  if (!watch->installed) install();
  watch->installed = true;
  return true;
}

void scree__stack_faults_forget(scree__fault_watch *watch) {
  scree__fault_watch **at = &watches;
  while (*at && *at != watch) at = &(*at)->next;
  if (*at) *at = watch->next;
}

void scree__stack_faults_close(scree__fault_watch *watch) {
  if (watch->installed) uninstall();
  watch->installed = false;
  if (!watches) take_alternate();
}
