/* The handler only sets a flag, which the loop that is to end polls. The first signal restores the
 * default action, so that a second one ends a loop that does not poll soon enough. */
#include "harness/util/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void util_interrupt_note(int signal) {
    (void)signal;
    came = 1;
}

void interrupt_note(void) {
    struct sigaction action = {.sa_handler = util_interrupt_note,
                               .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN) { /* `nohup`, a shell's background */
            sigaction(signals[i], &action, NULL);
        }
    }
}

bool interrupt_came(void) { return came != 0; }
