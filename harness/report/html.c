/* The report as one self-contained page: no script, nothing is fetched, pictures are inline SVG.
 * Colours are variables that follow the reader's color scheme; print has colours of its own. Its
 * order: is anything wrong? what was run? what differs, and where? what was exercised, how did it
 * grow, what was skipped and refused, what was not exercised at all? */
#include "harness/report/page.h"

#include <string.h>

static const char STYLE[] =
    ":root{--page:#fff;--ink:#1b1f24;--soft:#5b6672;--line:#d5dbe1;--card:#f5f7f9;--good:#1a7f4b;--"
    "bad:#b42318;--warn:#8a5a00;"
    "--accent:#2257a8;--h0:#eceff2;--h1:#d5e3f5;--h2:#a9c8ec;--h3:#6fa3dc;--h4:#3c78bd;--h5:#"
    "1d4d8b}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e4e8ec;--soft:#98a4b0;--line:#"
    "323b45;--card:#1c2229;--good:#4cc38a;--bad:#ff8a7a;--warn:#e0b050;"
    "--accent:#7fb0f0;--h0:#232a32;--h1:#1d3552;--h2:#275080;--h3:#3673b5;--h4:#5d9de0;--h5:#"
    "a5cdfa}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem "
    "4rem;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:0}h2{font-size:1.15rem;margin:2.4rem 0 "
    ".6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}"
    "h3{font-size:1rem;margin:1.6rem 0 .3rem}h3 .mono{font-size:15px;font-weight:600}h3 "
    "small{font-weight:400;color:var(--soft);margin-left:.7rem}p{margin:.4rem "
    "0;color:var(--soft);max-width:52rem}a{color:var(--accent)}\n"
    ".mono{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}header{border-left:.4rem "
    "solid var(--good);padding:.2rem 0 .2rem 1rem}header.bad{border-color:var(--bad)}\n"
    "header p{max-width:none}header b{color:var(--good)}header.bad "
    "b{color:var(--bad)}ul.card{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.6rem;"
    "margin:1.2rem 0 0}\n"
    ".card li{flex:1 1 9rem;background:var(--card);border-radius:.4rem;padding:.5rem .7rem}.card "
    "li.all{flex-basis:100%}.card span{display:block;color:var(--soft);font-size:.8rem}.card "
    "b{font-weight:600;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;width:100%}td.mono{white-space:pre-line}th,td{text-align:left;"
    "vertical-align:baseline;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}"
    "thead "
    "th{color:var(--soft);font-weight:500;font-size:.8rem}td.n,th.n{text-align:right;font-variant-"
    "numeric:tabular-nums;padding-right:0}td.n{font-size:14px}td "
    "small{display:block;color:var(--soft)}\n"
    "table.groups{width:auto}table.groups .mono{overflow-wrap:break-word}table.groups "
    ".n{padding-left:1.2rem}.groups small{overflow-wrap:anywhere}"
    "table.cases td:first-child{width:7rem}table.found{table-layout:fixed}.found "
    "th:first-child{width:4.6rem}.found th.n{width:6rem}.found th:nth-child(4){width:27%}\n"
    ".tag{border-radius:.8rem;padding:.05rem .55rem;font:.8rem "
    "system-ui,sans-serif;background:var(--card);color:var(--soft)}.tag.new,.tag.bad{color:var(--"
    "bad)}.tag.flaky,.tag.fixed,.tag.unconfirmed,.tag.unreproduced{color:var(--warn)}\n"
    ".curves{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:1.2rem}"
    "figure{margin:0}figcaption{font-size:.85rem;color:var(--soft)}figcaption b{color:var(--ink)}\n"
    "svg{display:block;width:100%}svg text{font:10px "
    "system-ui,sans-serif;fill:var(--soft)}.line{fill:none;stroke:var(--accent);stroke-width:1.6}."
    "axis{stroke:var(--line)}\n"
    "table.bars{margin-top:.8rem}table.bars "
    "caption{text-align:left;color:var(--soft);font-size:.85rem}table.bars th,table.bars "
    "td{border:0;padding:.08rem .8rem .08rem 0}"
    "table.bars th{font:13px/1.45 ui-monospace,monospace;width:13rem}table.bars "
    "td.n{width:5rem;padding-right:.8rem}.bar svg{height:.7rem}.bar rect{fill:var(--accent)}\n"
    ".heats{display:grid;grid-template-columns:repeat(auto-fill,minmax(18rem,1fr));gap:1rem "
    "2rem;margin-top:.8rem}.heat{display:flex;align-items:center;gap:.5rem;font:12px/1.35 "
    "ui-monospace,monospace}"
    ".heat span{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.heat "
    "svg{width:8.2rem;flex:none}.heat.head{justify-content:flex-end}.heat.scale{gap:.4rem;color:"
    "var(--soft)}.heat.scale span{flex:none}.heat.scale svg{width:5rem}"
    ".h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)"
    "}.h5{fill:var(--h5)}\n"
    "details{margin:.5rem "
    "0}summary{cursor:pointer;color:var(--accent)}ul.names{columns:13rem;padding-left:1.1rem;font:"
    "12px/1.5 ui-monospace,monospace}\n"
    "@media(max-width:44rem){table.found,.found tbody,.found tr,.found "
    "td{display:block;width:auto}.found thead{display:none}.found tr{border-bottom:1px solid "
    "var(--line);padding:.5rem 0}"
    ".found td{border:0;padding:.1rem 0}.found td:empty{display:none}.found "
    "td.n{display:inline-block;text-align:left;padding-right:1rem;color:var(--soft);font-size:."
    "85rem}"
    ".found .tag{margin-right:.5rem}.found td:first-child,.found "
    "td:nth-child(2){display:inline}.found td.both::before{content:attr(title) ':\\A';font:.8rem "
    "system-ui,sans-serif;color:var(--soft)}.found td.n::after{content:' ' "
    "attr(title)}table.groups{width:100%}.groups td,.groups th{padding-right:.5rem}table.groups "
    ".n{padding-left:.2rem;padding-right:0}table.bars th{width:8.5rem}}\n"
    "@media "
    "print{body{max-width:none;font-size:11px;padding:0}details>*{display:block}details::details-"
    "content{content-visibility:visible;block-size:auto}h2,h3{break-after:avoid}tr,.heat,figure{"
    "break-inside:avoid}}\n";

