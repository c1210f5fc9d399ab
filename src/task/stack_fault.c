/* stack_fault.c - the handler runs on an alternate stack, since the one of the task has ended, and prints only by
 * write. */
#include "task/stack_fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tools.h"

enum { ALTERNATE = 64 << 10 };

static _Thread_local scree__fault_watch *watches; /* of this thread */
static _Thread_local void *alternate;             /* the signal stack that it was given */
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

static void on_fault(int number, siginfo_t *info, void *context) {
  for (const scree__fault_watch *w = watches; w; w = w->next) {
    const scree__stack *stack = scree__stacks_guarding(w->stacks, info->si_addr);
    if (stack) report(w, stack);
  }
  const struct sigaction before = handler.before;
  if (before.sa_flags & SA_SIGINFO)
    before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(number);
  else
    sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL},
              NULL); /* the access is repeated, and ends the process */
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

static bool give_alternate(void) {
  stack_t has;
  if (sigaltstack(NULL, &has) || !(has.ss_flags & SS_DISABLE)) return true;
  alternate = malloc(ALTERNATE);
  return alternate && !sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = ALTERNATE}, NULL);
}

static void take_alternate(void) {
  if (alternate) sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  free(alternate);
  alternate = NULL;
}

#if defined(SCREE__ASAN) || defined(SCREE__TSAN)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

bool scree__stack_faults_watch(scree__fault_watch *watch) {
  if (SANITIZED) return true;
  if (!watches && !give_alternate()) {
    take_alternate();
    return false;
  }
  watch->next = watches;
  watches = watch;
  install();
  return true;
}

void scree__stack_faults_forget(scree__fault_watch *watch) {
  scree__fault_watch **at = &watches;
  while (*at && *at != watch) at = &(*at)->next;
  if (!*at) return;
  *at = watch->next;
  uninstall();
  if (!watches) take_alternate();
}
