/* Compares what a graph means before and after a stage, and what a plan computes with what its
 * graph means (interpret.c).
 *
 * Two interpretations agree if the same CHECK fails, or all returns, written inputs and gradients
 * are equal bit for bit (a NaN equals a NaN): kernels sum in logical order, whatever the layout,
 * and no pass may round differently from another. */
#include "compiled/runtime/interpret.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool answers_same_element(const Answer *a, const Answer *b, int64_t i, double tolerance) {
    int bytes = dtype_bytes(a->dtype);
    if (memcmp((const char *)a->data + i * bytes, (const char *)b->data + i * bytes,
               (size_t)bytes) == 0) {
        return true;
    }
    if (!dtype_is_float(a->dtype)) {
        return false;
    }
    double x = element_double(a->data, a->dtype, i), y = element_double(b->data, b->dtype, i);
    return (isnan(x) && isnan(y)) || (x != y && isfinite(x) && isfinite(y) &&
                                      fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y)));
}

/* The same value of the other interpretation, or NULL: gradients exist only from joint on. */
static const Answer *same_answer(const Answers *all, const Answer *a) {
    for (int k = 0; k < all->n; k++) {
        if (strcmp(all->answer[k].what, a->what) == 0 && all->answer[k].number == a->number) {
            return &all->answer[k];
        }
    }
    return NULL;
}

/* The first difference in words; false if there is none. Floats may differ by a relative
 * `tolerance`, half types by a hundred times as much. */
static bool answers_differ(const Answers *before, const Answers *after, double tolerance,
                           char *text, size_t size) {
    if (before->unknown || after->unknown) {
        return false;
    }
    if (before->failed_sid != after->failed_sid) {
        snprintf(text, size, "refused at statement %d before, %d after", before->failed_sid,
                 after->failed_sid);
        return true;
    }
    for (int k = 0; k < before->n; k++) {
        const Answer *a = &before->answer[k], *b = same_answer(after, a);
        if (!b || a->dtype != b->dtype || a->numel != b->numel) {
            snprintf(text, size, "%s %d has another dtype or size", a->what, a->number);
            return true;
        }
        for (int64_t i = 0; i < a->numel; i++) {
            if (!answers_same_element(a, b, i,
                                      dtype_bytes(a->dtype) == 2 ? 100 * tolerance : tolerance)) {
                snprintf(text, size, "%s %d, element %lld: %.17g before, %.17g after", a->what,
                         a->number, (long long)i, element_double(a->data, a->dtype, i),
                         element_double(b->data, b->dtype, i));
                return true;
            }
        }
    }
    return false;
}

void stages_check(Compile *c, const char *stage, StageForm form) {
    StageReport *report = c->options->stages;
    if (!report || !c->input_data) {
        return;
    }
    Answers *now = graph_interpret(c, c->graph, form, c->input_data, NULL),
            *before = c->stage_before;
    c->stage_before = now;
    report->stages++;
    if (strcmp(stage, "capture") == 0 || !before || report->found) {
        return;
    }
    if (answers_differ(before, now, 0, report->what, sizeof report->what)) {
        report->found = true;
        snprintf(report->stage, sizeof report->stage, "%s", stage);
    }
}

/* ---- runs ---- */

Answers *stages_expect(const Artifact *a, Storage *const *input, void *const *tangent) {
    Compile *c = a->capture->c;
    const StageReport *report = c->options->stages;
    return report && report->runs ? graph_interpret(c, a->graph, STAGE_JOINT, input, tangent)
                                  : NULL;
}

void stages_check_run(const Artifact *a, const Answers *expected, Storage *const *input) {
    enum { ROUNDING = 100000 };
    if (!expected || expected->failed_sid >= 0) {
        return;
    }
    Compile *c = a->capture->c;
    const Answers *answers = plan_answers(a, input);
    char text[sizeof c->options->stages->what];
    c->options->stages->run_differs |=
        answers_differ(expected, answers, 1.0 / ROUNDING, text, sizeof text);
}
