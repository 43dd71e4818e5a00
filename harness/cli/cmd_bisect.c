/* bisect: finds the cause of a finding. For a compiler of this process: the pass and the step, with
 * the graph before and after it (cause.h). For a compiling target: the first of its modes that
 * shows the finding, and the answer of PyTorch's own bisector where there is one (bisect_target.c).
 * With
 * --script: prints a shell script for `git bisect run` instead. */
#include "harness/cli/command.h"
#include "harness/triage/bisect.h"
#include "harness/triage/cause.h"
#include "harness/filing/report.h"

#include <stdio.h>
#include <string.h>

typedef struct BisectState {
    const Options *options;
    Checker checker;
    Arena arena;
    int code, programs;
} BisectState;

enum { WHOLE = 10000 /* lines of context: the whole graph */ };

static void cause_json(BisectState *s, Text *t, const char *source, const Program *p,
                       const Finding *f, uint32_t fired, const Text *modes) {
    text_add(t, "{\"type\":\"bisect\",\"schema_version\":1,\"file\":");
    text_json_string(t, source);
    text_add(t, ",\"finding\":");
    report_finding_json(t, p, f, fired);
    if (f->cause.limit >= 0) {
        text_printf(t, ",\"opt_limit\":%lld", (long long)f->cause.limit);
    }
    Text node = {.arena = &s->arena}, graphs = {.arena = &s->arena};
    if (cause_node(&node, &s->checker, p, &f->cause)) {
        text_add(t, ",\"node\":");
        text_json_string(t, node.v);
    }
    if (cause_print_graphs(&graphs, &s->checker, p, &f->cause, WHOLE)) {
        text_add(t, ",\"graphs\":");
        text_json_string(t, graphs.v);
    }
    if (modes->n > 0) {
        text_add(t, ",\"modes\":");
        text_json_string(t, modes->v);
    }
    text_printf(t, ",\"checks\":%lld}\n", (long long)f->cause.checks);
}

static void cause_text(BisectState *s, Text *t, const Program *p, const Finding *f) {
    Text graphs = {.arena = &s->arena};
    cause_print(t, &s->checker, p, &f->cause);
    text_printf(t, "  checks     %lld\n", (long long)f->cause.checks);
    if (cause_print_graphs(&graphs, &s->checker, p, &f->cause, WHOLE)) {
        text_printf(t, "%s:\n%s", cause_graphs_title(&f->cause), graphs.v);
    }
}

static void collect_mode_line(void *user, const char *text, int64_t n) { text_addn(user, text, n); }

/* The modes of a compiling target, into `lines` for JSON or else as they are tried. */
static void bisect_target(BisectState *s, const Program *p, const Finding *f, Text *lines) {
    Output output = terminal_output(s->options);
    const TargetSettings settings = target_settings(s->options);
    if (lines) {
        output.user = lines;
        output.text = collect_mode_line;
    }
    s->code = worst(s->code, bisect_modes(&output, &s->options->compile, &settings, &s->checker, p,
                                          f, &s->arena));
}

static void bisect(BisectState *s, const char *source, const Program *p, CheckResult *out) {
    Finding *f = &out->finding;
    check_locate(&s->checker, p, f, &s->arena);
    finding_breakpoint(f);
    Text t = {.arena = &s->arena};
    if (s->options->script) {
        bisect_script(&t, report_pair_options(t.arena, &s->checker), p, f);
    } else if (s->options->json) {
        Text modes = {.arena = &s->arena};
        if (checker_is_external(&s->checker)) {
            bisect_target(s, p, f, &modes);
        }
        cause_json(s, &t, source, p, f, out->fired, &modes);
    } else {
        text_printf(&t, "%s: %sFINDING%s %s\n", title_of(&s->arena, source, p), color("\033[31m"),
                    color("\033[0m"), f->signature);
        if (f->cause.stage[0]) {
            cause_text(s, &t, p, f);
        }
    }
    fwrite(t.v, 1, (size_t)t.n, stdout);
    if (checker_is_external(&s->checker) && !s->options->script && !s->options->json) {
        bisect_target(s, p, f, NULL);
    }
}

static void cmd_bisect_each(void *user, const char *source, const Program *p) {
    BisectState *s = user;
    if (s->programs++ > 0) {
        s->code =
            worst(s->code, complain(EXIT_BAD_INPUT, "bisect takes one program, and '%s' is another",
                                    printable(&s->arena, source)));
        return;
    }
    CheckResult out;
    check_program(&s->checker, p, &s->arena, &out);
    if (out.verdict == FINDING) {
        s->code = worst(s->code, EXIT_FINDINGS);
        bisect(s, source, p, &out);
    } else if (s->options->script) {
        s->code =
            worst(s->code, complain(EXIT_BAD_INPUT, "%s shows no finding for a script to look for",
                                    printable(&s->arena, source)));
    } else if (s->options->json) {
        Text t = {.arena = &s->arena};
        text_add(&t, "{\"type\":\"bisect\",\"schema_version\":1,\"file\":");
        text_json_string(&t, source);
        text_printf(&t, ",\"verdict\":\"%s\"", out.verdict == AGREE ? "agree" : "skip");
        if (out.verdict == SKIP) {
            text_printf(&t, ",\"reason\":\"%s\"", skip_name(out.skip));
        }
        text_add(&t, "}");
        puts(t.v);
    } else {
        printf("%s: nothing to bisect: %s%s\n", title_of(&s->arena, source, p),
               out.verdict == AGREE ? "the executors agree" : "skipped, ",
               out.verdict == AGREE ? "" : skip_name(out.skip));
    }
}

int cmd_bisect(const Options *o) {
    BisectState s = {.options = o, .arena = ARENA_EMPTY};
    return each_checked(o, &s.checker, &s.arena, &s.code, cmd_bisect_each, &s);
}
