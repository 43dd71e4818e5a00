/* The report: one page that needs nothing else. No script and nothing fetched; pictures are inline SVG; colours are variables that follow
 * the reader's scheme; print drops the screens' colours. Its order is that of questions: is anything wrong? what was run? what differs, and
 * where? what was exercised, how did it grow, what was skipped and refused, what was not exercised at all? */
#include "harness/charts.h"
#include "harness/oracle.h"
#include "harness/results.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 500, MAX_POINTS = 512, MAX_COLUMNS = 32 };

static const char STYLE[] =
    ":root{--page:#fff;--ink:#1b1f24;--soft:#5b6672;--line:#d5dbe1;--card:#f5f7f9;--good:#1a7f4b;--bad:#b42318;--warn:#8a5a00;"
    "--accent:#2257a8;--h0:#eceff2;--h1:#d5e3f5;--h2:#a9c8ec;--h3:#6fa3dc;--h4:#3c78bd;--h5:#1d4d8b}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e4e8ec;--soft:#98a4b0;--line:#323b45;--card:#1c2229;--good:#4cc38a;--bad:#ff8a7a;--warn:#e0b050;"
    "--accent:#7fb0f0;--h0:#232a32;--h1:#1d3552;--h2:#275080;--h3:#3673b5;--h4:#5d9de0;--h5:#a5cdfa}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 4rem;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}p{margin:.4rem 0;color:var(--soft)}\n"
    "code,.mono{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}header{border-left:.4rem solid var(--good);padding:.2rem 0 .2rem 1rem}header.bad{border-color:var(--bad)}\n"
    "header b{color:var(--good)}header.bad b{color:var(--bad)}ul.card{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.6rem;margin:1.2rem 0 0}\n"
    ".card li{background:var(--card);border-radius:.4rem;padding:.5rem .7rem}.card span{display:block;color:var(--soft);font-size:.8rem}.card b{overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%}.wide table{min-width:46rem}td.mono{white-space:pre-line}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line)}"
    "thead th{white-space:nowrap;color:var(--soft);font-weight:500;font-size:.8rem}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".tag{border-radius:.8rem;padding:.05rem .55rem;font-size:.8rem;background:var(--card);color:var(--soft)}.tag.new,.tag.bad{color:var(--bad)}.tag.flaky,.tag.fixed{color:var(--warn)}\n"
    ".curves{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem}figure{margin:0}figcaption{font-size:.85rem;color:var(--soft)}figcaption b{color:var(--ink)}\n"
    "svg{display:block;width:100%}svg text{font:9px system-ui,sans-serif;fill:var(--soft)}.line{fill:none;stroke:var(--accent);stroke-width:1.6}.axis{stroke:var(--line)}\n"
    "table.bars{width:100%}table.bars caption{text-align:left;color:var(--soft);font-size:.85rem}table.bars th{font-weight:400;width:14rem}table.bars td.n{width:6rem}"
    ".bar svg{height:.7rem;margin-top:.35rem}.bar rect{fill:var(--accent)}\n"
    ".heats{columns:15rem;column-gap:1.5rem}.heat{display:flex;align-items:center;gap:.5rem;break-inside:avoid;font:12px/1.35 ui-monospace,monospace}"
    ".heat span{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.heat svg{width:8.2rem;flex:none}"
    ".h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}\n"
    "details{margin:.5rem 0}summary{cursor:pointer;color:var(--accent)}ul.names{columns:12rem;padding-left:1.1rem;font:12px/1.5 ui-monospace,monospace}\n"
    "@media print{body{max-width:none;font-size:11px;padding:0}details>*{display:block}.wide{overflow:visible}h2{break-after:avoid}}\n";

typedef struct Page {
    Markup *m;
    Arena *arena;
    const Json *root, *summary;
} Page;

static const Json *member_of(const Json *object, const char *key) { return object && object->kind == JSON_OBJECT ? json_get(object, key) : NULL; }

static void heading(Page *p, const char *title, const char *text) {
    markup_element(p->m, "h2", NULL, NULL, title);
    if (text) {
        markup_element(p->m, "p", NULL, NULL, text);
    }
}

static void card(Page *p, const char *name, const char *value) {
    markup_open(p->m, "li", NULL);
    markup_element(p->m, "span", NULL, NULL, name);
    markup_element(p->m, "b", NULL, NULL, value);
    markup_close(p->m);
}

