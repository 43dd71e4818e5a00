/* minimize: check one program; if there is a finding, make the program smaller and print it, or
 * write a report with --out.
 *
 * With --save FILE the smallest program so far is written there after every step, and minimizing
 * continues from the file if it exists: a run that is stopped, or that reaches its limit, loses
 * nothing. SIGINT, SIGTERM and SIGHUP end it with the smallest program so far, as a limit does.
 * Findings with other signatures that candidates show are printed, and written with
 * --out. A file or folder that cannot be written is refused before the work; one that cannot be
 * written at the end leaves the program on standard output. */
#include "harness/cli/command.h"
#include "harness/campaign/ledger.h"
#include "harness/triage/minimize.h"
#include "harness/filing/report.h"
#include "harness/util/interrupt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct MinimizeState {
    const Options *options;
    Checker checker;
    Arena arena;
    const char *origin;
    int code, programs;
    double shown;
} MinimizeState;

/* Complains of the first failure only. */
static void cmd_minimize_save(MinimizeState *s, const Program *p) {
    Arena scratch = ARENA_EMPTY;
    Text t = {.arena = &scratch};
    char message[512];
    program_print(&t, p, false);
    if (!io_write(s->options->save, t.v, t.n, message, sizeof message) &&
        s->code < EXIT_ENVIRONMENT) {
        s->code = complain(EXIT_ENVIRONMENT, "%s", message);
    }
    arena_destroy(&scratch);
}

static void on_step(void *user, const char *reducer, const Program *now,
                    const MinimizeStats *so_far) {
    MinimizeState *s = user;
    if (s->options->save) {
        cmd_minimize_save(s, now);
    }
    double at = now_seconds();
    if (progress_wanted(s->options) && at - s->shown >= 0.1) {
        s->shown = at;
        fprintf(stderr, "\r%6lld checks, %3lld kept: %3d statements, %5lld elements (%s)%20s",
                (long long)so_far->checks, (long long)so_far->kept, program_size(now),
                (long long)program_elements(now), reducer, "");
    }
}

/* The program that an earlier run saved; `p` if there is none; NULL after complaining. */
static const Program *resumed(MinimizeState *s, const Program *p, Finding *finding) {
    if (!s->options->save || access(s->options->save, F_OK) != 0) {
        return p;
    }
    char *text, message[512];
    int64_t length;
    Program *saved;
    if (io_read(&s->arena, s->options->save, IO_MAX_BYTES, &text, &length, message,
                sizeof message) != IO_OK ||
        program_parse_within(&s->arena, text, (size_t)length, &s->options->limits, &saved, message,
                             sizeof message) != PARSE_OK ||
        !program_verify_within(saved, &s->options->limits, message, sizeof message)) {
        s->code = complain(EXIT_BAD_INPUT, "%s: %s", s->options->save, message);
        return NULL;
    }
    CheckResult out;
    check_program(&s->checker, saved, &s->arena, &out);
    if (out.verdict == FINDING) {
        check_locate(&s->checker, saved, &out.finding, &s->arena);
    }
    if (out.verdict != FINDING || strcmp(out.finding.signature, finding->signature) != 0) {
        s->code = complain(EXIT_BAD_INPUT,
                           "%s does not show %s, as a run that was stopped would have left it",
                           s->options->save, finding->signature);
        return NULL;
    }
    *finding = out.finding;
    return saved;
}

/* Findings with other symptoms that candidates showed: each gets a report of its own, without
 * minimizing. */
static void report_others(MinimizeState *s, MinimizeStats *stats, const Finding *own) {
    for (int i = 0; i < stats->nother; i++) {
        Other *other = &stats->other[i];
        char path[4096] = "", message[512];
        check_locate(&s->checker, other->program, &other->finding, &s->arena);
        const char *signature =
            other->finding.signature; /* that of the finding itself has its folder */
        const char *folder = strcmp(signature, own->signature) == 0
                                 ? seen_name(&s->arena, signature, other->finding.cause.group)
                                 : signature;
        if (s->options->out && !report_exists(s->options->out, folder)) {
            Report report = {other->program,
                             other->program,
                             &other->finding,
                             &s->checker,
                             NULL,
                             arena_printf(&s->arena, "found while running %s", s->origin),
                             folder};
            if (!report_write(&s->arena, s->options->out, &report, path, sizeof path, message,
                              sizeof message)) {
                s->code = complain(EXIT_ENVIRONMENT, "%s", message);
            }
        }
        if (!s->options->quiet) {
            fprintf(stderr, "another finding: %s%s%s\n", other->finding.signature,
                    path[0] ? ", " : "", path);
        }
    }
}

/* More checkers for --jobs: 0, or an exit code after complaining; `*n` of them are open then. */
static int open_more(MinimizeState *s, MinimizeStats *stats, int *n) {
    int want = (int)min_i64(s->options->jobs, MINIMIZE_MAX_JOBS) - 1, code = 0;
    *n = 0;
    if (want > 0) {
        stats->more = arena_array(&s->arena, Checker, want);
        while (*n < want && (code = open_checker(s->options, &stats->more[*n])) == 0) {
            ++*n;
        }
    }
    stats->nmore = *n;
    return code;
}

