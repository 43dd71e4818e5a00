/* The report page: groups of findings, then the findings of each, one row per signature. */
#include "harness/report/page.h"

#include <string.h>

enum { FIRST_ROWS = 12 };

/* Is it in the folder that is named after the signature? */
static bool in_own_folder(Page *p, const char *file, const char *signature) {
    const char *own = arena_printf(p->arena, "%s/minimized.json", signature);
    size_t length = strlen(file), tail = strlen(own);
    return length >= tail && strcmp(file + length - tail, own) == 0;
}

/* "reference, then compiled" */
static const char *answers_title(Page *p) {
    const char *pair = results_text(p->root, "pair", "?"), *comma = strchr(pair, ',');
    return comma ? arena_printf(p->arena, "%.*s, then %s", (int)(comma - pair), pair, comma + 1)
                 : pair;
}

static void finding_row(Page *p, const Json *f, const char *group) {
    const char *signature = results_text(f, "signature", "?"), *file = results_text(f, "file", ""),
               *cause = results_text(page_member(f, "cause"), "text", "");
    markup_open(p->m, "tr", NULL);
    page_tag(p, results_text(f, "outcome", "new"));
    markup_open(p->m, "td", "class", "mono", NULL);
    markup_text(p->m, "%s", signature);
    if (cause[0] && !group[0]) {
        markup_element(p->m, "small", NULL, NULL, cause);
    }
    if (file[0] && !in_own_folder(p, file, signature)) {
        markup_element(p->m, "small", NULL, NULL, file);
    }
    markup_close(p->m);
    page_cell(p, "mono", results_text(f, "statement", "?"));
    markup_open(p->m, "td", "class", "mono both", "title", answers_title(p), NULL);
    markup_text(p->m, "%s\n%s", results_text(f, "a", "?"), results_text(f, "b", "?"));
    markup_close(p->m);
    page_number_cell(p, "programs", results_number(f, "count"));
    page_number_cell(p, "statements", results_number(f, "statements"));
    markup_close(p->m);
}

static void finding_table(Page *p, const Json *const *row, int n, const char *group) {
    const char *const head[] = {
        "", "signature", "first divergent statement", answers_title(p), "programs#", "statements#"};
    page_table_head(p, "found", head, COUNT_OF(head));
    for (int i = 0; i < n; i++) {
        finding_row(p, row[i], group);
    }
    page_table_end(p);
}

/* Findings of one group, those that most programs show first; a long rest is folded. */
static void findings_of(Page *p, const char *group) {
    const Json **row =
        arena_array(p->arena, const Json *, json_get(p->root, "findings")->count + 1);
    double programs = 0;
    int n = 0;
    for (const Json *f = results_list(p->root, "findings"); f; f = f->next) {
        if (strcmp(results_group_of(p->root, f), group) == 0) {
            int at = n++;
            programs += results_number(f, "count");
            for (; at > 0 && results_number(row[at - 1], "count") < results_number(f, "count");
                 at--) {
                row[at] = row[at - 1];
            }
            row[at] = f;
        }
    }
    int shown = n <= FIRST_ROWS + 3 ? n : FIRST_ROWS,
        folded = (n < MAX_ROWS ? n : MAX_ROWS) - shown;
    if (n > 0 && results_list(p->summary, "groups")) {
        markup_open(p->m, "h3", NULL);
        markup_element(p->m, "span", "class", "mono", group[0] ? group : "others");
        markup_element(p->m, "small", NULL, NULL,
                       arena_printf(p->arena, "%s, %s", page_count(p->arena, programs, "program"),
                                    page_count(p->arena, n, "signature")));
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
        markup_element(p->m, "p", NULL, NULL,
                       arena_printf(p->arena, "%d more are in results.json.", n - MAX_ROWS));
    }
}

void page_findings(Page *p) {
    const Json *list = results_list(p->root, "findings");
    bool differed = results_number(p->summary, "findings") > 0;
    page_heading(p, "Findings",
                 list       ? "One row per signature, by group; those that most programs show "
                              "come first. \xe2\x80\x98Statements\xe2\x80\x99 is the size of the "
                              "program, which is minimized unless the finding is known."
                 : differed ? "Programs differed, but no finding was seen again when its program "
                              "was run once more."
                            : "Nothing differed: every claim of every oracle held in every program "
                              "that was compared.");
    if (!list) {
        return;
    }
    for (const Json *g = results_list(p->summary, "groups"); g; g = g->next) {
        findings_of(p, results_text(g, "group", "?"));
    }
    findings_of(p, "");
    markup_element(
        p->m, "p", NULL, NULL,
        "To reproduce one: twingrad check, trace or bisect on its program (minimized.json "
        "in the folder of its name, where no other file is given); repro.py there shows "
        "it in plain PyTorch.");
}

/* The groups: one row per cause. */
void page_groups(Page *p) {
    static const char *const head[] = {"", "cause", "programs#", "signatures#",
                                       "first in program#"};
    const Json *list = results_list(p->summary, "groups");
    int n = 0;
    for (const Json *g = list; g; g = g->next) {
        n += !results_text(g, "with", NULL);
    }
    page_heading(
        p, n > 1 ? arena_printf(p->arena, "%d groups", n) : "One group",
        "Findings with the same cause in the compiler, or, where none is known, with the same "
        "signature.");
    page_table_head(p, "groups", head, COUNT_OF(head));
    for (const Json *g = list; g; g = g->next) {
        const char *status = results_text(g, "standing", "new"),
                   *issue = results_text(g, "issue", ""), *with = results_text(g, "with", NULL);
        markup_open(p->m, "tr", NULL);
        page_tag(p, status);
        markup_open(p->m, "td", "class", "mono", NULL);
        markup_text(p->m, "%s", results_text(g, "group", "?"));
        if (with) {
            markup_element(p->m, "small", NULL, NULL,
                           arena_printf(p->arena, "one bug with %s", with));
        }
        if (issue[0]) {
            bool link = strncmp(issue, "https://", 8) == 0;
            markup_open(p->m, "small", NULL);
            markup_element(p->m, link ? "a" : "span", "href", link ? issue : NULL, issue);
            markup_close(p->m);
        }
        markup_close(p->m);
        for (const char *const *key =
                 (const char *const[]){"findings", "signatures", "first", NULL};
             *key; key++) {
            page_number_cell(p, *key, results_number(g, *key));
        }
        markup_close(p->m);
    }
    page_table_end(p);
}
