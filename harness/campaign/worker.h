/* Worker: one job of a campaign that checks programs in this process: the builtin engine's, or what
 * a fuzzing engine calls. It owns the folder CAMPAIGN/NAME/ with its ledger, and leaves programs
 * that show a new signature in CAMPAIGN/new/ for the campaign to judge. */
#ifndef HARNESS_WORKER_H
#define HARNESS_WORKER_H

#include "harness/cli/command.h"
#include "harness/campaign/ledger.h"

typedef struct Worker Worker;
struct Worker {
    const Options *options;
    const char *campaign, *name; /* the folder; "builtin-0" */
    Checker checker;
    Executor *compiler; /* of the pair, whose features are looked at; or NULL */
    Ledger *ledger;
    Counts counts;                       /* being made up; ledger_set when a program is done with */
    Features features;                   /* of the last program */
    Arena arena;                         /* of paths and what locating needs: reset per finding */
    void (*on_program)(const Worker *w); /* after every program, or NULL: for measuring */
};

/* 0, or an exit code after complaining. */
int worker_open(Worker *w, const Options *o, const char *campaign, const char *name);
void worker_close(Worker *w);

/* Checks `p`, which is program `number` of the job; counts it, and keeps a finding's program if its
 * signature is new to the job. True if `p` showed a new feature (w->features holds all it showed).
 * The caller ends the program with ledger_set. */
bool worker_check(Worker *w, const Program *p, int64_t number, Arena *arena);
/* Marks the features that `p` shows when it is checked as program `number`, and counts nothing
 * else: for a job that resumes. */
void worker_recall(Worker *w, const Program *p, int64_t number, Arena *arena);

/* Leaves a program that ended the process before to the campaign, and counts it as a finding. */
void worker_give_up(Worker *w, const Program *p, int64_t number);

/* The builtin engine: in --mutate percent of its programs a mutant of one that it kept, else one of
 * the generator. Job `job` of `jobs` checks programs job, job + jobs, .. of the stream, up to
 * --runs, and never returns before but for trouble. Which programs those are hangs on the seed, the
 * seed corpus, `job` and `jobs` alone. */
int worker_builtin(const Options *o, const char *campaign, int job, int jobs,
                   void (*on_program)(const Worker *w));

/* A job of another engine, in whose folder the process stands: the file `job` there says who it is
 * and what the options are. Dies where that cannot be read. */
void worker_input(const uint8_t *v, size_t n, void (*on_program)(const Worker *w));
/* From now on this process dies with its parent. */
void worker_follow_parent(void);
/* Writes that file. */
bool worker_describe(const char *campaign, const char *name, const Options *o, char *message,
                     size_t message_size);

#endif