static void verdict(Page *p) {
    int fresh = results_count(p->root, "new") + results_count(p->root, "flaky"), known = results_count(p->root, "known");
    markup_open(p->m, "header", "class", fresh ? "bad" : NULL, NULL);
    markup_open(p->m, "h1", NULL);
    markup_text(p->m, "twingrad %s: ", results_text(p->root, "command", "?"));
    markup_element(p->m, "b", NULL, NULL, fresh ? arena_printf(p->arena, "%d new finding%s", fresh, fresh == 1 ? "" : "s") : "no new finding");
    markup_close(p->m);
    markup_open(p->m, "p", NULL);
    markup_text(p->m, "%.0f programs through %s: %.0f agree, %.0f differ, %.0f skipped.", results_number(p->summary, "programs"), results_text(p->root, "pair", "?"),
                results_number(p->summary, "agree"), results_number(p->summary, "findings"), results_number(p->summary, "skipped"));
    if (known) {
        markup_text(p->m, " %d finding%s known.", known, known == 1 ? " is" : "s are");
    }
    markup_close(p->m);
    markup_close(p->m);
}

static void run_card(Page *p) {
    markup_open(p->m, "ul", "class", "card", NULL);
    card(p, "pair", results_text(p->root, "pair", "?"));
    if (member_of(p->root, "seed")) {
        card(p, "seed", arena_printf(p->arena, "%.0f", results_number(p->root, "seed")));
    }
    card(p, "seeded fault", results_text(p->root, "fault", "none"));
    card(p, "programs", arena_printf(p->arena, "%.0f", results_number(p->summary, "programs")));
    if (member_of(p->summary, "statements")) {
        card(p, "statements", arena_printf(p->arena, "%.0f", results_number(p->summary, "statements")));
    }
    if (member_of(p->summary, "seconds")) {
        card(p, "seconds", arena_printf(p->arena, "%.1f", results_number(p->summary, "seconds")));
        card(p, "programs a second", arena_printf(p->arena, "%.0f", results_number(p->summary, "programs_per_second")));
    }
    card(p, "twingrad", results_text(p->root, "twingrad", "?"));
    card(p, "compiled by", results_text(p->root, "compiler", "?"));
    markup_close(p->m);
}

/* ---- findings ---- */

static void cell(Page *p, const char *class_name, const char *text) { markup_element(p->m, "td", "class", class_name, text); }

static void tag(Page *p, const char *outcome) {
    markup_open(p->m, "td", NULL);
    markup_element(p->m, "span", "class", arena_printf(p->arena, "tag %s", outcome), outcome);
    markup_close(p->m);
}

static void table_head(Page *p, const char *const *head, int n) {
    markup_open(p->m, "table", NULL);
    markup_open(p->m, "thead", NULL);
    markup_open(p->m, "tr", NULL);
    for (int i = 0; i < n; i++) {
        markup_element(p->m, "th", "scope", "col", head[i]);
    }
    markup_close(p->m);
    markup_close(p->m);
    markup_open(p->m, "tbody", NULL);
}

/* ... of the table and of the box that scrolls it. */
static void table_end(Page *p) {
    markup_close(p->m);
    markup_close(p->m);
    markup_close(p->m);
}

static void finding_row(Page *p, const Json *f) {
    markup_open(p->m, "tr", NULL);
    tag(p, results_text(f, "outcome", "new"));
    cell(p, "mono", results_text(f, "signature", "?"));
    cell(p, "mono", results_text(member_of(f, "cause"), "text", ""));
    cell(p, "mono", results_text(f, "statement", "?"));
    cell(p, "mono", arena_printf(p->arena, "%s\n%s", results_text(f, "a", "?"), results_text(f, "b", "?")));
    cell(p, "n", arena_printf(p->arena, "%.0f", results_number(f, "count")));
    cell(p, "n", arena_printf(p->arena, "%.0f", results_number(f, "statements")));
    cell(p, "mono", results_text(f, "file", ""));
    markup_close(p->m);
}

static void findings(Page *p) {
    static const char *const head[] = {"", "signature", "cause", "first divergent statement", "both answers", "programs", "statements", "where"};
    const Json *list = results_list(p->root, "findings");
    heading(p, "Findings", list ? "One row a signature, in the order in which they were met. \xe2\x80\x98Statements\xe2\x80\x99 is the size of the minimized program."
                                : "Nothing differed: every claim of every oracle held in every program that was compared.");
    if (!list) {
        return;
    }
    markup_open(p->m, "div", "class", "wide", NULL);
    table_head(p, head, COUNT_OF(head));
    int n = 0;
    for (const Json *f = list; f && n < MAX_ROWS; f = f->next, n++) {
        finding_row(p, f);
    }
    table_end(p);
    markup_element(p->m, "p", NULL, NULL, "See one again: twingrad check, trace or bisect on the minimized.json of its folder; repro.py there shows it in plain PyTorch.");
}

