/* Campaign: several jobs of one engine, watched by one process that judges what they leave behind.
 *
 *     OUT/campaign/            corpus/    programs to start from and to share, as bytes (seed-*;
 *                              what jobs kept)
 *                              new/       programs and inputs that a job stopped at, not yet judged
 *                              judged/    those that are
 *                              verdicts/  what each signature turned out to be
 *                              NAME/      a job's own folder: its ledger, its log
 *                              records.jsonl, words, settings, ledger (the campaign's own), lock
 *     OUT/SIGNATURE/           a report, once the campaign itself has seen the finding again
 *
 * Everything that counts is in the folder before it is counted, so a campaign that dies of anything
 * goes on with --resume. */
#ifndef HARNESS_CAMPAIGN_H
#define HARNESS_CAMPAIGN_H

#include "harness/cli/command.h"
#include "harness/triage/group.h"
#include "harness/campaign/ledger.h"

#include <sys/types.h>

enum { MAX_JOBS = 64 };

typedef struct Job {
    pid_t pid;     /* 0: not running */
    char name[32]; /* "libfuzzer-0" */
    Ledger *ledger;
    double started; /* now_seconds() */
    int64_t starts, died_early;
    int64_t programs; /* when it was last seen to go on, */
    double moved;     /* and when that was */
    int64_t taken;    /* files of its queue */
    bool finished;    /* it came to its own end */
} Job;

typedef struct Campaign Campaign;

typedef struct FuzzEngine {
    const char *name, *text;
    int first_seeds; /* programs of the generator to begin with, where the engine needs a corpus */
    /* Finds what the engine needs; else one sentence. */
    bool (*ready)(Campaign *c, char *message, size_t message_size);
    /* In the job's process: becomes the engine. Returns only if that fails. */
    void (*become)(Campaign *c, int job);
    /* Takes what the engine left in folders of its own over to new/ and corpus/; may be NULL. */
    void (*gather)(Campaign *c);
} FuzzEngine;
/* NULL if there is none of that name; then `known` lists them. */
const FuzzEngine *engine_find(const char *name);
const char *engine_names(void);

struct Campaign {
    const Options *options;
    const FuzzEngine *engine;
    char *out, *folder;   /* absolute */
    const char *target;   /* the program that the engine runs */
    const char *mutators; /* AFL++ */
    Arena arena;          /* as long as the campaign */
    Arena scratch;        /* of one step */
    Ledger *own;          /* elapsed seconds, artifacts judged */
    Ledger *sum;          /* of all ledgers, made anew when shown */
    double before, start; /* seconds of earlier runs; when this one began */
    double shown, recorded;
    int64_t last_programs; /* for programs a second: when last recorded */
    double last_time;
    Job job[MAX_JOBS];
    int njobs;
    pid_t confirm; /* judges `judged`, or 0 */
    char *confirming;
    double confirm_since;
    int confirm_tries; /* of the same file */
    bool is_new;       /* the folder held no campaign that goes on */
    bool interrupted;
    int code;
};

/* `twingrad fuzz` with --engine, --jobs or --resume. An exit code. */
int campaign_run(const Options *o);

/* ---- campaign/folder.c ---- */
/* Makes or takes up the folder: 0, or an exit code after complaining. `*o` becomes the options that
 * hold (with --resume: those of the start, then these). */
int folder_open(Campaign *c, Options *o);
/* Fills corpus/ from --corpus and, for an engine that needs a corpus, from the generator. */
int folder_seed(Campaign *c);
/* The first file in new/, or NULL; the string is the caller's. */
char *folder_next(Campaign *c);
/* Moves new/NAME to judged/. */
void folder_confirmed(Campaign *c, const char *name);
/* Copies a file into another folder of the campaign, under `name`, unless it was there or, of new/,
 * has been judged. */
void folder_take(Campaign *c, const char *from, const char *folder, const char *name);
/* Files in a folder. */
int64_t folder_count(const char *path);

/* ---- campaign/confirm.c ---- */
/* In a process of its own, since the program may end it: runs the file again, minimizes, reports,
 * prints. Exit status: JUDGED_*. */
/* With `plainly` it is neither minimized nor located further than it is. */
enum {
    CONFIRM_NOTHING,
    CONFIRM_FINDING,
    CONFIRM_KNOWN,
    CONFIRM_SEEN /* its signature has a verdict */,
    CONFIRM_TROUBLE
};
int confirm_file(Campaign *c, const char *name, bool plainly);

/* ---- campaign/show.c ---- */
void show_start(Campaign *c);
/* The status line, and now and then a record. */
void show_now(Campaign *c, bool last);
void show_summary(Campaign *c);
double campaign_elapsed(const Campaign *c);
/* Sums the ledgers into c->sum. */
const Counts *campaign_sum(Campaign *c);

/* ---- campaign/verdict.c ---- */
/* What a signature turned out to be. */
typedef struct TriageResult {
    const Seen *seen;
    bool confirmed; /* else nothing else is set: not yet, or not seen again */
    FindingStatus status;
    const char *group, *issue, *file, *record; /* issue and file: NULL if none */
    int statements;
} TriageResult;
/* Of every signature of c->sum, in its order. */
TriageResult *verdicts_read(Campaign *c);
/* The groups that they make. */
Groups verdicts_group(Campaign *c, const TriageResult *s);
/* results.json, report.html and what the options name. An exit code. */
int verdicts_publish(Campaign *c, const TriageResult *s, const char *summary);

#endif
