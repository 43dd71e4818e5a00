/* The report: one page that needs nothing else. No script and nothing fetched; pictures are inline SVG; colours are variables that follow
 * the reader's scheme; print drops the screens' colours. Its order is that of questions: is anything wrong? what was run? what differs, and
 * where? what was exercised, how did it grow, what was skipped and refused, what was not exercised at all? */
#include "harness/charts.h"
#include "harness/oracle.h"
#include "harness/results.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_ROWS = 12, MAX_ROWS = 500, MAX_POINTS = 512, HEAT_BLOCK = 40 };

static const char STYLE[] =
    ":root{--page:#fff;--ink:#1b1f24;--soft:#5b6672;--line:#d5dbe1;--card:#f5f7f9;--good:#1a7f4b;--bad:#b42318;--warn:#8a5a00;"
    "--accent:#2257a8;--h0:#eceff2;--h1:#d5e3f5;--h2:#a9c8ec;--h3:#6fa3dc;--h4:#3c78bd;--h5:#1d4d8b}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e4e8ec;--soft:#98a4b0;--line:#323b45;--card:#1c2229;--good:#4cc38a;--bad:#ff8a7a;--warn:#e0b050;"
    "--accent:#7fb0f0;--h0:#232a32;--h1:#1d3552;--h2:#275080;--h3:#3673b5;--h4:#5d9de0;--h5:#a5cdfa}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 4rem;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:0}h2{font-size:1.15rem;margin:2.4rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}"
    "h3{font-size:1rem;margin:1.6rem 0 .3rem}h3 .mono{font-size:15px;font-weight:600}h3 small{font-weight:400;color:var(--soft);margin-left:.7rem}p{margin:.4rem 0;color:var(--soft);max-width:52rem}a{color:var(--accent)}\n"
    ".mono{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}header{border-left:.4rem solid var(--good);padding:.2rem 0 .2rem 1rem}header.bad{border-color:var(--bad)}\n"
    "header p{max-width:none}header b{color:var(--good)}header.bad b{color:var(--bad)}ul.card{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.6rem;margin:1.2rem 0 0}\n"
    ".card li{flex:1 1 9rem;background:var(--card);border-radius:.4rem;padding:.5rem .7rem}.card li.all{flex-basis:100%}.card span{display:block;color:var(--soft);font-size:.8rem}.card b{font-weight:600;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;width:100%}td.mono{white-space:pre-line}th,td{text-align:left;vertical-align:baseline;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}"
    "thead th{color:var(--soft);font-weight:500;font-size:.8rem}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;padding-right:0}td.n{font-size:14px}td small{display:block;color:var(--soft)}\n"
    "table.groups{width:auto}table.groups .mono{overflow-wrap:break-word}table.groups .n{padding-left:1.2rem}.groups small{overflow-wrap:anywhere}"
    "table.cases td:first-child{width:7rem}table.found{table-layout:fixed}.found th:first-child{width:4.6rem}.found th.n{width:6rem}.found th:nth-child(4){width:27%}\n"
    ".tag{border-radius:.8rem;padding:.05rem .55rem;font:.8rem system-ui,sans-serif;background:var(--card);color:var(--soft)}.tag.new,.tag.bad{color:var(--bad)}.tag.flaky,.tag.fixed{color:var(--warn)}\n"
    ".curves{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:1.2rem}figure{margin:0}figcaption{font-size:.85rem;color:var(--soft)}figcaption b{color:var(--ink)}\n"
    "svg{display:block;width:100%}svg text{font:10px system-ui,sans-serif;fill:var(--soft)}.line{fill:none;stroke:var(--accent);stroke-width:1.6}.axis{stroke:var(--line)}\n"
    "table.bars{margin-top:.8rem}table.bars caption{text-align:left;color:var(--soft);font-size:.85rem}table.bars th,table.bars td{border:0;padding:.08rem .8rem .08rem 0}"
    "table.bars th{font:13px/1.45 ui-monospace,monospace;width:13rem}table.bars td.n{width:5rem;padding-right:.8rem}.bar svg{height:.7rem}.bar rect{fill:var(--accent)}\n"
    ".heats{display:grid;grid-template-columns:repeat(auto-fill,minmax(18rem,1fr));gap:1rem 2rem;margin-top:.8rem}.heat{display:flex;align-items:center;gap:.5rem;font:12px/1.35 ui-monospace,monospace}"
    ".heat span{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.heat svg{width:8.2rem;flex:none}.heat.head{justify-content:flex-end}.heat.scale{gap:.4rem;color:var(--soft)}.heat.scale span{flex:none}.heat.scale svg{width:5rem}"
    ".h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}\n"
    "details{margin:.5rem 0}summary{cursor:pointer;color:var(--accent)}ul.names{columns:13rem;padding-left:1.1rem;font:12px/1.5 ui-monospace,monospace}\n"
    "@media(max-width:44rem){table.found,.found tbody,.found tr,.found td{display:block;width:auto}.found thead{display:none}.found tr{border-bottom:1px solid var(--line);padding:.5rem 0}"
    ".found td{border:0;padding:.1rem 0}.found td:empty{display:none}.found td.n{display:inline-block;text-align:left;padding-right:1rem;color:var(--soft);font-size:.85rem}"
    ".found .tag{margin-right:.5rem}.found td:first-child,.found td:nth-child(2){display:inline}.found td.both::before{content:attr(title) ':\\A';font:.8rem system-ui,sans-serif;color:var(--soft)}.found td.n::after{content:' ' attr(title)}table.groups{width:100%}.groups td,.groups th{padding-right:.5rem}table.groups .n{padding-left:.2rem;padding-right:0}table.bars th{width:8.5rem}}\n"
    "@media print{body{max-width:none;font-size:11px;padding:0}details>*{display:block}details::details-content{content-visibility:visible;block-size:auto}h2,h3{break-after:avoid}tr,.heat,figure{break-inside:avoid}}\n";

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

