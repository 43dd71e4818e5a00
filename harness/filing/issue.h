/* A finding as a report for the tracker of PyTorch: its template for bugs, or a unit test, with a
 * script of few lines that needs nothing but PyTorch. */
#ifndef HARNESS_ISSUE_H
#define HARNESS_ISSUE_H

#include "harness/check/check.h"
#include "program/json/json.h"

enum { ISSUE_RELEASES = 32, ISSUE_MODES = 8 };

/* What one release or one mode makes of the program. */
typedef struct IssueRun {
    const char *name;   /* "torch 2.15.0", "dynamo" */
    const char *answer; /* "shows it", "agrees", "skipped: ..", "another finding: .." */
    bool shows;
} IssueRun;

/* What is known beside the finding; zeros: not asked. */
typedef struct IssueFacts {
    IssueRun mode[ISSUE_MODES]; /* from the one that compiles least */
    int nmodes;
    IssueRun release[ISSUE_RELEASES]; /* the oldest first */
    int nreleases;
    bool ran;              /* the script was run: the next three say what came of it */
    bool failed;           /* it failed, as it should */
    const char *last_line; /* the last line of its error output, or "" */
    const char *frame; /* the innermost frame inside PyTorch, "torch/_inductor/x.py, f", or "" */
} IssueFacts;

typedef struct Issue {
    const Program *program;
    const Finding *finding;  /* located */
    const Result *a;         /* what the pair's first executor answered */
    const char *mode;        /* of the compiling target; NULL: the pair's own compiler */
    const char *version;     /* "torch 2.15.0"; NULL: the pair's own executors */
    const char *options;     /* of the check (report_pair_options) */
    const IssueFacts *facts; /* may be NULL */
} Issue;

/* The script alone: exits with an error if the finding is there. */
void issue_script(Text *text, const Issue *issue);
/* The report, as Markdown; its first line is the title. */
void issue_print(Text *text, const Issue *issue);
/* A unit test in the style of test/inductor. */
void issue_unittest(Text *text, const Issue *issue);

/* Fills `facts` for a finding of a target: runs the modes and the installed releases, and the
 * script. 0, or an exit code and a message. */
int issue_gather(Arena *arena, const Checker *c, const CompileOptions *compile,
                 const TargetSettings *settings, const Issue *issue, IssueFacts *facts,
                 char *message, size_t message_size);

#endif
