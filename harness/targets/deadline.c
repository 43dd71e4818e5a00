/* A limit in seconds of the clock kills processes of a busy machine that only wait for a core:
 * eight of them on two cores need minutes to import PyTorch, and those that replace the killed ones
 * are no faster. So a process may use its seconds of processor time, and takes as long by the clock
 * as it needs for that, within bounds: one that computes next to nothing hangs. Where processor
 * time is unknown, the clock decides. */
#include "harness/targets/deadline.h"

#include "harness/targets/processor_time.h"
#include "harness/util/clock.h"

#include <math.h>

#define FIRST_LOOK 1.0   /* seconds; a process that answers before is never looked at */
#define MOST_TIMES 10.0  /* as long by the clock as in processor time, at most */
#define LEAST_SHARE 0.02 /* of a core: less is waiting, not computing */

void deadline_set(Deadline *d, double seconds) {
    const double now = now_seconds();
    *d = (Deadline){seconds, now, now + seconds, -1, now, -1};
}

static double first_look(const Deadline *d) { return d->begun + fmin(FIRST_LOOK, d->seconds / 4); }

static void look(Deadline *d, const Process *p, double now) {
    d->looked = now;
    d->used = processor_time(p->pid);
}

bool deadline_passed(Deadline *d, const Process *p) {
    const double now = now_seconds(), next = fmax(d->at, now + d->seconds / 4);
    if (d->looked == d->begun) {
        if (now >= first_look(d)) {
            look(d, p, now);
            d->used_at_first = d->used;
            d->at = d->used < 0 ? d->at : next; /* late, if we have been stopped meanwhile */
        }
        return false;
    }
    if (now < d->at) {
        return false;
    }
    const double looked = d->looked, used = d->used;
    look(d, p, now);
    const double left = d->seconds - (d->used - d->used_at_first);
    d->at = fmax(next, now + left);
    return d->used_at_first < 0 || left <= 0 || now >= d->begun + MOST_TIMES * d->seconds ||
           d->used - used < LEAST_SHARE * (now - looked);
}

double deadline_left(const Deadline *d) {
    return (d->looked == d->begun ? first_look(d) : d->at) - now_seconds();
}
