/* attack_exit.c - preloaded by attack.sh: the process ends with code 3, without a message, when it gets SIGRTMAX. */
#include <signal.h>
#include <unistd.h>

static void on_signal(int number) {
  (void)number;
  _exit(3);
}

__attribute__((constructor)) static void install(void) {
  signal(SIGRTMAX, on_signal);
}
