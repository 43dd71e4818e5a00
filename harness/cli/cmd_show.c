/* show: prints one program in one of several forms. ir compiles it and prints the graph after every
 * stage, loops the loop IR only, c the C file that compiled:native generates (one for every plan of
 * the program); dot with --after is the graph after that stage. With --stats the program is
 * compiled as well, and the statistics of the compiler follow. */
#include "harness/cli/command.h"
#include "harness/report/compile_stats.h"
#include "program/print/print.h"

#include <stdio.h>
#include <string.h>

typedef struct ShowState {
    const Options *options;
    void (*print)(Text *text, const Program *p); /* NULL: the compiler's */
    Arena arena;
    int code;
    bool stage_seen, dot;
    int plans;
} ShowState;

static void cmd_show_print_json(Text *text, const Program *p) { program_print(text, p, false); }

static const struct {
    const char *name;
    void (*print)(Text *text, const Program *p);
} FORMS[] = {
    {"text", program_print_text},
    {"json", cmd_show_print_json},
    {"dot", program_print_dot},
    {"python", program_print_python},
    {"torch", program_print_torch},
    {"ir", NULL},
    {"loops", NULL},
    {"c", NULL},
};

/* --as loops and --as c: one stage, without a heading. */
static const char *only_stage(const char *as) {
    return strcmp(as, "loops") == 0 ? "lower" : strcmp(as, "c") == 0 ? "c" : NULL;
}

static void cmd_show_on_dump(void *user, const char *stage, const char *text) {
    ShowState *s = user;
    const char *only = only_stage(s->options->as);
    if (only) {
        if (strcmp(only, stage) == 0) {
            printf("%s%s", s->plans++ ? "\n" : "", text);
        }
        return;
    }
    if (!s->options->after || strcmp(s->options->after, stage) == 0) {
        s->stage_seen = true;
        if (s->dot) {
            fputs(text, stdout);
        } else {
            printf("---- after %s\n%s", stage, text);
        }
    }
}

static void cmd_show_compile(ShowState *s, const Program *p) {
    CompileOptions compile = s->options->compile;
    CompileCounters *counters = arena_new(&s->arena, CompileCounters);
    compile.on_dump = s->print ? NULL : cmd_show_on_dump;
    compile.dump_user = s;
    compile.dump_c = !s->print && strcmp(s->options->as, "c") == 0;
    compile.dump_dot = s->dot;
    compile.measure = s->options->stats;
    s->plans = 0;
    RunOptions run = {.limits = s->options->limits};
    compiled_run(p, &compile, &run, counters, &s->arena);
    if (s->options->stats) {
        Text t = {.arena = &s->arena};
        compile_stats_text(&t, counters);
        fwrite(t.v, 1, (size_t)t.n, stdout);
    }
}

static void cmd_show_each(void *user, const char *source, const Program *p) {
    (void)source;
    ShowState *s = user;
    if (s->print) {
        semantics_enter(run_semantics(p, &(RunOptions){0})); /* the spelling depends on it */
        Text t = {.arena = &s->arena};
        s->print(&t, p);
        fwrite(t.v, 1, (size_t)t.n, stdout);
    }
    if (!s->print || s->options->stats) {
        cmd_show_compile(s, p);
    }
}

int cmd_show(const Options *o) {
    ShowState s = {.options = o, .arena = ARENA_EMPTY};
    const char *as = o->as ? o->as : "text";
    if (strcmp(as, "issue") == 0 || strcmp(as, "unittest") == 0) {
        return show_finding(o);
    }
    int form = 0;
    while (form < COUNT_OF(FORMS) && strcmp(FORMS[form].name, as) != 0) {
        form++;
    }
    if (form == COUNT_OF(FORMS)) {
        return complain(EXIT_BAD_INPUT,
                        "a program cannot be shown as '%.60s', but as text, json, dot, python, "
                        "torch, ir, loops, c, issue or unittest",
                        as);
    }
    s.print = FORMS[form].print;
    if (o->after && s.print == program_print_dot) {
        s.print = NULL;
        s.dot = true;
    }
    if (o->after && (s.print || only_stage(as))) {
        return complain(EXIT_BAD_INPUT, "--after is for --as ir and --as dot");
    }
    int walked = each_program(o, &s.arena, cmd_show_each, &s); /* changes s.code too */
    s.code = worst(s.code, walked);
    if (o->after && !s.stage_seen && s.code == 0) {
        s.code = complain(EXIT_BAD_INPUT, "no stage named '%.60s' ran (see 'twingrad passes')",
                          o->after);
    }
    arena_destroy(&s.arena);
    return s.code;
}
