/* Findings: the names of oracles, values as text, and where a difference was seen. */
#include "harness/oracles/finding.h"

#include "harness/oracles/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *claim;
} ORACLES[] = {
#define ORACLE(name, claim) {#name, claim},
#include "harness/oracles/oracles.def"
#undef ORACLE
};

const char *oracle_name(OracleId id) {
    CHECK((unsigned)id < ORACLE_COUNT);
    return ORACLES[id].name;
}

const char *oracle_claim(OracleId id) {
    CHECK((unsigned)id < ORACLE_COUNT);
    return ORACLES[id].claim;
}

const char *skip_name(SkipReason reason) {
    static const char *const names[SKIP_COUNT] = {"none",  "limit",   "unsupported", "x-undefined",
                                                  "doubt", "vacuous", "accident",    "random"};
    CHECK((unsigned)reason < SKIP_COUNT);
    return names[reason];
}

void finding_start(Finding *f, OracleId oracle, const char *kind, int call, Subject subject,
                   int index, int sid) {
    f->oracle = oracle;
    snprintf(f->kind, sizeof f->kind, "%s", kind);
    f->call = call;
    f->subject = subject;
    f->index = index;
    f->element = -1;
    f->sid = sid;
    f->culprit = AT_UNKNOWN;
    f->a[0] = f->b[0] = f->signature[0] = f->frame[0] = '\0';
    f->root = (Symptom){.oracle = oracle};
    f->cause = (Cause){.limit = -1};
}

bool symptom_same(const Symptom *a, const Symptom *b) {
    return a->oracle == b->oracle && strcmp(a->kind, b->kind) == 0 && strcmp(a->op, b->op) == 0;
}

void element_text(char *out, size_t size, const void *data, DType dtype, int64_t i) {
    if (dtype_is_float(dtype)) {
        double v = element_double(data, dtype, i);
        if (!isfinite(v)) { /* all NaNs are equal, so they have one text */
            snprintf(out, size, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
            return;
        }
        snprintf(out, size, dtype == DT_float64 ? "%.17g (%a)" : "%.9g (%a)", v, v);
    } else if (dtype == DT_bool) {
        snprintf(out, size, "%s", element_int(data, dtype, i) ? "true" : "false");
    } else {
        snprintf(out, size, "%" PRId64, element_int(data, dtype, i));
    }
}

void ints_text(char *out, size_t size, const int64_t *v, int n) {
    size_t at = (size_t)snprintf(out, size, "[");
    for (int i = 0; i < n && at < size; i++) {
        at += (size_t)snprintf(out + at, size - at, i ? ", %" PRId64 : "%" PRId64, v[i]);
    }
    if (at < size) {
        snprintf(out + at, size - at, "]");
    }
}

__attribute__((noinline)) void finding_breakpoint(const Finding *finding) {
    __asm__ volatile("" : : "r"(finding) : "memory"); /* keeps the empty call */
}

static const char *location_of_sid(Arena *arena, const Program *p, int sid) {
    switch (sid) {
    case AT_RETURN:
        return "return";
    case AT_BACKWARD:
        return "backward";
    case AT_UNKNOWN:
        return "unknown";
    default:
        return program_path(arena, p, sid);
    }
}

NameId finding_made_argument(const Program *p, const Finding *f) {
    int ninputs, n = 0;
    bool grad_mode;
    const Input *inputs = program_call_inputs(p, f->call, &ninputs, &grad_mode);
    for (int i = 0; f->subject == SUBJECT_ARG && i < program_nargs(p); i++) {
        bool given = false;
        for (int k = 0; k < ninputs; k++) {
            given |= inputs[k].name == program_arg(p, i);
        }
        if (!given && n++ == f->index) {
            return program_arg(p, i);
        }
    }
    return NAME_NONE;
}

const char *finding_location(Arena *arena, const Program *p, const Finding *f) {
    const char *call = f->call ? arena_printf(arena, "call %d, ", f->call) : "";
    const char *what = f->oracle == ORACLE_gradients ? ", gradient" : "";
    const char *element =
        f->element >= 0 ? arena_printf(arena, ", element %" PRId64, f->element) : "";
    if (f->subject == SUBJECT_RETURN && f->index >= 0 && f->index < p->nreturns) {
        return arena_printf(arena, "%sreturn[%d] (%s)%s%s", call, f->index,
                            p->names[p->returns[f->index]], what, element);
    }
    if (f->subject == SUBJECT_INPUT && f->index >= 0) {
        int ninputs;
        bool grad_mode;
        const Input *inputs = program_call_inputs(p, f->call, &ninputs, &grad_mode);
        const char *name = f->index < ninputs ? p->names[inputs[f->index].name] : "?";
        return arena_printf(arena, "%sinput %s%s%s", call, name, what, element);
    }
    if (f->subject == SUBJECT_ARG) {
        NameId made = finding_made_argument(p, f);
        return arena_printf(arena, "%sargument %s%s%s", call,
                            made == NAME_NONE ? "?" : p->names[made], what, element);
    }
    return arena_printf(arena, "%s%s", call, location_of_sid(arena, p, f->sid));
}