static int print_answer(MinimizeState *s, const Program *p, const Program *small,
                        const Finding *finding, const MinimizeStats *stats) {
    if (!s->options->quiet) {
        fprintf(
            stderr,
            "%s%s%s: %d statements, now %d; %lld elements, now %lld; %lld checks, %.2f seconds%s\n",
            progress_wanted(s->options) ? "\r" : "", finding->signature,
            stats->flaky ? " (flaky: it does not show every time)" : "", program_size(p),
            program_size(small), (long long)program_elements(p), (long long)program_elements(small),
            (long long)stats->checks, stats->seconds,
            stats->complete    ? ""
            : interrupt_came() ? "; interrupted"
                               : "; stopped at a limit");
    }
    char path[4096], message[512];
    Report report = {p, small, finding, &s->checker, stats, s->origin, NULL};
    if (s->options->out && report_write(&s->arena, s->options->out, &report, path, sizeof path,
                                        message, sizeof message)) {
        printf("%s\n", path);
        return EXIT_FINDINGS;
    }
    Text t = {.arena = &s->arena};
    program_print(&t, small, false);
    fwrite(t.v, 1, (size_t)t.n, stdout);
    return s->options->out ? complain(EXIT_ENVIRONMENT, "%s", message) : EXIT_FINDINGS;
}

static int minimize(MinimizeState *s, const Source *source, const Program *p) {
    CheckResult out;
    check_program(&s->checker, p, &s->arena, &out);
    if (out.verdict != FINDING) {
        printf("%s: nothing to minimize: %s%s\n", title_of(&s->arena, source->name, p),
               out.verdict == AGREE ? "the executors agree" : "skipped, ",
               out.verdict == AGREE ? "" : skip_name(out.skip));
        return EXIT_AGREE;
    }
    check_locate(&s->checker, p, &out.finding, &s->arena);
    finding_breakpoint(&out.finding);
    s->origin = arena_printf(&s->arena, "minimize %s", printable(&s->arena, source->name));
    const Program *from = resumed(s, p, &out.finding);
    if (!from) {
        return s->code;
    }
    MinimizeStats stats = {.seconds = s->options->seconds, .checks = s->options->runs};
    int opened;
    s->code = open_more(s, &stats, &opened);
    Program *small = s->code == 0 ? minimize_program(&s->arena, from, &s->checker, &out.finding,
                                                     &stats, on_step, s)
                                  : NULL;
    for (int i = 0; i < opened; i++) {
        checker_close(&stats.more[i]);
    }
    if (!small) {
        return s->code;
    }
    if (s->options->save) {
        cmd_minimize_save(s, small);
    }
    CheckResult last;
    for (int i = 0; i < (stats.flaky ? 2 * MINIMIZE_RETRIES : 1); i++) {
        check_program(&s->checker, small, &s->arena, &last);
        if (last.verdict == FINDING) {
            out.finding = last.finding;
            check_locate(&s->checker, small, &out.finding, &s->arena);
            break;
        }
    }
    int code = print_answer(s, p, small, &out.finding, &stats);
    report_others(s, &stats, &out.finding);
    return code;
}

static void cmd_minimize_each(void *user, const Source *source) {
    MinimizeState *s = user;
    arena_reset(&s->arena);
    Program *p;
    int code = load_program(s->options, &s->arena, source, &p, NULL);
    if (code == 0 && s->programs++ > 0) {
        code = complain(EXIT_BAD_INPUT, "minimize takes one program, and '%s' is another",
                        printable(&s->arena, source->name));
    } else if (code == 0) {
        code = minimize(s, source, p);
    }
    s->code = worst(s->code, code);
}

/* Can --save and --out be written? 0, or an exit code after complaining. */
static int minimize_ready(const Options *o) {
    char message[512];
    if (o->save && io_same_file(o->save, o->files[0])) {
        return complain(EXIT_BAD_INPUT, "--save '%.200s' is the program itself: name another file",
                        o->save);
    }
    bool ready = (!o->save || io_writable(o->save, message, sizeof message)) &&
                 (!o->out || io_mkdirs(o->out, message, sizeof message));
    return ready ? 0 : complain(EXIT_ENVIRONMENT, "%s", message);
}

int cmd_minimize(const Options *o) {
    MinimizeState s = {.options = o, .arena = ARENA_EMPTY};
    int code = minimize_ready(o);
    if (code != 0) {
        return code;
    }
    code = open_checker(o, &s.checker);
    if (code == 0) {
        interrupt_note();
        code = any_program(o->files[0], io_each(o->files[0], false, cmd_minimize_each, &s));
    }
    checker_close(&s.checker);
    arena_destroy(&s.arena);
    return worst(code, s.code);
}
