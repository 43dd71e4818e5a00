/* Search: random programs of one stream, generated and checked one after the other in this process.
 * Each new signature is located, minimized and reported, and the search goes on. With a target in
 * the pair that is done at the end (backlog.h).
 *
 *     generate(seed, index) -> check -> agree | skip (counted) | finding -> locate -> new
 *     signature? -> minimize -> report
 *
 * Given a seed and a number of programs, the findings and counts are the same in every run. Memory
 * does not grow: one arena per program under way, reset for the next; only signatures are kept, at
 * most SEARCH_MAX_SIGNATURES. */
#ifndef HARNESS_SEARCH_H
#define HARNESS_SEARCH_H

#include "harness/search/backlog.h"
#include "harness/search/baseline.h"
#include "harness/search/seeds.h"
#include "harness/campaign/options.h"
#include "harness/report/tally.h"
#include "harness/triage/group.h"
#include "harness/triage/script.h"
#include "harness/search/stage.h"

enum { SEARCH_MAX_SIGNATURES = 1024, SEARCH_MAX_WINDOW = 2 * TARGET_MAX_WORKERS };

/* A program under way. Where running ahead pays, several are submitted before the oldest of them is
 * checked. */
typedef struct SearchSlot {
    Arena arena; /* reset per program */
    const Program *p;
    GenerateInfo info;
    int64_t index; /* in the stream */
    bool bare;     /* its probes are left out */
} SearchSlot;

/* A signature and the group of its cause: two bugs that show in the same way are two entries. */
typedef struct Signature {
    char text[sizeof((Finding *)0)->signature];
    const char *group;
    const char *folder; /* of its report: the signature, unless another group has that folder */
    int64_t first;      /* index in the stream of the program that showed it first */
    bool bare;          /* that program without its probes */
    int64_t count;
    int statements;  /* of the minimized program */
    const char *key; /* of its group, where that is not the cause's: findings of targets */
    const char *stage, *terms; /* of a target: stage.h; or NULL */
    ScriptAnswer script;       /* of the repro script; UNKNOWN: it was not run */
    bool as_found;             /* the time was up before it was minimized */
    bool kept;                 /* the output folder held a report of it before this run */
    const char *record,
        *file;   /* for results.json: the finding as JSON, its program (NULL: nowhere) */
    bool listed; /* an entry of the known issues covers the program as found; one that is not
                    covered may be another bug */
    FindingStatus status;
} Signature;

/* A finding that is ready to be shown. */
typedef struct SearchFinding {
    const Signature *signature;
    const Program *program; /* minimized */
    const Finding *finding;
    uint32_t fired;   /* bits of all oracles that fired */
    const char *path; /* of the report, or NULL */
} SearchFinding;

typedef struct Search Search;

/* What the search reports to the caller while it runs. */
typedef struct SearchEvents {
    void *user;
    void (*finding)(void *user, const Search *s, const SearchFinding *f);
    void (*known)(void *user, const Signature *s, const KnownIssue *issue); /* once a signature */
    /* An error of a target that the repro script does not show: no finding. */
    void (*dropped)(void *user, const Signature *s);
    void (*progress)(void *user, const Search *s); /* after every program */
    void (*problem)(void *user, const char *sentence);
} SearchEvents;

struct Search {
    GenerateOptions generate; /* the options', with the semantics of the pair */
    const CampaignOptions *options;
    SearchEvents events;
    Checker checker;
    SearchSlot slot[SEARCH_MAX_WINDOW];
    int window; /* slots in use */
    int64_t generated;
    int64_t stream; /* index of the next program */
    SearchSeeds seeds;
    bool both_ways; /* a target compiles: a program with probes is checked without them as well,
                       since a probe may hide a bug or cause one */
    bool bare_due;  /* the next program is the last one without its probes */
    Arena *arena;   /* of the program that is checked */
    Arena work;     /* minimizing and reporting; reset per finding */
    Arena home;     /* as long as the search */
    double start, now;
    double end; /* until when findings may be minimized (now_seconds()); 0: no limit */
    Tally tally;
    bool detailed; /* the tally counts ops, dtypes and more: --stats, or a report */
    Signature signature[SEARCH_MAX_SIGNATURES];
    int nsignatures;
    int64_t unlisted; /* findings beyond SEARCH_MAX_SIGNATURES */
    bool queued;      /* findings wait in the backlog until the search is over */
    Backlog backlog;
    Baseline base;
    Stages stages;
    int unsettled;       /* sketches that wait for their turn after the search */
    bool unsteady;       /* the finding that is triaged did not show in every process */
    CampaignOptions own; /* the options, with the time at which targets are no longer waited for */
    Groups groups;
    Known known;
    int code; /* the exit code so far */
};

/* Opens what the options name. NULL if that fails: then *code is an exit code, `message` one
 * sentence. The options outlive the search. */
Search *search_open(const CampaignOptions *options, const SearchEvents *events, int *code,
                    char *message, size_t message_size);
/* Runs to a limit of the options, or to a signal; s->code says how it went. */
void search_run(Search *s);
void search_close(Search *s);

/* Counters of the pair's compiled executor, or zeros. */
const CompileCounters *search_compile_counters(const Search *s);

#endif