/* 1234567 as "1,234,567". */
static const char *count_text(Arena *arena, double n) {
    const char *digits = arena_printf(arena, "%.0f", n);
    Text t = {.arena = arena};
    for (size_t i = 0, length = strlen(digits); i < length; i++) {
        text_printf(&t, i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0 ? ",%c" : "%c", digits[i]);
    }
    return t.v;
}

/* "1 signature", "2 signatures". */
static const char *count_of(Arena *arena, double n, const char *what) { return arena_printf(arena, "%s %s%s", count_text(arena, n), what, n == 1 ? "" : "s"); }

/* Text that may be broken behind its commas. */
static void breakable(Page *p, const char *text) {
    for (const char *comma; (comma = strchr(text, ',')); text = comma + 1) {
        markup_text(p->m, "%.*s,", (int)(comma - text), text);
        markup_raw(p->m, "<wbr/>");
    }
    markup_text(p->m, "%s", text);
}

static void card(Page *p, const char *name, const char *value) {
    markup_open(p->m, "li", "class", strlen(value) > 40 ? "all" : NULL, NULL);
    markup_element(p->m, "span", NULL, NULL, name);
    markup_open(p->m, "b", NULL);
    breakable(p, value);
    markup_close(p->m);
    markup_close(p->m);
}

static int groups_that_are(Page *p, const char *standing) {
    int n = 0;
    for (const Json *g = results_list(p->summary, "groups"); g; g = g->next) {
        n += strcmp(results_text(g, "standing", "new"), standing) == 0;
    }
    return n;
}

