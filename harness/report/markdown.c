/* Markdown for a CI step's summary: the verdict, the findings (new ones first), and, folded, what
 * was skipped and why. */
#include "harness/report/results.h"

#include <string.h>

/* A cell of a table: no pipes, no line ends, no markup. */
static void markdown_cell(Text *t, const char *s) {
    for (; *s; s++) {
        if (*s == '|' || *s == '\\' || *s == '`' || *s == '<' || *s == '*' || *s == '_') {
            text_printf(t, "\\%c", *s);
        } else {
            text_printf(t, "%c", *s == '\n' || *s == '\r' ? ' ' : *s);
        }
    }
    text_add(t, " | ");
}

static void rows(Text *t, Arena *arena, const Json *root, const char *outcome) {
    for (const Json *f = results_list(root, "findings"); f; f = f->next) {
        if (strcmp(results_text(f, "outcome", "new"), outcome) == 0) {
            text_add(t, "| ");
            markdown_cell(t, outcome);
            markdown_cell(t, results_text(f, "signature", "?"));
            markdown_cell(t, results_text(f, "where", "?"));
            markdown_cell(t, results_text(f, "a", "?"));
            markdown_cell(t, results_text(f, "b", "?"));
            markdown_cell(t, arena_printf(arena, "%.0f", results_number(f, "count")));
            markdown_cell(t, results_text(f, "file", ""));
            t->n--; /* the blank after the last bar */
            text_add(t, "\n");
        }
    }
}

/* One row per group of findings (group.h). */
static void groups(Text *t, Arena *arena, const Json *summary) {
    const Json *list = results_list(summary, "groups");
    if (list) {
        text_add(t, "| outcome | cause | findings | signatures | issue |\n| --- | --- | --- | --- "
                    "| --- |\n");
    }
    for (const Json *g = list; g; g = g->next) {
        text_add(t, "| ");
        markdown_cell(t, results_text(g, "standing", "new"));
        const char *with = results_text(g, "with", NULL), *group = results_text(g, "group", "?");
        markdown_cell(t, with ? arena_printf(arena, "%s (with %s)", group, with) : group);
        markdown_cell(t, arena_printf(arena, "%.0f", results_number(g, "findings")));
        markdown_cell(t, arena_printf(arena, "%.0f", results_number(g, "signatures")));
        markdown_cell(t, results_text(g, "issue", ""));
        t->n--; /* the blank after the last bar */
        text_add(t, "\n");
    }
    text_add(t, list ? "\n" : "");
}

/* The stored programs that could not be read, and those of known issues that no longer show. */
static void stored(Text *t, const Json *root) {
    static const char *const outcomes[] = {"bad", "fixed"};
    if (results_cases(root, "bad") + results_cases(root, "fixed") == 0) {
        return;
    }
    text_add(t, "| outcome | file | why |\n| --- | --- | --- |\n");
    for (int i = 0; i < COUNT_OF(outcomes); i++) {
        for (const Json *c = results_list(root, "cases"); c; c = c->next) {
            if (strcmp(results_text(c, "outcome", ""), outcomes[i]) == 0) {
                text_add(t, "| ");
                markdown_cell(t, outcomes[i]);
                markdown_cell(t, results_text(c, "file", "?"));
                markdown_cell(t, results_text(c, "why", ""));
                t->n--; /* the blank after the last bar */
                text_add(t, "\n");
            }
        }
    }
    text_add(t, "\n");
}

static void counts(Text *t, const Json *summary, const char *key, const char *title) {
    for (const Json *j = results_list(summary, key); j; j = j->next) {
        text_printf(t, "| %s: %s | %.0f |\n", title, j->key, json_double(j));
    }
}

void results_markdown(const Json *root, Arena *arena, Text *out) {
    static const char *const outcomes[] = {"new",   "flaky",   "unconfirmed",
                                           "known", "allowed", "unreproduced"};
    const Json *summary = json_get(root, "summary");
    int fresh = results_count(root, "new") + results_count(root, "flaky"),
        unconfirmed = results_count(root, "unconfirmed"), known = results_count(root, "known"),
        bad = results_cases(root, "bad"), fixed = results_cases(root, "fixed");
    text_printf(out, "## twingrad %s, %s: ", results_text(root, "command", "?"),
                results_text(root, "pair", "?"));
    text_printf(out, fresh ? "%d finding%s" : "no new finding", fresh, fresh == 1 ? "" : "s");
    if (unconfirmed) {
        text_printf(out, ", %d to be confirmed", unconfirmed);
    }
    if (bad) {
        text_printf(out, ", %d bad file%s", bad, bad == 1 ? "" : "s");
    }
    if (fixed) {
        text_printf(out, ", %d fixed", fixed);
    }
    text_printf(out, known ? " (%d known)\n\n" : "\n\n", known);
    text_printf(out, "%.0f programs, %.0f agree, %.0f skipped.\n\n",
                results_number(summary, "programs"), results_number(summary, "agree"),
                results_number(summary, "skipped"));
    if (fresh + unconfirmed + known > 0) {
        text_add(out, "| outcome | signature | where | first | second | programs | file |\n| --- | "
                      "--- | --- | --- | --- | --- | --- |\n");
        for (int i = 0; i < COUNT_OF(outcomes); i++) {
            rows(out, arena, root, outcomes[i]);
        }
        text_add(out, "\n");
    }
    stored(out, root);
    groups(out, arena, summary);
    text_add(out,
             "<details><summary>Skips and errors</summary>\n\n| what | count |\n| --- | --- |\n");
    counts(out, summary, "skips", "skipped");
    counts(out, summary, "errors", "calls that raise");
    text_add(out, "\n</details>\n");
}
