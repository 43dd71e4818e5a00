/* The text of a report. It holds no time, no path of this machine and nothing random, so the same
 * finding gives the same bytes. */
#include "harness/filing/issue.h"

#include "harness/filing/issue_script.h"
#include "harness/filing/report.h"
#include "program/print/print.h"
#include "harness/targets/mode.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- words ---- */

/* What is wrong, in a few words. */
static const char *issue_symptom(const Finding *f) {
    switch (f->oracle) {
    case ORACLE_status:
        return strncmp(f->kind, "ok_vs_", 6) == 0 ? "raises where eager does not"
               : strstr(f->kind, "_vs_ok")        ? "does not raise where eager does"
                                                  : "raises another error than eager";
    case ORACLE_trace:
    case ORACLE_flags:
        return "wrong autograd metadata";
    case ORACLE_values:
        return strcmp(f->kind, "later") == 0 ? "a result is overwritten after the call"
               : f->subject == SUBJECT_INPUT || f->subject == SUBJECT_ARG
                   ? "wrong contents of an argument"
                   : "silently wrong result";
    case ORACLE_metadata:
        return strcmp(f->kind, "uncounted_write") == 0 ? "a write to an argument is not counted"
                                                       : "wrong dtype, size or stride";
    case ORACLE_alias:
        return "wrong aliasing of a result";
    case ORACLE_state:
        return "a mode of the thread is left changed";
    case ORACLE_gradients:
        return strcmp(f->kind, "grad_alias") == 0           ? "a gradient shares memory"
               : strcmp(f->kind, "grad_requires_grad") == 0 ? "wrong autograd metadata"
               : strstr(f->kind, "none") ? "None and zeros exchanged in a gradient"
                                         : "silently wrong gradient";
    default:
        return "differs from eager";
    }
}

/* The statement as Python-like text, without its path. */
static const char *issue_statement(Arena *arena, const Program *p, const Finding *f) {
    const char *text = report_statement(arena, p, f->culprit), *colon = strstr(text, ": ");
    return colon ? colon + 2 : text;
}

static const char *issue_mode(const Issue *issue) { return issue->mode ? issue->mode : "compiled"; }

static const char *issue_title(Arena *arena, const Issue *issue) {
    bool fake = mode_is_fake(issue_mode(issue));
    return arena_printf(
        arena, "[%s] %s: `%.120s`",
        fake ? "fake tensor" : arena_printf(arena, "torch.compile, %s", issue_mode(issue)),
        issue_symptom(issue->finding), issue_statement(arena, issue->program, issue->finding));
}

/* Each op once, in order, as words to search for. */
static void add_search_ops(Text *t, const Block *block, const OpInfo **seen, int *n, int limit) {
    for (const Stmt *s = block->first; s; s = s->next) {
        bool again = s->kind != STMT_OP;
        for (int i = 0; i < *n; i++) {
            again |= s->kind == STMT_OP && strcmp(seen[i]->name, s->op->name) == 0;
        }
        if (!again && *n < limit) {
            seen[(*n)++] = s->op;
            text_printf(t, " %s", s->op->name);
        }
        add_search_ops(t, &s->body, seen, n, limit);
        add_search_ops(t, &s->orelse, seen, n, limit);
    }
}

static void print_search_terms(Text *t, const Issue *issue) {
    enum { MOST = 6 };
    const OpInfo *seen[MOST];
    int n = 0;
    text_printf(t, "- `torch.compile %s", issue_mode(issue));
    add_search_ops(t, &issue->program->body, seen, &n, MOST);
    text_printf(t, "`\n- `%s", issue_symptom(issue->finding));
    if (n > 0) {
        text_printf(t, " %s", seen[n - 1]->name);
    }
    text_add(t, "`\n");
    const char *message = issue->facts && issue->facts->ran ? issue->facts->last_line : "";
    if (issue->finding->oracle == ORACLE_status && message[0]) {
        text_printf(t, "- `%.100s`\n", message);
    }
}

/* ---- the parts ---- */

static void print_runs(Text *t, const char *heading, const IssueRun *run, int n) {
    if (n == 0) {
        return;
    }
    text_printf(t, "\n| %s | |\n| --- | --- |\n", heading);
    for (int i = 0; i < n; i++) {
        text_printf(t, "| %s | %s |\n", run[i].name, run[i].answer);
    }
}

