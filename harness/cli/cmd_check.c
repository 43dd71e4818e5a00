/* check: runs each program on both executors and all oracles; prints one line per program, more for
 * a finding. A bad file does not stop the others; the exit code is the worst one. */
#include "harness/cli/command.h"
#include "harness/filing/report.h"
#include "harness/search/group_of.h"

#include <stdio.h>

typedef struct CheckState {
    const Options *options;
    Checker checker;
    CheckerOptions settings; /* of the checker, with --group */
    Grouping grouping;
    Arena arena;
    int code;
} CheckState;

/* "reached":["NU-1"],"triggered":[]: what the seeded faults did in this program. */
static void cmd_check_print_canaries(const CheckState *s, Text *t) {
    static const char *const keys[] = {"reached", "triggered"};
    const Executor *both[] = {&s->checker.a, &s->checker.b};
    for (int k = 0; k < COUNT_OF(keys); k++) {
        text_printf(t, ",\"%s\":[", keys[k]);
        const char *comma = "";
        for (int i = 0; faults_seeded(&both[0]->compile, i) != FAULT_NONE; i++) {
            FaultId id = faults_seeded(&both[0]->compile, i);
            bool noted = false;
            for (int e = 0; e < COUNT_OF(both); e++) {
                const CompileCounters *counters = &both[e]->counters;
                noted |= fault_set_has(k == 0 ? &counters->reached : &counters->triggered, id);
            }
            if (noted) {
                text_printf(t, "%s\"%s\"", comma, fault_info(id)->id);
                comma = ",";
            }
        }
        text_add(t, "]");
    }
}

static void cmd_check_print_json(CheckState *s, const char *source, const Program *p,
                                 const CheckResult *out, const GroupOf *group, double seconds) {
    static const char *const verdicts[] = {"agree", "finding", "skip"};
    Text t = {.arena = &s->arena};
    text_add(&t, "{\"type\":\"check\",\"schema_version\":1,\"file\":");
    text_json_string(&t, source);
    text_add(&t, ",\"name\":");
    text_json_string(&t, p->name ? p->name : "");
    text_printf(&t, ",\"statements\":%d,\"calls\":%d,\"verdict\":\"%s\"", program_size(p),
                1 + p->nrecalls, verdicts[out->verdict]);
    if (out->verdict == SKIP) {
        text_printf(&t, ",\"reason\":\"%s\"", skip_name(out->skip));
    } else if (out->verdict == FINDING) {
        text_add(&t, ",\"finding\":");
        report_finding_json(&t, p, &out->finding, out->fired);
    }
    if (group->key) {
        text_add(&t, ",\"group\":");
        text_json_string(&t, group->key);
        text_printf(&t, ",\"standing\":\"%s\"", finding_status_name(group->status));
    }
    if (s->checker.a.compile.fault != FAULT_NONE) {
        cmd_check_print_canaries(s, &t);
    }
    if (s->options->timing) {
        text_printf(&t, ",\"milliseconds\":%.3f", 1e3 * seconds);
    }
    text_add(&t, "}");
    puts(t.v);
}

static void check_print_text(CheckState *s, const char *source, const Program *p,
                             const CheckResult *out, const GroupOf *group, double seconds) {
    if (s->options->quiet && out->verdict != FINDING) {
        return;
    }
    int n = program_size(p), calls = 1 + p->nrecalls;
    printf("%s: %d statement%s, %d call%s: ", title_of(&s->arena, source, p), n, n == 1 ? "" : "s",
           calls, calls == 1 ? "" : "s");
    if (out->verdict == AGREE) {
        printf("%sagree%s", color("\033[32m"), color("\033[0m"));
    } else if (out->verdict == SKIP) {
        printf("skip (%s)", skip_name(out->skip));
    } else {
        printf("%sFINDING%s %s", color("\033[31m"), color("\033[0m"), out->finding.signature);
    }
    if (s->options->timing) {
        printf(" (%.3f ms)", 1e3 * seconds);
    }
    putchar('\n');
    if (out->verdict == FINDING) {
        Text t = {.arena = &s->arena};
        report_finding(&t, p, &out->finding, &s->checker);
        if (group->key) {
            text_printf(&t, "  group      %s (%s)\n", group->key,
                        finding_status_name(group->status));
        }
        fputs(t.v, stdout);
    }
}

static void cmd_check_each(void *user, const char *source, const Program *p) {
    CheckState *s = user;
    CheckResult out;
    Executor *both[] = {&s->checker.a, &s->checker.b};
    for (int e = 0; e < COUNT_OF(both); e++) {
        both[e]->counters.reached = both[e]->counters.triggered = (FaultSet){{0}};
    }
    double start = now_seconds();
    check_program(&s->checker, p, &s->arena, &out);
    double seconds = now_seconds() - start;
    GroupOf group = {NULL, STATUS_NEW};
    if (out.verdict == FINDING) {
        check_locate(&s->checker, p, &out.finding, &s->arena);
        finding_breakpoint(&out.finding);
        if (s->options->group) {
            group = group_of(&s->grouping, &s->arena, p, &out.finding);
        }
        bool listed = group.status == STATUS_KNOWN || group.status == STATUS_ALLOWED;
        s->code = worst(s->code, listed ? EXIT_AGREE : EXIT_FINDINGS);
    }
    (s->options->json ? cmd_check_print_json : check_print_text)(s, source, p, &out, &group,
                                                                 seconds);
}

/* What --group needs, in `home`: 0, or an exit code after a complaint. */
static int cmd_check_open_grouping(CheckState *s, Arena *home) {
    char message[1024];
    s->grouping = (Grouping){.options = &s->settings, .checker = &s->checker};
    return checker_settings(s->options, &s->settings, message, sizeof message)
               ? open_known(s->options, &s->checker, home, &s->grouping.known)
               : complain(EXIT_BAD_INPUT, "%s", message);
}

int cmd_check(const Options *o) {
    CheckState s = {.options = o, .arena = ARENA_EMPTY};
    if (o->known && !o->group) {
        return complain(EXIT_BAD_INPUT, "--known is for --group");
    }
    Arena home = ARENA_EMPTY;
    s.code = open_checker(o, &s.checker);
    if (s.code == 0) {
        s.code = o->group ? cmd_check_open_grouping(&s, &home) : 0;
        if (s.code == 0) {
            int walked = each_program(o, &s.arena, cmd_check_each, &s);
            s.code = worst(s.code, walked);
            const char *gone = checker_gone(&s.checker);
            s.code = gone ? worst(s.code, complain(EXIT_ENVIRONMENT, "%s", gone)) : s.code;
        }
        stages_close(&s.grouping.stages);
        checker_close(&s.checker);
    }
    arena_destroy(&s.arena);
    arena_destroy(&home);
    return s.code;
}
