/* Requests to end: ^C, a terminal that closes, `kill`. */
#ifndef HARNESS_INTERRUPT_H
#define HARNESS_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP is noted; one that comes half a second later, or
 * after that, ends the process. */
void interrupt_note(void);
/* Was one noted? */
bool interrupt_came(void);

#endif