/* What is behind the findings: one row a cause. */
static void groups(Page *p) {
    static const char *const head[] = {"", "cause", "programs", "signatures", "first in program"};
    const Json *list = results_list(p->summary, "groups");
    heading(p, list->next ? arena_printf(p->arena, "%d groups", list->parent->count) : "One group", "Findings whose guilty step of the compiler is the same; where none is known, whose signature is.");
    markup_open(p->m, "div", NULL); /* five short columns fit a phone */
    table_head(p, head, COUNT_OF(head));
    for (const Json *g = list; g; g = g->next) {
        const char *standing = results_text(g, "standing", "new");
        markup_open(p->m, "tr", NULL);
        tag(p, standing);
        cell(p, "mono", results_text(g, "group", "?"));
        for (const char *const *key = (const char *const[]){"findings", "signatures", "first", NULL}; *key; key++) {
            cell(p, "n", arena_printf(p->arena, "%.0f", results_number(g, *key)));
        }
        markup_close(p->m);
    }
    table_end(p);
}

/* ---- heat maps ---- */

/* Findings by op and oracle: a row for each op that any finding is about. */
static void heat_findings(Page *p) {
    const char *columns[ORACLE_COUNT];
    for (int i = 0; i < ORACLE_COUNT; i++) {
        columns[i] = oracle_name((OracleId)i);
    }
    Text names = {.arena = p->arena};
    for (int i = 0; i < ORACLE_COUNT; i++) {
        text_printf(&names, i ? ", %s" : "%s", columns[i]);
    }
    heading(p, "Findings by op and oracle", arena_printf(p->arena, "Shades count programs, on a logarithmic scale. Cells from left to right: %s.", names.v));
    markup_open(p->m, "div", "class", "heats", NULL);
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        const char *op = results_text(f, "op", "?");
        double counts[ORACLE_COUNT] = {0}, most = 2;
        bool first = true;
        for (const Json *g = results_list(p->root, "findings"); g; g = g->next) {
            bool same = strcmp(results_text(g, "op", "?"), op) == 0;
            first &= !(same && g->index < f->index);
            for (int i = 0; i < ORACLE_COUNT && same; i++) {
                counts[i] += strcmp(results_text(g, "oracle", ""), columns[i]) == 0 ? results_number(g, "count") : 0;
            }
            most = most > results_number(g, "count") ? most : results_number(g, "count");
        }
        if (first) {
            chart_heat_row(p->m, op, columns, counts, ORACLE_COUNT, most);
        }
    }
    markup_close_full(p->m);
}

