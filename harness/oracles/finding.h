/* Finding: one difference between two executors. Its signature (oracle, kind of difference, op at
 * the first divergent statement) is used for deduplication, by the minimizer and as the name of the
 * report's folder. */
#ifndef HARNESS_FINDING_H
#define HARNESS_FINDING_H

#include "harness/targets/executor.h"

typedef enum OracleId {
#define ORACLE(name, claim) ORACLE_##name,
#include "harness/oracles/oracles.def"
#undef ORACLE
    ORACLE_COUNT
} OracleId;
const char *oracle_name(OracleId id);
const char *oracle_claim(OracleId id);

typedef enum Subject {
    SUBJECT_CALL,
    SUBJECT_TRACE,
    SUBJECT_RETURN,
    SUBJECT_INPUT,
    SUBJECT_ARG /* an argument that the setup made (CallResult.args) */
} Subject;

enum { AT_INPUTS = -4 }; /* before the first statement */

/* What differs first, and where (check_locate): a finding is named after it. As text:
 * "trace-requires_grad-setitem". */
typedef struct Symptom {
    OracleId oracle;
    char kind[48];
    char op[41]; /* an op, or "inputs", "setup", "return", "backward", "with", .. */
} Symptom;
bool symptom_same(const Symptom *a, const Symptom *b);

/* Where in the compiler a finding comes from (cause.h). */
typedef struct Cause {
    char stage[32]; /* a pass of passes.def, or "capture", "guard", "lower", "execute"; "": not
                       found */
    char rule[40];  /* the step (steps.def, rules.def) with which the difference begins, or "" */
    char text[80];  /* "cse", "reinplace/scatter_in_place", "capture/flags" (what is wrong, where
                       there is no step) */
    char group[80]; /* what findings are grouped by: a pass (all its steps are one mechanism), one
                     * rewrite rule, one detail of capture */
    int64_t
        limit; /* the least --opt-limit at which the finding shows; -1: it is no optional step */
    int64_t checks; /* programs checked to find out */
} Cause;

typedef struct Finding {
    OracleId oracle;
    char kind[48]; /* "requires_grad", "data", "ok_vs_assertion", ..: letters, digits and _ */
    int call;      /* 0 = the first call */
    Subject subject;
    int index;       /* SUBJECT_RETURN: index in `return`; SUBJECT_INPUT: input; SUBJECT_ARG:
                        record; SUBJECT_TRACE: entry;
                        else -1 */
    int64_t element; /* first differing element, or -1 */
    int sid;     /* the statement that the results are about (a probe, a failing op), or AT_RETURN,
                    AT_BACKWARD,     AT_UNKNOWN */
    int culprit; /* sid of the first divergent statement (check_locate), AT_INPUTS, AT_RETURN, .. or
                    AT_UNKNOWN */
    char a[192], b[192]; /* both results, as text */
    char frame[96];      /* of an error: the innermost function of the compiler that raised it,
                            "_functorch/_aot_autograd/utils.py:normalize_as_list"; "" if unknown */
    Symptom root;        /* filled by check_locate */
    Cause cause;         /* filled by check_locate */
    char signature[152]; /* root and the cause's step, if any, as text that is a safe file name;
                            empty until check_locate */
} Finding;

/* Fills a Finding; `a` and `b` are empty then, and the culprit is unknown. Only an oracle that
 * fires calls it. */
void finding_start(Finding *f, OracleId oracle, const char *kind, int call, Subject subject,
                   int index, int sid);

/* Element `i` of a dense buffer as text: "0.1 (0x1.99999ap-4)", "-inf", "nan". */
void element_text(char *out, size_t size, const void *data, DType dtype, int64_t i);
/* "[2, 3]". */
void ints_text(char *out, size_t size, const int64_t *v, int n);

/* The name of a SUBJECT_ARG, or NAME_NONE. */
NameId finding_made_argument(const Program *p, const Finding *f);

/* Called for every new finding; empty, for a debugger (`break finding_breakpoint`). */
void finding_breakpoint(const Finding *finding);

/* "body[3]", "return[0] (skew)", "input x, gradient": where the difference was seen. */
const char *finding_location(Arena *arena, const Program *p, const Finding *f);

#endif