/* Text that may be broken after its commas. */
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

static int groups_that_are(Page *p, const char *status) {
    int n = 0;
    for (const Json *g = results_list(p->summary, "groups"); g; g = g->next) {
        n += strcmp(results_text(g, "standing", "new"), status) == 0 &&
             !results_text(g, "with", NULL);
    }
    return n;
}

static void verdict(Page *p) {
    int fresh = results_count(p->root, "new") + results_count(p->root, "flaky"),
        unconfirmed = results_count(p->root, "unconfirmed"),
        known = results_count(p->root, "known");
    const Json *grouped = results_list(p->summary, "groups"),
               *signatures = page_member(p->root, "findings");
    int fresh_groups = groups_that_are(p, "new") + groups_that_are(p, "flaky"),
        known_groups = groups_that_are(p, "known"), bad = results_cases(p->root, "bad"),
        fixed = results_cases(p->root, "fixed");
    markup_open(p->m, "header", "class", fresh + unconfirmed + bad ? "bad" : NULL, NULL);
    markup_open(p->m, "h1", NULL);
    markup_text(p->m, "twingrad %s: ", results_text(p->root, "command", "?"));
    const char *outcome = !fresh    ? unconfirmed
                                          ? page_count(p->arena, unconfirmed, "unconfirmed finding")
                                          : "no new finding"
                          : grouped ? arena_printf(p->arena, "%s of findings",
                                                   page_count(p->arena, fresh_groups, "new group"))
                                    : page_count(p->arena, fresh, "new finding");
    markup_element(
        p->m, "b", NULL, NULL,
        bad ? arena_printf(p->arena, "%s, %s", outcome, page_count(p->arena, bad, "bad file"))
            : outcome);
    markup_close(p->m);
    markup_open(p->m, "p", NULL);
    markup_text(p->m, "%s through %s: ",
                page_count(p->arena, results_number(p->summary, "programs"), "program"),
                results_text(p->root, "pair", "?"));
    markup_text(p->m, "%s agree, %s differ",
                page_number(p->arena, results_number(p->summary, "agree")),
                page_number(p->arena, results_number(p->summary, "findings")));
    if (grouped && signatures) {
        markup_text(p->m, " (%s)", page_count(p->arena, signatures->count, "signature"));
    }
    markup_text(p->m, ", %s skipped.",
                page_number(p->arena, results_number(p->summary, "skipped")));
    if (unconfirmed) {
        markup_text(p->m, " %s to be confirmed (fuzz --resume).",
                    page_count(p->arena, unconfirmed, "finding"));
    }
    if (grouped ? known_groups : known) {
        int n = grouped ? known_groups : known;
        markup_text(p->m, " %s %s known.", page_count(p->arena, n, grouped ? "group" : "finding"),
                    n == 1 ? "is" : "are");
    }
    if (fixed) {
        markup_text(p->m, " %s fixed: the known issue no longer shows.",
                    fixed == 1
                        ? "1 program is"
                        : arena_printf(p->arena, "%s are", page_count(p->arena, fixed, "program")));
    }
    markup_close(p->m);
    markup_close(p->m);
}