static void verdict(Page *p) {
    int fresh = results_count(p->root, "new") + results_count(p->root, "flaky"), known = results_count(p->root, "known");
    const Json *grouped = results_list(p->summary, "groups"), *signatures = member_of(p->root, "findings");
    int fresh_groups = groups_that_are(p, "new") + groups_that_are(p, "flaky"), known_groups = groups_that_are(p, "known");
    markup_open(p->m, "header", "class", fresh ? "bad" : NULL, NULL);
    markup_open(p->m, "h1", NULL);
    markup_text(p->m, "twingrad %s: ", results_text(p->root, "command", "?"));
    markup_element(p->m, "b", NULL, NULL, !fresh ? "no new finding" : grouped ? arena_printf(p->arena, "%s of findings", count_of(p->arena, fresh_groups, "new group"))
                                                                               : count_of(p->arena, fresh, "new finding"));
    markup_close(p->m);
    markup_open(p->m, "p", NULL);
    markup_text(p->m, "%s through %s: ", count_of(p->arena, results_number(p->summary, "programs"), "program"), results_text(p->root, "pair", "?"));
    markup_text(p->m, "%s agree, %s differ", count_text(p->arena, results_number(p->summary, "agree")), count_text(p->arena, results_number(p->summary, "findings")));
    if (grouped && signatures) {
        markup_text(p->m, " (%s)", count_of(p->arena, signatures->count, "signature"));
    }
    markup_text(p->m, ", %s skipped.", count_text(p->arena, results_number(p->summary, "skipped")));
    if (grouped ? known_groups : known) {
        int n = grouped ? known_groups : known;
        markup_text(p->m, " %s %s known.", count_of(p->arena, n, grouped ? "group" : "finding"), n == 1 ? "is" : "are");
    }
    markup_close(p->m);
    markup_close(p->m);
}

static void run_card(Page *p) {
    const char *fault = results_text(p->root, "fault", "none");
    markup_open(p->m, "ul", "class", "card", NULL);
    card(p, "pair", results_text(p->root, "pair", "?"));
    if (member_of(p->root, "seed")) {
        card(p, "seed", arena_printf(p->arena, "%.0f", results_number(p->root, "seed")));
    }
    card(p, "programs", count_text(p->arena, results_number(p->summary, "programs")));
    if (member_of(p->summary, "statements")) {
        card(p, "statements", count_text(p->arena, results_number(p->summary, "statements")));
    }
    if (member_of(p->summary, "seconds")) {
        card(p, "seconds", arena_printf(p->arena, "%.1f", results_number(p->summary, "seconds")));
        card(p, "programs a second", count_text(p->arena, results_number(p->summary, "programs_per_second")));
    }
    card(p, "twingrad", arena_printf(p->arena, "%s, %s", results_text(p->root, "twingrad", "?"), results_text(p->root, "compiler", "?")));
    card(p, strchr(fault, ',') ? "seeded faults" : "seeded fault", fault);
    markup_close(p->m);
}

/* ---- findings ---- */

static void cell(Page *p, const char *class_name, const char *text) { markup_element(p->m, "td", "class", class_name, text); }

/* A number; the title is its unit where a narrow screen has no room for the head. */
static void number_cell(Page *p, const char *unit, double n) {
    markup_open(p->m, "td", "class", "n", "title", unit, NULL);
    markup_text(p->m, "%s", count_text(p->arena, n));
    markup_close(p->m);
}

static void tag(Page *p, const char *outcome) {
    markup_open(p->m, "td", NULL);
    markup_element(p->m, "span", "class", arena_printf(p->arena, "tag %s", outcome), outcome);
    markup_close(p->m);
}

/* Heads that end in '#' stand above numbers. */
static void table_head(Page *p, const char *class_name, const char *const *head, int n) {
    markup_open(p->m, "table", "class", class_name, NULL);
    markup_open(p->m, "thead", NULL);
    markup_open(p->m, "tr", NULL);
    for (int i = 0; i < n; i++) {
        int length = (int)strcspn(head[i], "#");
        markup_open(p->m, "th", "scope", "col", "class", head[i][length] ? "n" : NULL, NULL);
        markup_text(p->m, "%.*s", length, head[i]);
        markup_close_full(p->m);
    }
    markup_close(p->m);
    markup_close(p->m);
    markup_open(p->m, "tbody", NULL);
}

static void table_end(Page *p) {
    markup_close(p->m);
    markup_close(p->m);
}

/* Is it in the folder that is called after it, where one looks first? */
static bool in_own_folder(Page *p, const char *file, const char *signature) {
    const char *own = arena_printf(p->arena, "%s/minimized.json", signature);
    size_t length = strlen(file), tail = strlen(own);
    return length >= tail && strcmp(file + length - tail, own) == 0;
}

