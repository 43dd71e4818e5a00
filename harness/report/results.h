/* Results: the outcome of a run of `fuzz` or `replay` as one JSON object (results.json), and its
 * forms for other tools: JUnit XML for CI, SARIF 2.1.0 for code scanning, a page for people,
 * Markdown for a CI step. All are made of the JSON alone, so `twingrad report` makes them again
 * later, and from merged runs. docs/reference/output.md describes the keys.
 *
 * A run of `fuzz` has no cases. The exit code is not in it: 1 if any finding is new. */
#ifndef HARNESS_RESULTS_H
#define HARNESS_RESULTS_H

#include "compiled/core/compile.h"
#include "program/json/json.h"
#include "program/json/tree.h"

/* One of `count` equal shares of a stream of programs: those whose numbers are index, index +
 * count, index + 2 count, ... */
typedef struct Shard {
    int64_t index, count; /* 0 <= index < count */
} Shard;

/* Collects the object. Zeroed but for the arena, which outlives it. */
typedef struct Results {
    Arena *arena;
    Text findings, cases;
    int nfindings, ncases;
} Results;

/* One finding: `count` programs showed it (the first was number `first` of the stream; -1: none),
 * in `file` (may be NULL); `record` is the text of report_finding_json, `statements` the size of
 * the program that it is about. */
typedef struct ResultsFinding {
    const char *outcome, *file, *signature, *record;
    const char *group; /* that it is in, where the cause does not say it; or NULL */
    int64_t count, first;
    int statements;
} ResultsFinding;
void results_add_finding(Results *r, const ResultsFinding *f);
/* One stored program; `why` may be NULL. */
void results_add_case(Results *r, const char *file, const char *name, const char *outcome,
                      const char *why);
/* What was run: the head of the object. */
typedef struct ResultsRun {
    const char *command, *pair;
    const CompileOptions *compile; /* its faults are named */
    const uint64_t *seed;          /* NULL: the programs were stored, not generated */
    Shard shard;                   /* of the stream; {0, 0} and {0, 1}: all of it */
} ResultsRun;
/* The whole object as text; `summary` is the text of a JSON object. */
void results_print(const Results *r, const ResultsRun *run, const char *summary, Text *out);

/* The files to write; NULL: not this one. */
typedef struct ReportFiles {
    const char *results; /* the object itself */
    const char *html, *junit, *sarif;
    const char *markdown; /* appended to */
} ReportFiles;

/* Can the folder `out` (may be NULL) and the files be written? To be called before the work, not
 * after it. 0, or EXIT_ENVIRONMENT and one sentence. */
int results_ready(const ReportFiles *files, const char *out, char *message, size_t message_size);
/* Is any file but the object itself named? */
bool results_wanted(const ReportFiles *files);
/* The object as a tree in `arena`; NULL and one sentence, which begins with `name`, if the text is
 * no such object, or a member that is read has another kind than it must have. */
const Json *results_parse(Arena *arena, const char *name, const char *text, int64_t length,
                          char *message, size_t message_size);
/* Writes the files but the object itself, made of its text. 0, or an exit code and one sentence: 2
 * if `text` is no such object (`name` says whose), 3 if a file cannot be written. */
int results_publish(const ReportFiles *files, const char *name, const char *text, int64_t length,
                    char *message, size_t message_size);
/* Writes the object itself, then the others. */
int results_write(const ReportFiles *files, const Text *text, char *message, size_t message_size);

/* ---- the forms; `root` is the parsed object ---- */
void results_junit(const Json *root, Arena *arena, Text *out);
void results_sarif(const Json *root, Arena *arena, Text *out);
void results_markdown(const Json *root, Arena *arena, Text *out);
void results_html(const Json *root, Arena *arena, Text *out);

/* ---- reading the object ---- */
/* Has every member that is read its kind? Else false, with the path of the first that has another
 * in r->message. */
bool results_check(Reader *r, const Json *root);
/* The string at `key`, or `otherwise` if there is none. */
const char *results_text(const Json *object, const char *key, const char *otherwise);
/* The number at `key`, or 0; numbers beyond 2^53 lose digits. */
double results_number(const Json *object, const char *key);
/* The first member of the array or object at `key`, or NULL. */
const Json *results_list(const Json *root, const char *key);
/* Findings whose outcome is `outcome`. */
int results_count(const Json *root, const char *outcome);
/* Stored programs whose outcome is `outcome`. */
int results_cases(const Json *root, const char *outcome);
/* The group that a finding is in: the one it names, or that of its cause, of the pass that its
 * cause is a step of, or of its signature; "" if none is listed. */
const char *results_group_of(const Json *root, const Json *finding);
/* FNV-1a of a text, 16 hex digits: the fingerprint. */
const char *results_fingerprint(Arena *arena, const char *text);

#endif
