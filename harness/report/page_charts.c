/* The report page: heat maps of findings, ops and dtypes; growth over the run. */
#include "harness/report/page.h"
#include "harness/oracles/oracle.h"

#include <stdio.h>
#include <string.h>

enum { MAX_POINTS = 512, HEAT_BLOCK = 40 };

/* ---- heat maps ---- */

/* Rows come in blocks, each under a head that names the cells. */
typedef struct Heat {
    Page *p;
    const char *const *columns;
    int ncolumns, rows;
    double most;
} Heat;

static void heat_begin(const Heat *h) {
    chart_heat_scale(h->p->m, h->most);
    markup_open(h->p->m, "div", "class", "heats", NULL);
}

static void heat_row(Heat *h, const char *name, const double *counts) {
    if (h->rows++ % HEAT_BLOCK == 0) {
        if (h->rows > 1) {
            markup_close(h->p->m);
        }
        markup_open(h->p->m, "div", NULL);
        chart_heat_head(h->p->m, h->columns, h->ncolumns);
    }
    chart_heat_row(h->p->m, name, h->columns, counts, h->ncolumns, h->most);
}

static void heat_end(const Heat *h) {
    if (h->rows > 0) {
        markup_close(h->p->m);
    }
    markup_close_full(h->p->m);
}

/* Findings by op and oracle: a row for each op that any finding is about. */
void page_heat_of_findings(Page *p) {
    const char *columns[ORACLE_COUNT];
    Heat h = {.p = p, .columns = columns, .ncolumns = ORACLE_COUNT, .most = 2};
    for (int i = 0; i < ORACLE_COUNT; i++) {
        columns[i] = oracle_name((OracleId)i);
    }
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        h.most = h.most > results_number(f, "count") ? h.most : results_number(f, "count");
    }
    page_heading(p, "Findings by op and oracle",
                 "The op of the first divergent statement, and the oracle that fired there; shades "
                 "count programs, on a logarithmic scale.");
    heat_begin(&h);
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        const char *op = results_text(f, "op", "?");
        double counts[ORACLE_COUNT] = {0};
        bool first = true;
        for (const Json *g = results_list(p->root, "findings"); g; g = g->next) {
            bool same = strcmp(results_text(g, "op", "?"), op) == 0;
            first &= !(same && g->index < f->index);
            for (int i = 0; i < ORACLE_COUNT && same; i++) {
                counts[i] += strcmp(results_text(g, "oracle", ""), columns[i]) == 0
                                 ? results_number(g, "count")
                                 : 0;
            }
        }
        if (first) {
            heat_row(&h, op, counts);
        }
    }
    heat_end(&h);
}

void page_heat_of_ops(Page *p) {
    const Json *ops = page_member(p->summary, "op_dtypes");
    const char *columns[DT_COUNT];
    Heat h = {.p = p, .columns = columns, .ncolumns = DT_COUNT, .most = 2};
    for (int d = 0; d < DT_COUNT; d++) {
        columns[d] = dtype_name((DType)d);
        for (const Json *op = ops ? ops->child : NULL; op; op = op->next) {
            double n = results_number(op, columns[d]);
            h.most = h.most > n ? h.most : n;
        }
    }
    page_heading(p, "Exercised: op by dtype",
                 "Statements that ran to their end, by the dtype of their result, on a "
                 "logarithmic scale.");
    heat_begin(&h);
    for (const Json *op = ops ? ops->child : NULL; op; op = op->next) {
        double counts[DT_COUNT];
        for (int d = 0; d < DT_COUNT; d++) {
            counts[d] = results_number(op, columns[d]);
        }
        heat_row(&h, op->key, counts);
    }
    heat_end(&h);
}

/* ---- growth, throughput ---- */

static void curve_of(Page *p, const Json *growth, const char *title, const char *key) {
    double x[MAX_POINTS], y[MAX_POINTS];
    int n = 0;
    for (const Json *s = growth; s && n < MAX_POINTS; s = s->next, n++) {
        x[n] = results_number(s, "programs");
        y[n] = results_number(s, key);
    }
    chart_curve(p->m, &(Curve){title, x, y, n});
}

/* Over a fortieth of the run each: single samples are too close together for the clock. */
static void rate_curve(Page *p, const Json *growth) {
    double x[MAX_POINTS], y[MAX_POINTS], whole = results_number(p->summary, "seconds");
    int n = 0;
    for (const Json *from = growth, *s = growth; s && n < MAX_POINTS; s = s->next) {
        double seconds = results_number(s, "seconds") - results_number(from, "seconds");
        if (seconds > 0 && seconds >= whole / 40) {
            x[n] = results_number(s, "programs");
            y[n++] = (results_number(s, "programs") - results_number(from, "programs")) / seconds;
            from = s;
        }
    }
    chart_curve(p->m, &(Curve){"programs a second", x, y, n});
}

void page_growth(Page *p) {
    static const char *const curve[][2] = {{"rewrite rules fired", "rules"},
                                           {"ops executed", "ops"},
                                           {"pairs of op and dtype", "op_dtypes"},
                                           {"error codes raised", "errors"},
                                           {"signatures", "signatures"}};
    const Json *samples = results_list(p->summary, "growth");
    page_heading(p, "Growth", "What was reached after so many programs (logarithmic axis).");
    markup_open(p->m, "div", "class", "curves", NULL);
    for (int i = 0; i < COUNT_OF(curve); i++) {
        curve_of(p, samples, curve[i][0], curve[i][1]);
    }
    if (page_member(samples, "seconds")) {
        rate_curve(p, samples);
    }
    markup_close(p->m);
}