/* "reference, then compiled" */
static const char *answers_title(Page *p) {
    const char *pair = results_text(p->root, "pair", "?"), *comma = strchr(pair, ',');
    return comma ? arena_printf(p->arena, "%.*s, then %s", (int)(comma - pair), pair, comma + 1) : pair;
}

static void finding_row(Page *p, const Json *f, const char *group) {
    const char *signature = results_text(f, "signature", "?"), *file = results_text(f, "file", ""), *cause = results_text(member_of(f, "cause"), "text", "");
    markup_open(p->m, "tr", NULL);
    tag(p, results_text(f, "outcome", "new"));
    markup_open(p->m, "td", "class", "mono", NULL);
    markup_text(p->m, "%s", signature);
    if (cause[0] && !group[0]) {
        markup_element(p->m, "small", NULL, NULL, cause);
    }
    if (file[0] && !in_own_folder(p, file, signature)) {
        markup_element(p->m, "small", NULL, NULL, file);
    }
    markup_close(p->m);
    cell(p, "mono", results_text(f, "statement", "?"));
    markup_open(p->m, "td", "class", "mono both", "title", answers_title(p), NULL);
    markup_text(p->m, "%s\n%s", results_text(f, "a", "?"), results_text(f, "b", "?"));
    markup_close(p->m);
    number_cell(p, "programs", results_number(f, "count"));
    number_cell(p, "statements", results_number(f, "statements"));
    markup_close(p->m);
}

static void finding_table(Page *p, const Json *const *row, int n, const char *group) {
    const char *const head[] = {"", "signature", "first divergent statement", answers_title(p), "programs#", "statements#"};
    table_head(p, "found", head, COUNT_OF(head));
    for (int i = 0; i < n; i++) {
        finding_row(p, row[i], group);
    }
    table_end(p);
}

/* The group that a finding is in: the one of its cause, or of the pass that its cause is a step of, or of its signature; "" if none is listed. */
static const char *group_of(Page *p, const Json *f) {
    const char *cause = results_text(member_of(f, "cause"), "text", ""), *signature = results_text(f, "signature", ""), *best = "";
    for (const Json *g = results_list(p->summary, "groups"); g; g = g->next) {
        const char *key = results_text(g, "group", "?");
        size_t length = strlen(key);
        bool within = strncmp(cause, key, length) == 0 && (cause[length] == '\0' || cause[length] == '/');
        if ((within || strcmp(signature, key) == 0) && length > strlen(best)) {
            best = key;
        }
    }
    return best;
}

/* Findings of one group, those that most programs show first; the rest of many behind a fold. */
static void findings_of(Page *p, const char *group) {
    const Json **row = arena_array(p->arena, const Json *, json_get(p->root, "findings")->count + 1);
    double programs = 0;
    int n = 0;
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        if (strcmp(group_of(p, f), group) == 0) {
            int at = n++;
            programs += results_number(f, "count");
            for (; at > 0 && results_number(row[at - 1], "count") < results_number(f, "count"); at--) {
                row[at] = row[at - 1];
            }
            row[at] = f;
        }
    }
    int shown = n <= FIRST_ROWS + 3 ? n : FIRST_ROWS, folded = (n < MAX_ROWS ? n : MAX_ROWS) - shown;
    if (n > 0 && results_list(p->summary, "groups")) {
        markup_open(p->m, "h3", NULL);
        markup_element(p->m, "span", "class", "mono", group[0] ? group : "others");
        markup_element(p->m, "small", NULL, NULL, arena_printf(p->arena, "%s, %s", count_of(p->arena, programs, "program"), count_of(p->arena, n, "signature")));
        markup_close(p->m);
    }
    if (n > 0) {
        finding_table(p, row, shown, group);
    }
    if (folded > 0) {
        markup_open(p->m, "details", NULL);
        markup_element(p->m, "summary", NULL, NULL, arena_printf(p->arena, "%d more", folded));
        finding_table(p, row + shown, folded, group);
        markup_close(p->m);
    }
    if (n > MAX_ROWS) {
        markup_element(p->m, "p", NULL, NULL, arena_printf(p->arena, "%d more are in results.json.", n - MAX_ROWS));
    }
}

