/* A Tally is filled as programs are checked, and printed; nothing is decided by it.
 *
 *     program 1, 2, 3, ... -> counters
 *              every `stride` programs -> a sample of how many rules, ops, pairs of op and dtype,
 *              error codes, signatures were reached
 *
 * When the table of samples is full, every second one is dropped and the stride doubles. */
#include "harness/report/tally.h"

#include <limits.h>
#include <string.h>

/* ---- counting ---- */

/* Statements by op, and of them those that certainly ran to their end: before statement `end`, and
 * not in a branch (`branch`), since no result tells which arm was taken. */
static void count_ops(Tally *t, const Block *block, int end, bool branch) {
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == STMT_OP) {
            t->by_op[s->op->id]++;
            t->executed[s->op->id] += !branch && s->sid < end;
        }
        count_ops(t, &s->body, end, branch || s->kind == STMT_IF);
        count_ops(t, &s->orelse, end, true);
    }
}

/* The first statement that did not run to its end. */
static int first_unfinished(const CallResult *call) {
    return call->ok || call->error_at == AT_RETURN || call->error_at == AT_BACKWARD ? INT_MAX
           : call->error_at >= 0                                                    ? call->error_at
                                                                                    : 0;
}

/* Reasons are static texts of the reference, so pointers are compared. */
static void count_unspecified(Tally *t, const char *why) {
    for (int i = 0; i < TALLY_KINDS; i++) {
        if (t->unspecified[i].why == NULL || t->unspecified[i].why == why) {
            t->unspecified[i].why = why;
            t->unspecified[i].count++;
            return;
        }
    }
}

static void count_kind(int64_t *counts, int kind) {
    if (kind >= 0 && kind < TALLY_KINDS) {
        counts[kind]++;
    }
}

void tally_program(Tally *t, const Program *p, const GenerateInfo *info, const Result *r,
                   bool details) {
    t->programs++;
    t->statements += program_size(p);
    bool refused = false;
    for (int k = 0; k < r->ncalls; k++) {
        if (!r->calls[k].ok) {
            t->errors[r->calls[k].error]++;
            refused = true;
        }
    }
    t->refusals += refused;
    if (r->unspecified) {
        count_unspecified(t, r->unspecified);
    }
    if (details) {
        count_ops(t, &p->body, first_unfinished(&r->calls[0]), false);
        for (int i = 0; i < p->ninputs; i++) {
            t->by_dtype[p->inputs[i].dtype]++;
        }
        sizes_count(p, t->by_size);
        features_count(p, info, t->by_feature);
        count_kind(t->by_pattern, info->pattern);
        count_kind(t->by_deliberate_error, info->deliberate_error);
    }
}

/* ---- growth ---- */

static int tally_count_nonzero(const int64_t *counts, int n) {
    int met = 0;
    for (int i = 0; i < n; i++) {
        met += counts[i] != 0;
    }
    return met;
}

bool tally_due(const Tally *t) { return t->programs % max_i64(t->stride, 1) == 0; }

void tally_sample(Tally *t, const CompileCounters *counters, int signatures, double seconds) {
    t->stride = max_i64(t->stride, 1);
    if (t->nsamples > 0 && t->sample[t->nsamples - 1].programs == t->programs) {
        return;
    }
    if (t->nsamples == TALLY_SAMPLES) {
        t->stride *= 2;
        t->nsamples = 0;
        for (int i = 0; i < TALLY_SAMPLES; i++) {
            if (t->sample[i].programs % t->stride == 0) {
                t->sample[t->nsamples++] = t->sample[i];
            }
        }
    }
    t->sample[t->nsamples++] =
        (Sample){.programs = t->programs,
                 .seconds = seconds,
                 .rules = tally_count_nonzero(counters->fired, STEP_COUNT),
                 .ops = tally_count_nonzero(t->by_op, OP_COUNT),
                 .pairs = tally_count_nonzero(&t->op_dtype[0][0], OP_COUNT * DT_COUNT),
                 .errors = tally_count_nonzero(t->errors, ERR_COUNT),
                 .signatures = signatures};
}

/* ---- printing ---- */

static bool is_public(int op) { return !op_name_is_internal(op_info((OpId)op)->name); }

static void text_kinds(Text *text, const char *title, const char *(*name)(int),
                       const int64_t *counts) {
    text_printf(text, "%s:\n", title);
    for (int i = 0; name(i) != NULL; i++) {
        text_printf(text, "  %-24s %lld\n", name(i), (long long)counts[i]);
    }
}

