/* Report: one folder for each signature and cause (seen_name), <out>/<signature>/ with case.json,
 * minimized.json, repro.py and finding.md. The folder is written under a temporary name and
 * renamed, so that it is always complete; files of an older report of that name are replaced one by
 * one. */
#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

#include "harness/check/check.h"
#include "harness/triage/minimize.h"
#include "program/json/json.h"

typedef struct Report {
    const Program *original;  /* as found */
    const Program *minimized; /* may be `original` itself */
    const Finding *finding;   /* of the minimized program, located */
    const Checker *checker;
    const MinimizeStats *stats; /* may be NULL */
    const char *
        origin; /* one line: where the program came from ("fuzz --seed 7, program 1234"), or NULL */
    const char *folder; /* its name in <out>; NULL: the signature */
} Report;

/* Does <out> hold this folder already? */
bool report_exists(const char *out, const char *folder);
/* Does the report in that folder hold a smaller program than the one found? */
bool report_is_minimized(const char *out, const char *folder);
/* Was the report in that folder made of this program, as found? */
bool report_is_of(const char *out, const char *folder, const Program *p);
/* The minimized program of the report in that folder, in `arena`; NULL if it cannot be read. */
const Program *report_program(Arena *arena, const char *out, const char *folder);
/* Writes the folder (over a report of that name, beside other files in it); on success its path is
 * in `path`. False and one sentence if the environment fails. */
bool report_write(Arena *arena, const char *out, const Report *report, char *path, size_t path_size,
                  char *message, size_t message_size);

/* The options of `check` that select the pair and how it is checked, as far as they are not the
 * defaults: "--pair a,b --fault x". */
const char *report_pair_options(Arena *arena, const Checker *c);

/* The finding as text, as `check` prints it: oracle, location, statement, both answers. */
void report_finding(Text *text, const Program *p, const Finding *f, const Checker *c);

/* "body[3]: matrix[:, rows] = vec", or the name of a location that is not a statement. */
const char *report_statement(Arena *arena, const Program *p, int sid);

/* The finding as a JSON object; `fired` are the bits of all oracles that fired. */
void report_finding_json(Text *text, const Program *p, const Finding *f, uint32_t fired);

#endif
