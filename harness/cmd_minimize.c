/* minimize: check one program; if there is a finding, make the program smaller and print it, or write a report with --out. */
#include "harness/command.h"
#include "harness/minimize.h"
#include "harness/report.h"

#include <stdio.h>

typedef struct State {
    const Options *options;
    Checker checker;
    Arena arena;
    int code, programs;
} State;

static void on_step(void *user, const char *reducer, const Program *now, const MinimizeStats *so_far) {
    const State *s = user;
    if (progress_wanted(s->options)) {
        fprintf(stderr, "\r%6lld checks, %3lld kept: %3d statements, %5lld elements (%s)%20s", (long long)so_far->checks, (long long)so_far->kept,
                program_size(now), (long long)program_elements(now), reducer, "");
    }
}

static int minimize(State *s, const Source *source, const Program *p) {
    Outcome out;
    check_program(&s->checker, p, &s->arena, &out);
    if (out.verdict != FINDING) {
        printf("%s: nothing to minimize: %s%s\n", title_of(&s->arena, source->name, p),
               out.verdict == AGREE ? "the executors agree" : "skipped, ", out.verdict == AGREE ? "" : skip_name(out.skip));
        return EXIT_AGREE;
    }
    check_locate(&s->checker, p, &out.finding, &s->arena);
    finding_breakpoint(&out.finding);
    MinimizeStats stats = {.seconds = s->options->seconds};
    Program *small = minimize_program(&s->arena, p, &s->checker, &out.finding, &stats, on_step, s);
    Outcome last;
    check_program(&s->checker, small, &s->arena, &last);
    CHECK(last.verdict == FINDING);
    check_locate(&s->checker, small, &last.finding, &s->arena);
    if (!s->options->quiet) {
        fprintf(stderr, "%s: %d statements, now %d; %lld checks, %.2f seconds\n", last.finding.signature, program_size(p), program_size(small),
                (long long)stats.checks, stats.seconds);
    }
    if (!s->options->out) {
        Text t = {.arena = &s->arena};
        program_print(&t, small, false);
        fwrite(t.v, 1, (size_t)t.n, stdout);
        return EXIT_FINDINGS;
    }
    char path[4096], message[512];
    Report report = {p, small, &last.finding, &s->checker, &stats, arena_printf(&s->arena, "minimize %s", printable(&s->arena, source->name))};
    if (!report_write(&s->arena, s->options->out, &report, path, sizeof path, message, sizeof message)) {
        return complain(EXIT_ENVIRONMENT, "%s", message);
    }
    printf("%s\n", path);
    return EXIT_FINDINGS;
}

static void each(void *user, const Source *source) {
    State *s = user;
    arena_reset(&s->arena);
    Program *p;
    int code = load_program(s->options, &s->arena, source, &p, NULL);
    if (code == 0 && s->programs++ > 0) {
        code = complain(EXIT_BAD_INPUT, "minimize takes one program, and '%s' is another", printable(&s->arena, source->name));
    } else if (code == 0) {
        code = minimize(s, source, p);
    }
    s->code = worst(s->code, code);
}

int cmd_minimize(const Options *o) {
    State s = {.options = o, .arena = ARENA_EMPTY};
    int code = open_checker(o, &s.checker);
    if (code == 0) {
        io_each(o->files[0], false, each, &s);
    }
    checker_close(&s.checker);
    arena_destroy(&s.arena);
    return worst(code, s.code);
}
