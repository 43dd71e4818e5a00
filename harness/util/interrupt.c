/* The handler only sets a flag, which the loop that is to end polls. A second signal has the
 * default action, and so ends a loop that does not poll soon enough; but not at once: `timeout`
 * sends one to the process and one to its group. */
#include "harness/util/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

enum { ONE_REQUEST_MS = 500 }; /* signals that come within it are one request */

static volatile sig_atomic_t came;
static struct timespec first; /* only the handler uses it, which no signal of its own interrupts */

static void util_interrupt_note(int signal) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!came) {
        first = now;
        came = 1;
    } else if ((now.tv_sec - first.tv_sec) * 1000 + (now.tv_nsec - first.tv_nsec) / 1000000 >=
               ONE_REQUEST_MS) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(signal, &action, NULL);
        raise(signal); /* when the handler has returned */
    }
}

void interrupt_note(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = util_interrupt_note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaddset(&action.sa_mask, signals[i]);
    }
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN) { /* `nohup`, a shell's background */
            sigaction(signals[i], &action, NULL);
        }
    }
}

bool interrupt_came(void) { return came != 0; }
