/* Backlog: findings of a search with a target in the pair. A check by a target costs milliseconds
 * to seconds, and minimizing takes hundreds of them, so the search does not stop for a finding. It
 * keeps the program if it is among the first of its sketch, has it run again in a process of its
 * own, and goes on meanwhile. A sketch is what is known without running anything more: oracle,
 * kind, op, error.
 *
 *     while searching   finding -> sketch -> new? -> run again alone -> kept
 *     afterwards        kept -> run again in other processes -> locate -> known? -> minimize
 *
 * What comes afterwards has a share of the time that the run is given (backlog_reserve). What was
 * not minimized when the time was up is reported as it was found. */
#ifndef HARNESS_BACKLOG_H
#define HARNESS_BACKLOG_H

#include "harness/campaign/options.h"
#include "harness/triage/locate.h"

enum { BACKLOG_MAX = 512, BACKLOG_OF_SKETCH = 3 };

typedef struct Waiting {
    const Program *program;
    Finding finding; /* as found; not located */
    uint32_t fired;
    int64_t index; /* of its program in the stream */
    bool bare;
    int sketch;     /* index */
    int rank;       /* 0: the first of its sketch, which alone is run again */
    bool running;   /* again, in its own process */
    int runs, seen; /* how often it was run again, and showed the same */
} Waiting;

typedef struct Sketch {
    char text[320];
    int64_t count; /* programs that show it */
    int kept;
} Sketch;

typedef struct Backlog {
    Arena arena; /* what is kept */
    Waiting *waiting[BACKLOG_MAX * BACKLOG_OF_SKETCH];
    int n;
    Sketch *sketch[BACKLOG_MAX];
    int nsketches;
    int64_t dropped; /* findings whose sketch did not fit: they are counted, and no more */
    Checker again;   /* the pair, each program in a process of its own */
    bool opened, cannot_open;
} Backlog;

/* Takes a finding of `p`, which is copied if it is kept. */
void backlog_add(Backlog *b, const CampaignOptions *o, const Program *p, const Finding *finding,
                 uint32_t fired, int64_t index, bool bare);
/* Takes the results of programs that ran again meanwhile. */
void backlog_turn(Backlog *b);
/* Seconds of the run that are needed after the search, for what is kept so far. */
double backlog_reserve(const Backlog *b, double seconds);
/* Runs the first of each sketch again in processes with other hash seeds and numbers of threads,
 * until `end` (now_seconds(); 0: no limit). */
void backlog_repeat(Backlog *b, const CampaignOptions *o, double end);
/* Did the first of its sketch show every time? */
bool backlog_steady(const Backlog *b, const Waiting *w);
/* The processes of the backlog that run are waited for until then (now_seconds()). */
void backlog_until(Backlog *b, double until);
void backlog_close(Backlog *b);

#endif
