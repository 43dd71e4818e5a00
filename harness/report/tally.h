/* Tally: counts of what a run generated and exercised, and how they grew. The summary on the
 * terminal, the summary record and the report (results.h) all print it. */
#ifndef HARNESS_TALLY_H
#define HARNESS_TALLY_H

#include "fuzz/generate/generate.h"
#include "harness/check/check.h"
#include "harness/report/features.h"
#include "program/json/json.h"

enum { TALLY_KINDS = 64, TALLY_SAMPLES = 256 };

/* What was reached after `programs` programs. */
typedef struct Sample {
    int64_t programs;
    double seconds;
    int rules, ops, pairs /* of op and dtype */, errors /* codes */, signatures;
} Sample;

typedef struct Tally {
    int64_t programs, statements;
    int64_t refusals;           /* programs in which some call raised an error */
    int64_t errors[ERR_COUNT];  /* calls */
    int64_t by_op[OP_COUNT];    /* statements */
    int64_t executed[OP_COUNT]; /* of them, those that certainly ran to their end */
    int64_t by_dtype[DT_COUNT]; /* inputs */
    int64_t by_size[SIZE_CLASSES], by_feature[FEATURE_COUNT];
    int64_t by_pattern[TALLY_KINDS], by_deliberate_error[TALLY_KINDS];
    int64_t op_dtype[OP_COUNT]
                    [DT_COUNT]; /* ops that the reference ran, by the dtype of their (first) result,
                                   or of what they write: RunOptions.executed */
    struct {
        const char *why;
        int64_t count;
    } unspecified[TALLY_KINDS];
    Sample sample[TALLY_SAMPLES]; /* in order, `stride` programs apart */
    int nsamples;
    int64_t stride;
} Tally;

/* Counts one program and its result on the first executor; `details`: ops, dtypes, patterns and
 * deliberate errors too. */
void tally_program(Tally *t, const Program *p, const GenerateInfo *info, const Result *r,
                   bool details);

/* Is a sample due? They are taken at equal distances, which double when the table is full, so that
 * the samples depend on the number of programs, not on the speed. */
bool tally_due(const Tally *t);
/* Takes one. `counters`: of the compiled executor. */
void tally_sample(Tally *t, const CompileCounters *counters, int signatures, double seconds);

/* As text: ops, dtypes, patterns, deliberate errors, unspecified behaviour, errors. */
void tally_text(const Tally *t, Text *text);
/* Members of a JSON object, each after a comma: "ops", "executed", "dtypes", "accidents", "motifs",
 * "mistakes", "sizes", "features", and with `report` also "op_dtypes", "rules", "passes" and
 * "growth" (seconds only with `timing`). */
void tally_json(const Tally *t, Text *text);
void tally_report_json(const Tally *t, const CompileCounters *counters, bool timing, Text *text);

/* "name":count after a comma unless it is the first (`*any`); nothing for 0. */
void tally_count(Text *text, const char *name, int64_t count, bool *any);

#endif
