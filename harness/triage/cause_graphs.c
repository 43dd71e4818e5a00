/* The graph before and after a step: the program is compiled without the step and with it, and the
 * first dump that differs is shown as a line diff (longest common subsequence). For a stage without
 * a step, it is the first graph that the stage changes, before and after it. */
#include "harness/triage/cause.h"

#include <string.h>

enum { MAX_DUMPS = 512, MAX_LINES = 400 };

typedef struct CauseGraphsDumps {
    Arena *arena;
    const char *stage[MAX_DUMPS], *text[MAX_DUMPS];
    int n;
} CauseGraphsDumps;

static void cause_graphs_on_dump(void *user, const char *stage, const char *text) {
    CauseGraphsDumps *d = user;
    if (d->n < MAX_DUMPS) {
        d->stage[d->n] = arena_strdup(d->arena, stage);
        d->text[d->n++] = arena_strdup(d->arena, text);
    }
}

static CauseGraphsDumps *cause_graphs_compile(Arena *arena, const Checker *c, const Program *p,
                                              int64_t limit) {
    CompileOptions options = compiles_here(&c->b) ? c->b.compile : c->a.compile;
    CauseGraphsDumps *d = arena_new(arena, CauseGraphsDumps);
    d->arena = arena;
    options.opt_limit = limit;
    options.on_dump = cause_graphs_on_dump;
    options.dump_user = d;
    RunOptions run = {.limits = c->run.limits};
    compiled_run(p, &options, &run, NULL, arena);
    return d;
}

/* The graphs to compare; false if no graph differs. */
static bool find_graphs(Arena *arena, const Checker *c, const Program *p, const Cause *cause,
                        const char **before, const char **after) {
    if (cause->limit > 0) {
        const CauseGraphsDumps *a = cause_graphs_compile(arena, c, p, cause->limit - 1),
                               *b = cause_graphs_compile(arena, c, p, cause->limit);
        for (int i = 0; i < a->n && i < b->n; i++) {
            if (strcmp(a->stage[i], b->stage[i]) != 0 || strcmp(a->text[i], b->text[i]) != 0) {
                *before = a->text[i];
                *after = b->text[i];
                return true;
            }
        }
        return false;
    }
    const CauseGraphsDumps *d = cause_graphs_compile(
        arena, c, p, compiles_here(&c->b) ? c->b.compile.opt_limit : c->a.compile.opt_limit);
    for (int i = 1; i < d->n; i++) {
        if (strcmp(d->stage[i], cause->stage) == 0 && strcmp(d->stage[i], "lower") != 0 &&
            strcmp(d->text[i - 1], d->text[i]) != 0) {
            *before = d->text[i - 1];
            *after = d->text[i];
            return true;
        }
    }
    return false;
}

typedef struct CauseGraphsLine {
    const char *at;
    int n;
} CauseGraphsLine;

static int split(const char *text, CauseGraphsLine *line) {
    int n = 0;
    while (*text && n < MAX_LINES) {
        int length = (int)strcspn(text, "\n");
        line[n++] = (CauseGraphsLine){text, length};
        text += length + (text[length] == '\n');
    }
    return n;
}

static bool cause_graphs_same(CauseGraphsLine a, CauseGraphsLine b) {
    return a.n == b.n && memcmp(a.at, b.at, (size_t)a.n) == 0;
}

static void print_line(Text *text, char mark, CauseGraphsLine line) {
    text_printf(text, "%c ", mark);
    text_addn(text, line.at, line.n);
    text_add(text, "\n");
}

/* The lines of both in order, marked; of those that are in both only the ones within `context`
 * lines of a change. */
static void print_difference(Text *text, const char *before, const char *after, int context) {
    CauseGraphsLine a[MAX_LINES], b[MAX_LINES], line[2 * MAX_LINES];
    char mark[2 * MAX_LINES];
    int n = split(before, a), m = split(after, b), total = 0;
    int *common = arena_array(text->arena, int,
                              (int64_t)(n + 1) *
                                  (m + 1)); /* longest common subsequence of a[i..] and b[j..] */
    for (int i = n - 1; i >= 0; i--) {
        for (int j = m - 1; j >= 0; j--) {
            int *at = &common[i * (m + 1) + j], skip_a = common[(i + 1) * (m + 1) + j],
                skip_b = common[i * (m + 1) + j + 1];
            *at = cause_graphs_same(a[i], b[j]) ? 1 + common[(i + 1) * (m + 1) + j + 1]
                  : skip_a > skip_b             ? skip_a
                                                : skip_b;
        }
    }
    for (int i = 0, j = 0; i < n || j < m; total++) {
        if (i < n && j < m && cause_graphs_same(a[i], b[j])) {
            mark[total] = ' ';
            line[total] = a[i++];
            j++;
        } else if (j == m ||
                   (i < n && common[(i + 1) * (m + 1) + j] >= common[i * (m + 1) + j + 1])) {
            mark[total] = '-';
            line[total] = a[i++];
        } else {
            mark[total] = '+';
            line[total] = b[j++];
        }
    }
    bool gap = false;
    for (int k = 0; k < total; k++) {
        bool near = false;
        for (int c = k - context; c <= k + context; c++) {
            near |= c >= 0 && c < total && mark[c] != ' ';
        }
        if (near) {
            print_line(text, mark[k], line[k]);
        } else if (!gap) {
            text_add(text, "    ...\n");
        }
        gap = !near;
    }
}

bool cause_print_graphs(Text *text, const Checker *c, const Program *p, const Cause *cause,
                        int context) {
    const char *before, *after;
    if ((!compiles_here(&c->a) && !compiles_here(&c->b)) ||
        !find_graphs(text->arena, c, p, cause, &before, &after)) {
        return false;
    }
    print_difference(text, before, after, context);
    return true;
}

const char *cause_node(Text *text, const Checker *c, const Program *p, const Cause *cause) {
    const char *before, *after;
    CauseGraphsLine a[MAX_LINES], b[MAX_LINES];
    if (cause->limit <= 0 || !find_graphs(text->arena, c, p, cause, &before, &after)) {
        return NULL;
    }
    int n = split(before, a), m = split(after, b), i = 0;
    while (i < n && i < m && cause_graphs_same(a[i], b[i])) {
        i++;
    }
    CauseGraphsLine line = i < n ? a[i] : b[i];
    int indent = 0;
    while (indent < line.n && line.at[indent] == ' ') {
        indent++;
    }
    text_addn(text, line.at + indent, line.n - indent);
    return text->v;
}

static int step_named(const char *name) {
    for (int i = 0; i < STEP_COUNT; i++) {
        if (strcmp(step_info(i)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void cause_print(Text *t, const Checker *c, const Program *p, const Cause *cause) {
    int step = step_named(cause->rule);
    text_printf(t, "  stage      %s: %s\n", cause->stage, cause_about(cause));
    if (step >= 0) {
        text_printf(t, "  step       %s: %s\n  claim      %s\n", cause->rule, step_info(step)->text,
                    step_info(step)->why);
    }
    if (cause->limit >= 0) {
        text_printf(t, "  limit      --opt-limit %lld shows the finding, %lld does not\n",
                    (long long)cause->limit, (long long)cause->limit - 1);
    }
    Text node = {.arena = t->arena};
    if (cause_node(&node, c, p, cause)) {
        text_printf(t, "  node       %s\n", node.v);
    }
}

const char *cause_graphs_title(const Cause *cause) {
    return cause->limit >= 0 ? "the graph without the step (-) and with it (+)"
                             : "the graph before the stage (-) and after it (+)";
}