static void heat_ops(Page *p) {
    const Json *ops = member_of(p->summary, "op_dtypes");
    const char *columns[DT_COUNT];
    Text names = {.arena = p->arena};
    double most = 2;
    for (int d = 0; d < DT_COUNT; d++) {
        columns[d] = dtype_name((DType)d);
        text_printf(&names, d ? ", %s" : "%s", columns[d]);
        for (const Json *op = ops ? ops->child : NULL; op; op = op->next) {
            double n = results_number(op, columns[d]);
            most = most > n ? most : n;
        }
    }
    heading(p, "Exercised: op by dtype", arena_printf(p->arena, "Statements that ran to their end, by the dtype of what they made, on a logarithmic scale. Cells from left to right: %s.", names.v));
    markup_open(p->m, "div", "class", "heats", NULL);
    for (const Json *op = ops ? ops->child : NULL; op; op = op->next) {
        double counts[DT_COUNT];
        for (int d = 0; d < DT_COUNT; d++) {
            counts[d] = results_number(op, columns[d]);
        }
        chart_heat_row(p->m, op->key, columns, counts, DT_COUNT, most);
    }
    markup_close_full(p->m);
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

static void rate_curve(Page *p, const Json *growth) {
    double x[MAX_POINTS], y[MAX_POINTS];
    int n = 0;
    for (const Json *s = growth; s && s->next && n < MAX_POINTS; s = s->next) {
        double seconds = results_number(s->next, "seconds") - results_number(s, "seconds");
        if (seconds > 0) {
            x[n] = results_number(s->next, "programs");
            y[n++] = (results_number(s->next, "programs") - results_number(s, "programs")) / seconds;
        }
    }
    chart_curve(p->m, &(Curve){"programs a second", x, y, n});
}

static void growth(Page *p) {
    static const char *const curve[][2] = {{"rewrite rules fired", "rules"}, {"ops executed", "ops"}, {"pairs of op and dtype", "op_dtypes"}, {"error codes raised", "errors"}, {"signatures", "signatures"}};
    const Json *samples = results_list(p->summary, "growth");
    heading(p, "Growth", "What had been met after so many programs (logarithmic axis).");
    markup_open(p->m, "div", "class", "curves", NULL);
    for (int i = 0; i < COUNT_OF(curve); i++) {
        curve_of(p, samples, curve[i][0], curve[i][1]);
    }
    if (member_of(samples, "seconds")) {
        rate_curve(p, samples);
    }
    markup_close(p->m);
}

/* ---- skips, errors, what was not met ---- */

static void bars_of(Page *p, const char *key, const char *title) {
    const Json *object = member_of(p->summary, key);
    Bar *bars = arena_array(p->arena, Bar, object ? object->count + 1 : 1);
    int n = 0;
    for (const Json *j = object ? object->child : NULL; j; j = j->next) {
        int at = n++;
        for (; at > 0 && bars[at - 1].value < json_double(j); at--) {
            bars[at] = bars[at - 1];
        }
        bars[at] = (Bar){j->key, json_double(j)};
    }
    if (n) {
        chart_bars(p->m, title, bars, n);
    }
}

/* Keys of the object whose count is 0: "36 of 121 rewrite rules never fired". */
static void unmet(Page *p, const char *key, const char *what, const char *did) {
    const Json *object = member_of(p->summary, key);
    int n = 0;
    for (const Json *j = object ? object->child : NULL; j; j = j->next) {
        n += json_double(j) == 0;
    }
    if (!object) {
        return;
    }
    if (n == 0) {
        markup_element(p->m, "p", NULL, NULL, arena_printf(p->arena, "All %d %s %s.", object->count, what, did));
        return;
    }
    markup_open(p->m, "details", "open", "open", NULL);
    markup_element(p->m, "summary", NULL, NULL, arena_printf(p->arena, "%d of %d %s never %s", n, object->count, what, did));
    markup_open(p->m, "ul", "class", "names", NULL);
    for (const Json *j = object->child; j; j = j->next) {
        if (json_double(j) == 0) {
            markup_element(p->m, "li", NULL, NULL, j->key);
        }
    }
    markup_close(p->m);
    markup_close(p->m);
}

static void cases(Page *p) {
    heading(p, "Stored programs that did not simply agree", NULL);
    static const char *const head[] = {"", "file", "why"};
    markup_open(p->m, "div", "class", "wide", NULL);
    table_head(p, head, COUNT_OF(head));
    int n = 0;
    for (const Json *c = results_list(p->root, "cases"); c; c = c->next) {
        const char *outcome = results_text(c, "outcome", "?");
        if (strcmp(outcome, "agree") != 0 && n++ < MAX_ROWS) {
            markup_open(p->m, "tr", NULL);
            tag(p, outcome);
            cell(p, "mono", results_text(c, "file", "?"));
            cell(p, NULL, results_text(c, "why", ""));
            markup_close(p->m);
        }
    }
    if (n == 0) {
        markup_open(p->m, "tr", NULL);
        cell(p, NULL, "");
        cell(p, NULL, "None: all agree.");
        cell(p, NULL, "");
        markup_close(p->m);
    }
    table_end(p);
}

void results_html(const Json *root, Arena *arena, Text *out) {
    Page p = {.m = markup_begin(false), .arena = arena, .root = root, .summary = json_get(root, "summary")};
    text_add(out, "<!DOCTYPE html>\n");
    markup_open(p.m, "html", "lang", "en", "xmlns", "http://www.w3.org/1999/xhtml", NULL);
    markup_open(p.m, "head", NULL);
    markup_raw(p.m, "<meta charset=\"utf-8\"/><meta name=\"color-scheme\" content=\"light dark\"/><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>");
    markup_element(p.m, "title", NULL, NULL, arena_printf(arena, "twingrad %s: %s", results_text(root, "command", "?"), results_text(root, "pair", "?")));
    markup_open(p.m, "style", NULL);
    markup_raw(p.m, STYLE);
    markup_close(p.m);
    markup_close(p.m);
    markup_open(p.m, "body", NULL);
    verdict(&p);
    run_card(&p);
    markup_open(p.m, "main", NULL);
    if (results_list(p.summary, "groups")) {
        groups(&p);
    }
    findings(&p);
    if (results_list(root, "cases")) {
        cases(&p);
    }
    if (results_list(root, "findings")) {
        heat_findings(&p);
    }
    if (results_list(p.summary, "growth")) {
        growth(&p);
    }
    heading(&p, "Skipped and refused", "A comparison that was not made is counted here, with its reason; an error is an answer, and is compared like any other.");
    bars_of(&p, "skips", "skipped programs, by reason");
    bars_of(&p, "errors", "calls that raise, by code");
    if (member_of(p.summary, "op_dtypes")) {
        heading(&p, "Not exercised", NULL);
        unmet(&p, "executed", "ops", "ran to their end");
        unmet(&p, "rules", "rewrite rules", "fired");
        unmet(&p, "passes", "passes", "changed a graph");
        unmet(&p, "motifs", "motifs", "occurred");
        unmet(&p, "mistakes", "kinds of deliberate mistakes", "occurred");
        heat_ops(&p);
    }
    markup_close(p.m);
    markup_close(p.m);
    markup_close(p.m);
    markup_end(p.m, out);
}