/* The oldest release from which on all show it, up to the issue's own; NULL if it is not known. */
static const char *first_bad(const Issue *issue) {
    const IssueFacts *facts = issue->facts;
    int own = -1;
    for (int i = 0; facts && issue->version && i < facts->nreleases; i++) {
        own = strcmp(facts->release[i].name, issue->version) == 0 ? i : own;
    }
    if (own < 0 || !facts->release[own].shows) {
        return NULL;
    }
    while (own > 0 && facts->release[own - 1].shows) {
        own--;
    }
    return facts->release[own].name;
}

static void print_stage(Text *t, const Issue *issue) {
    const IssueFacts *facts = issue->facts;
    const char *stage = NULL;
    for (int i = 0; facts && i < facts->nmodes && !stage; i++) {
        stage = facts->mode[i].shows ? facts->mode[i].name : NULL;
    }
    text_add(t, "\n### Stage and configuration\n\n");
    text_printf(t, "`%s`, default configuration, %s.", script_configuration(t->arena, issue),
                mode_is_cuda(issue_mode(issue)) ? "GPU" : "CPU");
    if (stage) {
        text_printf(t, " The first mode that shows it: %s.", stage);
    }
    const char *bad = first_bad(issue);
    if (bad) {
        text_printf(t, " First bad version among those installed: %s.", bad);
    }
    if (facts && facts->ran && facts->frame[0]) {
        text_printf(t, " The innermost frame in PyTorch: `%s`.", facts->frame);
    }
    if (issue->finding->cause.text[0]) {
        text_printf(t, " Cause: %s.", issue->finding->cause.text);
    }
    text_add(t, "\n");
    if (facts) {
        print_runs(t, "mode", facts->mode, facts->nmodes);
        print_runs(t, "release", facts->release, facts->nreleases);
    }
}

void issue_print(Text *text, const Issue *issue) {
    Arena *arena = text->arena;
    const Finding *f = issue->finding;
    const IssueFacts *facts = issue->facts;
    text_printf(text, "Title: %s\n\n### 🐛 Describe the bug\n\n", issue_title(arena, issue));
    text_printf(text, "%s in %s: %s.\n\n```python\n", issue_symptom(f), issue_mode(issue),
                finding_location(arena, issue->program, f));
    issue_script(text, issue);
    text_printf(text, "```\n\nExpected (eager): %s\n\nObserved (%s): %s\n", f->a, issue_mode(issue),
                f->b);
    if (facts && facts->ran && !facts->failed) {
        text_add(text, "\nThe script above does not show it. The complete one does: `twingrad show "
                       "--as torch`.\n");
    }
    text_add(text, "\n### Error logs\n\n```\n");
    text_printf(text, "%s\n```\n",
                facts && facts->ran && facts->last_line[0] ? facts->last_line
                                                           : "(run the script: its last line)");
    print_stage(text, issue);
    text_printf(text,
                "\n### Versions\n\n%s; add the output of `python -m torch.utils.collect_env`"
                "\n\n### Search terms\n\n",
                issue->version ? issue->version : "(version of PyTorch)");
    print_search_terms(text, issue);
    text_printf(text, "\n### Seen by\n\n`twingrad check%s%s`: %s\n", issue->options[0] ? " " : "",
                issue->options, f->signature);
}

void issue_unittest(Text *text, const Issue *issue) {
    const Finding *f = issue->finding;
    char name[80];
    const char *of =
        issue->program->name && issue->program->name[0] ? issue->program->name : f->signature;
    snprintf(name, sizeof name, "%.79s", of);
    for (char *c = name; *c; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '_';
    }
    text_add(text, "# Owner(s): [\"module: inductor\"]\n");
    script_print_import(text, issue);
    text_add(text, "from torch._inductor.test_case import run_tests, TestCase\n\n\n"
                   "class TestCompiledAsEager(TestCase):\n");
    text_printf(text, "    def test_%s(self):\n", name);
    script_print_definitions(text, issue, 2);
    script_print_compiled(text, issue, 2);
    if (f->oracle == ORACLE_status && strncmp(f->kind, "ok_vs_", 6) == 0) {
        text_add(text, "        run(f)  # eager runs\n        run(compiled)\n");
    } else if (f->oracle == ORACLE_status) {
        script_print_outcome(text, issue, 2);
        text_add(text, "        self.assertEqual(outcome(compiled), outcome(f))\n");
    } else if (f->oracle == ORACLE_state) {
        text_add(text, "        expected = run(f)\n"
                       "        self.assertEqual(run(compiled), expected)\n");
    } else {
        text_add(text, "        self.assertEqual(run(compiled), run(f))\n");
    }
    text_add(text, "\n\nif __name__ == \"__main__\":\n    run_tests()\n");
}
