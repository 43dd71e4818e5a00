/* The process between this one and a target. */
#ifndef HARNESS_TARGET_KEEPER_H
#define HARNESS_TARGET_KEEPER_H

#include "tensor/base.h"

#include <signal.h>
#include <sys/types.h>

typedef struct KeeperTask {
    char *const *argv;
    char *const *environment; /* "NAME=VALUE", NULL-ended: added to the target's */
    int in, out, err;         /* descriptors that become its standard streams */
    int64_t memory;           /* bytes of data that each of its processes may have; 0: no limit */
} KeeperTask;

/* The signals that the keeper waits for. They must be blocked when it is forked: until it waits, a
 * SIGTERM would be handled as in this process. */
sigset_t keeper_signals(void);

/* To be called in a forked child: runs the target in a child of its own and ends as it ends, by the
 * same status or signal. Before that it kills whatever processes the target has started, also those
 * that left its session (`setsid`) or whose parents have ended: they are adopted
 * (PR_SET_CHILD_SUBREAPER, prctl(2)). SIGTERM, or the end of `parent`, kills the target. Only
 * functions that are safe after fork in a process with threads are called. */
_Noreturn void keeper_run(const KeeperTask *task, pid_t parent);

#endif
