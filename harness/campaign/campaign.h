/* Campaign: several jobs of one engine, supervised by one process that confirms what they find.
 *
 *     OUT/campaign/            corpus/    programs to start from and to share, as bytes (seed-*;
 *                              kept by jobs)
 *                              new/       programs and inputs to be confirmed
 *                              judged/    those that are done
 *                              verdicts/  the triage result of each signature
 *                              NAME/      a job's own folder: its ledger, its log
 *                              records.jsonl, words, settings, seeded, ledger (of the campaign),
 *                              lock, ended
 *     OUT/SIGNATURE/           a report, once the supervisor has seen the finding again
 *
 * Everything is written to the folder before it is counted, so a campaign that is killed at any
 * point can be resumed. What people see goes to an Output, and to nowhere else. */
#ifndef HARNESS_CAMPAIGN_H
#define HARNESS_CAMPAIGN_H

#include "harness/campaign/ledger.h"
#include "harness/campaign/options.h"
#include "harness/triage/group.h"
#include "harness/util/output.h"

#include <sys/types.h>

enum { MAX_JOBS = 64 };

/* The folder of files that are confirmed or refuted. */
#define DONE_FOLDER "judged"

typedef struct Job {
    pid_t pid;     /* 0: not running */
    char name[32]; /* "libfuzzer-0" */
    Ledger *ledger;
    double started; /* now_seconds() */
    int64_t starts, died_early;
    int64_t began;    /* its programs when it was started */
    int64_t progress; /* ledger_progress when it last grew, */
    double moved;     /* and when that was */
    int64_t taken;    /* files of its queue */
    bool finished;    /* it ended by itself and is not started again */
} Job;

typedef struct Campaign Campaign;

typedef struct FuzzEngine {
    const char *name, *text;
    int first_seeds; /* programs of the generator to begin with, where the engine needs a corpus */
    bool ends;       /* a job ends when its share of the programs is checked; others never do */
    /* Finds what the engine needs; false and one sentence if it is not here. */
    bool (*ready)(Campaign *c, char *message, size_t message_size);
    /* In the job's process: becomes the engine. Returns only if that fails. */
    void (*become)(Campaign *c, int job);
    /* Copies what the engine left in folders of its own to new/ and corpus/; may be NULL. */
    void (*gather)(Campaign *c);
} FuzzEngine;
/* NULL if there is none of that name; then `known` lists them. */
const FuzzEngine *engine_find(const char *name);
const char *engine_names(void);

struct Campaign {
    const CampaignOptions *options;
    const Output *output;
    const FuzzEngine *engine;
    char *out;            /* as it was given */
    char *folder;         /* OUT/campaign, absolute */
    const char *target;   /* the program that the engine runs */
    const char *mutators; /* AFL++ */
    Arena arena;          /* as long as the campaign */
    Arena scratch;        /* of one step */
    Ledger *own;          /* elapsed seconds, artifacts confirmed */
    Ledger *sum;          /* of all ledgers, computed when shown */
    double before, start; /* seconds of earlier runs; when this one began */
    double shown, recorded;
    int64_t last_programs; /* for programs a second: when last recorded */
    double last_time;
    Job job[MAX_JOBS];
    int njobs;
    pid_t confirm;    /* the process that runs confirm_file on `confirming`, or 0 */
    char *confirming; /* a file of new/ */
    double confirm_since;
    int confirm_tries;    /* of the same file: deaths of the process so far */
    int confirm_signal;   /* of the last death; 0: the process took too long, */
    bool confirm_late;    /* for which it is killed */
    bool cannot_confirm;  /* the environment failed: what is in new/ stays there */
    char **left;          /* files of new/ whose confirming process ended without an answer: they */
    int nleft, left_room; /* stay there, too, and the others are confirmed */
    bool stopping;        /* the jobs are being ended: a signal is not the program's doing */
    bool is_new;          /* not resumed */
    bool interrupted;
    int code;
};

/* Runs or resumes a campaign: an exit code. `parse` reads the stored words of one that is
 * resumed. */
int campaign_run(const CampaignOptions *o, const Output *output, CampaignParse *parse);

/* output_problem that also raises c->code: campaign_problem(c, code, format, ..). */
#define campaign_problem(c, ...)                                                                   \
    ((c)->code = worst((c)->code, output_problem((c)->output, __VA_ARGS__)))

