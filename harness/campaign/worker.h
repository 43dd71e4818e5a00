/* Worker: one job of a campaign that checks programs in this process: the builtin engine's, or the
 * function that a fuzzing engine calls. It owns the folder CAMPAIGN/NAME/ with its ledger, and
 * leaves programs that show a new signature in CAMPAIGN/new/ for the campaign to confirm. */
#ifndef HARNESS_WORKER_H
#define HARNESS_WORKER_H

#include "harness/campaign/ledger.h"
#include "harness/campaign/options.h"

typedef struct Worker Worker;
struct Worker {
    const CampaignOptions *options;
    const char *campaign, *name; /* the folder; "builtin-0" */
    Checker checker;
    Executor *compiler; /* the one of the pair that records features, or NULL */
    Ledger *ledger;
    Counts counts;                       /* written by ledger_set after each program */
    Features features;                   /* of the last program */
    Arena arena;                         /* of paths and what locating needs: reset per finding */
    void (*on_program)(const Worker *w); /* after every program, or NULL: for measuring */
};

/* 0, or an exit code and one sentence. */
int worker_open(Worker *w, const CampaignOptions *o, const char *campaign, const char *name,
                char *message, size_t message_size);
void worker_close(Worker *w);

/* Checks `p`, which is program `number` of the job; counts it, and keeps a finding's program if its
 * signature is new to the job. True if `p` showed a new feature (w->features holds all it showed).
 * The caller ends the program with ledger_set. */
bool worker_check(Worker *w, const Program *p, int64_t number, Arena *arena);
/* Marks the features that `p` shows when it is checked as program `number`, and counts nothing
 * else: for a resumed job. */
void worker_recall(Worker *w, const Program *p, int64_t number, Arena *arena);

/* Leaves a program at which earlier processes of the job died in new/, and counts it as a finding.
 */
void worker_give_up(Worker *w, const Program *p, int64_t number);

/* The builtin engine: `mutate` percent of its programs are mutants of one that it kept, the others
 * come from the generator. Job `job` of `jobs` checks programs job, job + jobs, .. of the stream,
 * up to `runs`; with a shard K of N it is job K * jobs + job of N * jobs. They depend only on the
 * seed, the seed corpus and these numbers. 0 when all are checked, or an exit code and one
 * sentence. */
int worker_builtin(const CampaignOptions *o, const char *campaign, int job, int jobs,
                   void (*on_program)(const Worker *w), char *message, size_t message_size);

/* One input of a job of another engine. The current folder is the job's: the file `job` in it holds
 * the job's name and the words of its options, which `parse` reads. Ends the process if that file
 * cannot be read. */
void worker_input(const uint8_t *v, size_t n, CampaignParse *parse,
                  void (*on_program)(const Worker *w));
/* From now on this process dies with its parent. */
void worker_follow_parent(void);
/* Writes the file `job`. */
bool worker_describe(const char *campaign, const char *name, const CampaignOptions *o,
                     char *message, size_t message_size);

#endif