void tally_text(const Tally *t, Text *text) {
    text_add(text, "ops (statements, of them executed):\n");
    for (int i = 0; i < OP_COUNT; i++) {
        if (is_public(i)) {
            text_printf(text, "  %-34s %8lld %8lld\n", op_info((OpId)i)->id_name,
                        (long long)t->by_op[i], (long long)t->executed[i]);
        }
    }
    text_add(text, "dtypes of inputs:\n");
    for (int i = 0; i < DT_COUNT; i++) {
        text_printf(text, "  %-24s %lld\n", dtype_name((DType)i), (long long)t->by_dtype[i]);
    }
    text_kinds(text, "elements of inputs", size_class_name, t->by_size);
    text_kinds(text, "programs by feature", feature_name, t->by_feature);
    text_kinds(text, "patterns", pattern_name, t->by_pattern);
    text_kinds(text, "deliberate errors", deliberate_error_name, t->by_deliberate_error);
    for (int i = 0; i < TALLY_KINDS && t->unspecified[i].why; i++) {
        text_printf(text, "%s  %-64s %lld\n", i ? "" : "unspecified behaviour:\n",
                    t->unspecified[i].why, (long long)t->unspecified[i].count);
    }
    text_add(text, "errors (calls):\n");
    for (int i = 1; i < ERR_COUNT; i++) {
        text_printf(text, "  %-24s %lld\n", errcode_name((ErrCode)i), (long long)t->errors[i]);
    }
}

void tally_count(Text *text, const char *name, int64_t count, bool *any) {
    if (count != 0) {
        text_printf(text, "%s\"%s\":%lld", *any ? "," : "", name, (long long)count);
        *any = true;
    }
}

static void json_ops(Text *text, const char *key, const int64_t *counts) {
    text_printf(text, ",\"%s\":{", key);
    bool any = false;
    for (int i = 0; i < OP_COUNT; i++) {
        if (is_public(i)) {
            text_printf(text, "%s\"%s\":%lld", any ? "," : "", op_info((OpId)i)->id_name,
                        (long long)counts[i]);
            any = true;
        }
    }
    text_add(text, "}");
}

static void json_kinds(Text *text, const char *key, const char *(*name)(int),
                       const int64_t *counts) {
    text_printf(text, ",\"%s\":{", key);
    for (int i = 0; name(i) != NULL; i++) {
        text_printf(text, "%s\"%s\":%lld", i > 0 ? "," : "", name(i), (long long)counts[i]);
    }
    text_add(text, "}");
}

static const char *dtype_text(int i) { return i < DT_COUNT ? dtype_name((DType)i) : NULL; }
static const char *pass_text(int i) { return i < pass_count() ? pass_info(i)->name : NULL; }
static const char *rule_text(int i) { return i < STEP_COUNT ? step_info(i)->name : NULL; }

void tally_json(const Tally *t, Text *text) {
    json_ops(text, "ops", t->by_op);
    json_ops(text, "executed", t->executed);
    json_kinds(text, "dtypes", dtype_text, t->by_dtype);
    text_add(text, ",\"accidents\":{");
    for (int i = 0; i < TALLY_KINDS && t->unspecified[i].why; i++) {
        text_printf(text, "%s\"%s\":%lld", i > 0 ? "," : "", t->unspecified[i].why,
                    (long long)t->unspecified[i].count);
    }
    text_add(text, "}");
    json_kinds(text, "motifs", pattern_name, t->by_pattern);
    json_kinds(text, "mistakes", deliberate_error_name, t->by_deliberate_error);
    json_kinds(text, "sizes", size_class_name, t->by_size);
    json_kinds(text, "features", feature_name, t->by_feature);
}

void tally_report_json(const Tally *t, const CompileCounters *counters, bool timing, Text *text) {
    tally_json(t, text);
    text_add(text, ",\"op_dtypes\":{");
    bool any = false;
    for (int i = 0; i < OP_COUNT; i++) {
        bool met = t->by_op[i] > 0; /* in a body; functions, setups and callers run ops, too */
        for (int d = 0; d < DT_COUNT; d++) {
            met = met || t->op_dtype[i][d] > 0;
        }
        if (is_public(i) && met) {
            text_printf(text, "%s\"%s\":{", any ? "," : "", op_info((OpId)i)->id_name);
            any = true;
            bool inner = false;
            for (int d = 0; d < DT_COUNT; d++) {
                tally_count(text, dtype_name((DType)d), t->op_dtype[i][d], &inner);
            }
            text_add(text, "}");
        }
    }
    text_add(text, "}");
    json_kinds(text, "rules", rule_text, counters->fired);
    json_kinds(text, "passes", pass_text, counters->pass_changed);
    text_add(text, ",\"growth\":[");
    for (int i = 0; i < t->nsamples; i++) {
        const Sample *s = &t->sample[i];
        text_printf(text,
                    "%s{\"programs\":%lld,\"rules\":%d,\"ops\":%d,\"op_dtypes\":%d,\"errors\":%d,"
                    "\"signatures\":%d",
                    i ? "," : "", (long long)s->programs, s->rules, s->ops, s->pairs, s->errors,
                    s->signatures);
        text_printf(text, timing ? ",\"seconds\":%.6f}" : "}", s->seconds);
    }
    text_add(text, "]");
}