static void findings(Page *p) {
    const Json *list = results_list(p->root, "findings");
    heading(p, "Findings", list ? "One row a signature, by what is behind it; those that most programs show come first. \xe2\x80\x98Statements\xe2\x80\x99 is the size of the program, which is minimized unless the finding is known."
                                : "Nothing differed: every claim of every oracle held in every program that was compared.");
    if (!list) {
        return;
    }
    for (const Json *g = results_list(p->summary, "groups"); g; g = g->next) {
        findings_of(p, results_text(g, "group", "?"));
    }
    findings_of(p, "");
    markup_element(p->m, "p", NULL, NULL, "See one again: twingrad check, trace or bisect on its program (minimized.json in the folder of its name, where no other file is given); repro.py there shows it in plain PyTorch.");
}

/* What is behind the findings: one row a cause. */
static void groups(Page *p) {
    static const char *const head[] = {"", "cause", "programs#", "signatures#", "first in program#"};
    const Json *list = results_list(p->summary, "groups");
    heading(p, list->next ? arena_printf(p->arena, "%d groups", list->parent->count) : "One group", "Findings whose guilty step of the compiler is the same; where none is known, whose signature is.");
    table_head(p, "groups", head, COUNT_OF(head));
    for (const Json *g = list; g; g = g->next) {
        const char *standing = results_text(g, "standing", "new"), *issue = results_text(g, "issue", "");
        markup_open(p->m, "tr", NULL);
        tag(p, standing);
        markup_open(p->m, "td", "class", "mono", NULL);
        markup_text(p->m, "%s", results_text(g, "group", "?"));
        if (issue[0]) {
            bool link = strncmp(issue, "https://", 8) == 0;
            markup_open(p->m, "small", NULL);
            markup_element(p->m, link ? "a" : "span", "href", link ? issue : NULL, issue);
            markup_close(p->m);
        }
        markup_close(p->m);
        for (const char *const *key = (const char *const[]){"findings", "signatures", "first", NULL}; *key; key++) {
            number_cell(p, *key, results_number(g, *key));
        }
        markup_close(p->m);
    }
    table_end(p);
}

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
static void heat_findings(Page *p) {
    const char *columns[ORACLE_COUNT];
    Heat h = {.p = p, .columns = columns, .ncolumns = ORACLE_COUNT, .most = 2};
    for (int i = 0; i < ORACLE_COUNT; i++) {
        columns[i] = oracle_name((OracleId)i);
    }
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        h.most = h.most > results_number(f, "count") ? h.most : results_number(f, "count");
    }
    heading(p, "Findings by op and oracle", "The op of the first divergent statement, and the oracle that fired there; shades count programs, on a logarithmic scale.");
    heat_begin(&h);
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        const char *op = results_text(f, "op", "?");
        double counts[ORACLE_COUNT] = {0};
        bool first = true;
        for (const Json *g = results_list(p->root, "findings"); g; g = g->next) {
            bool same = strcmp(results_text(g, "op", "?"), op) == 0;
            first &= !(same && g->index < f->index);
            for (int i = 0; i < ORACLE_COUNT && same; i++) {
                counts[i] += strcmp(results_text(g, "oracle", ""), columns[i]) == 0 ? results_number(g, "count") : 0;
            }
        }
        if (first) {
            heat_row(&h, op, counts);
        }
    }
    heat_end(&h);
}

static void heat_ops(Page *p) {
    const Json *ops = member_of(p->summary, "op_dtypes");
    const char *columns[DT_COUNT];
    Heat h = {.p = p, .columns = columns, .ncolumns = DT_COUNT, .most = 2};
    for (int d = 0; d < DT_COUNT; d++) {
        columns[d] = dtype_name((DType)d);
        for (const Json *op = ops ? ops->child : NULL; op; op = op->next) {
            double n = results_number(op, columns[d]);
            h.most = h.most > n ? h.most : n;
        }
    }
    heading(p, "Exercised: op by dtype", "Statements that ran to their end, by the dtype of what they made or wrote, on a logarithmic scale.");
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

/* Over stretches of a fortieth of the campaign: samples stand too close together for a clock. */
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
    table_head(p, "cases", head, COUNT_OF(head));
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
