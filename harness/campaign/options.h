/* The options of a fuzzing run: the search in one process (search.h) and campaigns of several
 * (campaign.h) share these settings. The command line fills them (cli/fuzz_options.c); a campaign
 * stores the words of its command line and has them read again when it is resumed and in the
 * processes of its engine. */
#ifndef HARNESS_CAMPAIGN_OPTIONS_H
#define HARNESS_CAMPAIGN_OPTIONS_H

#include "fuzz/generate/generate.h"
#include "harness/check/check.h"
#include "harness/report/results.h"

/* The pair and how it is run. */
typedef struct CheckerOptions {
    const char *pair; /* "reference,compiled" */
    CompileOptions compile;
    Semantics semantics; /* NONE: those of a target, or of each program */
    TargetSettings targets;
    Limits limits; /* of a program that is checked */
    bool poke;
    uint32_t oracles_off; /* bit by OracleId: not asked */
} CheckerOptions;

/* Opens the pair: 0, or an exit code and one sentence. */
int checker_open_options(Checker *c, const CheckerOptions *o, char *message, size_t message_size);

typedef struct CampaignOptions {
    CheckerOptions checker;
    bool every_stage; /* run oracle_stages on every program */

    /* ---- programs ---- */
    uint64_t seed;
    GenerateOptions generate;
    Shard shard;       /* {0, 1}: all of the stream */
    bool swarm_passes; /* search: a random choice of passes is off */
    int64_t mutate;    /* percent of a builtin job's programs */

    /* ---- the end: whichever comes first; 0: no such limit ---- */
    double seconds;
    double patience; /* search with a target: seconds beyond those for findings that wait; 0: they
                        take their time from the search's */
    int64_t runs;    /* programs of the stream, whatever the shard */
    bool first;      /* the first finding */

    /* ---- findings ---- */
    const char *known; /* the file of known issues, or NULL */
    const char
        *base_python; /* search: the PyTorch whose findings are not new (baseline.h), or NULL */
    bool minimize;
    bool triage; /* search with a target: else findings are confirmed and stay as they were found */
    bool every;  /* search: report every finding, not only the first of its signature */

    /* ---- what is written ---- */
    const char *out; /* the folder for reports, or NULL */
    ReportFiles reports;
    bool json, timing;
    bool stats; /* search: count ops, dtypes, patterns and more */

    /* ---- campaigns of several jobs ---- */
    const char *engine, *corpus, *binary; /* NULL: not given */
    int64_t jobs;                         /* -1: not given */
    bool resume;
    char **words; /* of the command line; they live as long as the options */
    int nwords;
} CampaignOptions;

/* Reads the words of a `fuzz` command line: false and one sentence if they are not what it takes.
 * The command line's own function (cli/fuzz_options.c), passed to where stored words are read. */
typedef bool CampaignParse(CampaignOptions *out, int nwords, char **words, char *message,
                           size_t message_size);

#endif
