/* Results: what a run of `fuzz` or `replay` came to, as one JSON object (results.json), and its
 * printings for others: JUnit XML for CI, SARIF 2.1.0 for code scanning, a page for people,
 * Markdown for a CI step. All are made of the JSON alone, so `twingrad report` makes them again
 * later, and of merged runs.
 *
 *     {"type": "results", "schema_version": 1, "twingrad", "compiler", "command", "pair", "fault"?,
 *     "seed"?,
 *      "summary": {"programs", "agree", "findings", "skipped", "skips": {REASON: n}, "refusals",
 *      "errors": {CODE: n}, "fired": {ORACLE: n}, ...,
 *                  with fuzz the counts of tally.h},
 *      "findings": [{"outcome": "new" | "known" | "flaky", "file", "count", "first"?, "statements",
 *      "op", then as report_finding_json}, ...],
 *      "cases": [{"file", "name", "outcome": "agree" | "new" | "known" | "fixed" | "flaky" |
 *      "skipped" | "not_expressible" | "bad", "why"?}, ...]}
 *
 * A run of `fuzz` has no cases. The exit code is not in it: 1 if any finding is new. */
#ifndef HARNESS_RESULTS_H
#define HARNESS_RESULTS_H

#include "harness/cli/command.h"
#include "program/json/tree.h"

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
    int64_t count, first;
    int statements;
} ResultsFinding;
void results_add_finding(Results *r, const ResultsFinding *f);
/* One stored program; `why` may be NULL. */
void results_add_case(Results *r, const char *file, const char *name, const char *outcome,
                      const char *why);
/* The whole object as text; `summary` is the text of a JSON object. */
void results_print(const Results *r, const Options *o, const char *pair, const char *summary,
                   Text *out);

/* Can --out and the files of results that the options name be written? Asked before the work, not
 * after it. 0, or 3 after complaining. */
int results_ready(const Options *o);
/* Does the command line ask for any file of results? */
bool results_wanted(const Options *o);
/* Writes the files that the options name (--html, --junit, --sarif; --markdown is appended to),
 * made of the text of the object. 0, or an exit code after complaining: 2 if `text` is no such
 * object (`name` says whose), 3 if a file can not be written. */
int results_publish(const Options *o, const char *name, const char *text, int64_t length);

/* Writes the object itself to `path` (NULL: nowhere), then as results_publish. */
int results_write(const char *path, const Text *text, const Options *forms);

/* ---- the printings; `root` is the parsed object ---- */
void results_junit(const Json *root, Arena *arena, Text *out);
void results_sarif(const Json *root, Arena *arena, Text *out);
void results_markdown(const Json *root, Arena *arena, Text *out);
void results_html(const Json *root, Arena *arena, Text *out);

/* ---- reading the object ---- */
/* The string at `key`, or `otherwise`. */
const char *results_text(const Json *object, const char *key, const char *otherwise);
/* The number at `key`, or 0; numbers beyond 2^53 lose digits. */
double results_number(const Json *object, const char *key);
/* The first member of the array or object at `key`, or NULL. */
const Json *results_list(const Json *root, const char *key);
/* Findings whose outcome is `outcome`. */
int results_count(const Json *root, const char *outcome);
/* FNV-1a of a text, 16 hex digits: the fingerprint. */
const char *results_fingerprint(Arena *arena, const char *text);

#endif