static void run_card(Page *p) {
    const char *fault = results_text(p->root, "fault", "none");
    markup_open(p->m, "ul", "class", "card", NULL);
    card(p, "pair", results_text(p->root, "pair", "?"));
    const Json *seed = page_member(p->root, "seed");
    if (seed && seed->kind == JSON_NUMBER) { /* its digits: a double has too few */
        card(p, "seed", arena_printf(p->arena, "%.*s", seed->length, seed->text));
    }
    card(p, "programs", page_number(p->arena, results_number(p->summary, "programs")));
    if (page_member(p->summary, "statements")) {
        card(p, "statements", page_number(p->arena, results_number(p->summary, "statements")));
    }
    if (page_member(p->summary, "seconds")) {
        card(p, "seconds", arena_printf(p->arena, "%.1f", results_number(p->summary, "seconds")));
        card(p, "programs a second",
             page_number(p->arena, results_number(p->summary, "programs_per_second")));
    }
    card(p, "twingrad",
         arena_printf(p->arena, "%s, %s", results_text(p->root, "twingrad", "?"),
                      results_text(p->root, "compiler", "?")));
    card(p, strchr(fault, ',') ? "seeded faults" : "seeded fault", fault);
    markup_close(p->m);
}

/* ---- skips, errors, what was not exercised ---- */

static void bars_of(Page *p, const char *key, const char *title) {
    const Json *object = page_member(p->summary, key);
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
    const Json *object = page_member(p->summary, key);
    int n = 0;
    for (const Json *j = object ? object->child : NULL; j; j = j->next) {
        n += json_double(j) == 0;
    }
    if (!object) {
        return;
    }
    if (n == 0) {
        markup_element(p->m, "p", NULL, NULL,
                       arena_printf(p->arena, "All %d %s %s.", object->count, what, did));
        return;
    }
    markup_open(p->m, "details", "open", "open", NULL);
    markup_element(p->m, "summary", NULL, NULL,
                   arena_printf(p->arena, "%d of %d %s never %s", n, object->count, what, did));
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
    page_heading(p, "Stored programs that did not simply agree", NULL);
    static const char *const head[] = {"", "file", "why"};
    page_table_head(p, "cases", head, COUNT_OF(head));
    int n = 0;
    for (const Json *c = results_list(p->root, "cases"); c; c = c->next) {
        const char *outcome = results_text(c, "outcome", "?");
        if (strcmp(outcome, "agree") != 0 && n++ < MAX_ROWS) {
            markup_open(p->m, "tr", NULL);
            page_tag(p, outcome);
            page_cell(p, "mono", results_text(c, "file", "?"));
            page_cell(p, NULL, results_text(c, "why", ""));
            markup_close(p->m);
        }
    }
    if (n == 0) {
        markup_open(p->m, "tr", NULL);
        page_cell(p, NULL, "");
        page_cell(p, NULL, "None: all agree.");
        page_cell(p, NULL, "");
        markup_close(p->m);
    }
    page_table_end(p);
}

void results_html(const Json *root, Arena *arena, Text *out) {
    Page p = {.m = markup_begin(false),
              .arena = arena,
              .root = root,
              .summary = json_get(root, "summary")};
    text_add(out, "<!DOCTYPE html>\n");
    markup_open(p.m, "html", "lang", "en", "xmlns", "http://www.w3.org/1999/xhtml", NULL);
    markup_open(p.m, "head", NULL);
    markup_raw(p.m,
               "<meta charset=\"utf-8\"/><meta name=\"color-scheme\" content=\"light dark\"/><meta "
               "name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "style-src 'unsafe-inline'\"/>");
    markup_element(p.m, "title", NULL, NULL,
                   arena_printf(arena, "twingrad %s: %s", results_text(root, "command", "?"),
                                results_text(root, "pair", "?")));
    markup_open(p.m, "style", NULL);
    markup_raw(p.m, STYLE);
    markup_close(p.m);
    markup_close(p.m);
    markup_open(p.m, "body", NULL);
    verdict(&p);
    run_card(&p);
    markup_open(p.m, "main", NULL);
    if (results_list(p.summary, "groups")) {
        page_groups(&p);
    }
    page_findings(&p);
    if (results_list(root, "cases")) {
        cases(&p);
    }
    if (results_list(root, "findings")) {
        page_heat_of_findings(&p);
    }
    if (results_list(p.summary, "growth")) {
        page_growth(&p);
    }
    page_heading(&p, "Skipped and refused",
                 "Comparisons that were not made, by reason. An error that a program raises is a "
                 "result, and is compared like any other.");
    bars_of(&p, "skips", "skipped programs, by reason");
    bars_of(&p, "errors", "calls that raise, by code");
    if (page_member(p.summary, "op_dtypes")) {
        page_heading(&p, "Not exercised", NULL);
        unmet(&p, "executed", "ops", "ran to their end");
        unmet(&p, "rules", "rewrite rules", "fired");
        unmet(&p, "passes", "passes", "changed a graph");
        unmet(&p, "motifs", "patterns", "occurred");
        unmet(&p, "mistakes", "kinds of deliberate errors", "occurred");
        page_heat_of_ops(&p);
    }
    markup_close(p.m);
    markup_close(p.m);
    markup_close(p.m);
    markup_end(p.m, out);
}