/* ---- campaign/folder.c ---- */
/* Makes the folder, or opens that of a campaign to resume: 0, or an exit code after a problem. `*o`
 * becomes the options that hold (with `resume`: the stored ones, overridden by these). */
int folder_open(Campaign *c, CampaignOptions *o, CampaignParse *parse);
/* Fills corpus/ from --corpus and, for an engine that needs a corpus, from the generator, unless
 * that was done before: the file `seeded` says so. */
int folder_seed(Campaign *c);
/* Is this file of a job complete? Engines write in place: while jobs run, a file counts as complete
 * a second after it was last written. */
bool folder_settled(const Campaign *c, const char *path);
/* The first complete file in new/ that is not confirm_left, or NULL; the string is the caller's. */
char *folder_next(Campaign *c);
/* Moves new/NAME to DONE_FOLDER. */
void folder_confirmed(Campaign *c, const char *name);
/* Copies a file into another folder of the campaign, under `name`, unless it is there or, for new/,
 * was confirmed before. */
void folder_take(Campaign *c, const char *from, const char *folder, const char *name);
/* Files in a folder. */
int64_t folder_count(const char *path);

/* ---- campaign/campaign.c ---- */
/* Did the process that confirms new/NAME end without an answer in this run? */
bool confirm_left(const Campaign *c, const char *name);

/* ---- campaign/anew.c ---- */
/* Removes what an earlier campaign left in the folder, but for its corpus, which becomes seeds. */
void folder_begin_anew(Campaign *c);
uint64_t content_hash(const char *v, int64_t n);

/* ---- campaign/settings.c ---- */
/* What a campaign that is resumed must share, in c->scratch. */
const char *settings_print(Campaign *c, const CampaignOptions *o);
/* What the first difference is in, "number of jobs"; NULL if there is none. */
const char *settings_difference(Campaign *c, const char *before, const char *now);

/* ---- campaign/confirm.c ---- */
/* The exit statuses of a process that confirms: none with which a process ends otherwise, as die
 * and sanitizers do. */
typedef enum ConfirmStatus {
    CONFIRM_NOTHING = 10, /* the finding does not show again */
    CONFIRM_FINDING,
    CONFIRM_KNOWN,
    CONFIRM_SEEN,   /* its signature has a triage result */
    CONFIRM_TROUBLE /* the environment failed */
} ConfirmStatus;
/* Runs new/NAME again, minimizes it, reports and prints the finding. To be called in a process of
 * its own, since the program may end it. With `as_is` the program is neither minimized nor
 * isolated. */
ConfirmStatus confirm_file(Campaign *c, const char *name, bool as_is);
/* Reports that new/NAME ended both processes that confirmed it: the last one by `signal`, or, with
 * 0, since it took `seconds`. The program is not run. */
ConfirmStatus confirm_death(Campaign *c, const char *name, int signal, int seconds);

/* ---- campaign/show.c ---- */
void show_start(Campaign *c);
/* The status line, and now and then a record. */
void show_now(Campaign *c, bool last);
void show_summary(Campaign *c);
double campaign_elapsed(const Campaign *c);
/* Sums the ledgers into c->sum. */
const Counts *campaign_sum(Campaign *c);

/* ---- campaign/verdict.c ---- */
/* What became of a signature. */
typedef struct TriageResult {
    const Seen *seen;
    bool confirmed; /* if not (not yet, or not seen again), only `pending` is set below */
    FindingStatus status;
    const char *group, *issue, *file, *record; /* issue and file: NULL if none */
    const char *ops;                           /* group_ops of the minimized program, or NULL */
    int statements;
    const char *pending; /* not confirmed: a file of new/ that is to show it, or NULL */
} TriageResult;
/* The files of new/, which are to be confirmed. */
typedef struct Pending {
    int64_t files;
    int64_t others;    /* those of no signature that is to be confirmed: crashes, and copies of what
                          is confirmed */
    const char *other; /* the first of them */
} Pending;
/* Those of all signatures of c->sum, in its order. */
TriageResult *verdicts_read(Campaign *c);
/* The groups that they make. */
Groups verdicts_group(Campaign *c, const TriageResult *s);
/* The files of new/; sets `pending` of the results that they are to show. */
Pending verdicts_pending(Campaign *c, TriageResult *s);
/* "new", .., "unconfirmed" or "not seen again". */
const char *verdict_outcome(const TriageResult *s);
/* Writes results.json, report.html and what the options name. */
void verdicts_publish(Campaign *c, const TriageResult *s, const Pending *pending,
                      const char *summary);

#endif
