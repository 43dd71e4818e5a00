/* promote: makes a regression of a finding. The program of a report (or any program) is written to
 * corpus/regressions/NAME.json, named after its signature, with a `note` that says why it is kept
 * and, as `expect`, the result of the pair's first executor, which is taken as correct. `replay`
 * compares both executors with it from then on, so a change of either fails. */
#include "harness/cli/command.h"
#include "harness/filing/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct PromoteState {
    const Options *options;
    Checker checker;
    Arena arena;
    int code;
} PromoteState;

/* FINDING is a report's folder, or a program. */
static const char *program_of(Arena *arena, const char *finding) {
    struct stat info;
    return stat(finding, &info) == 0 && S_ISDIR(info.st_mode)
               ? arena_printf(arena, "%s/minimized.json", finding)
               : finding;
}

enum { PROMOTE_MAX_NAME = NAME_MAX - 24 }; /* ".json", and ".PID.tmp" while it is written */

/* A file name as the corpus has them: letters, digits, underscores. */
static const char *cmd_promote_file_name(Arena *arena, const char *text) {
    char *name = arena_strdup(arena, text);
    for (char *c = name; *c; c++) {
        bool plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = plain ? *c : '_';
    }
    return name;
}

/* The note, if none is given. */
static const char *promote_note(Arena *arena, const Finding *f, const char *pair) {
    const char *cause =
        f->cause.stage[0] ? arena_printf(arena, " It came from %s.", f->cause.text) : "";
    return arena_printf(arena, "%s was %s, not %s (%s, pair %s).%s", f->kind, f->b, f->a,
                        f->signature, pair, cause);
}

/* Does the second executor give the same bits? Then replay compares bits, too. */
static bool promote_exact(PromoteState *s, Checker *right, const Program *p) {
    CheckResult out;
    faults_clear(&right->b.compile);
    const Result *other = right->b.run(&right->b, p, &s->checker.run, &s->arena);
    check_results(right, p, other, p->expect, RULE_RECORDED_ZERO_SIGN, &s->arena, &out);
    return out.verdict == AGREE;
}

/* Why the result cannot be what is expected, or NULL: the executor failed or does not answer, or
 * the answer is left open. A replay would compare nothing. */
static const char *promote_no_answer(const Result *r) {
    if (r->failure != FAILURE_NONE) {
        return r->calls[0].message;
    }
    if (r->nundefined > 0) {
        return r->undefined[0].why;
    }
    for (int k = 0; k < r->ncalls; k++) {
        const CallResult *call = &r->calls[k];
        if (!call->ok && (call->error == ERR_unsupported || call->error == ERR_limit ||
                          call->error == ERR_internal)) {
            return call->message;
        }
    }
    return NULL;
}

/* The end of the first of these JSON members, which are separated by ", ". */
static const char *promote_member_end(const char *at) {
    int depth = 0;
    for (; *at && !(depth == 0 && *at == ','); at++) {
        if (*at == '"') {
            for (at++; *at != '"'; at++) {
                at += *at == '\\';
            }
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    }
    return at;
}

/* The x- keys of the program, with those that say how `expect` is compared set anew. */
static const char *promote_extra(Arena *arena, const char *extra, bool exact) {
    Text t = {.arena = arena};
    for (const char *at = extra ? extra : "", *end; *at; at = end + strspn(end, ", ")) {
        end = promote_member_end(at);
        if (strncmp(at, "\"x-exact\":", 10) != 0 && strncmp(at, "\"x-zero-sign\":", 14) != 0) {
            text_add(&t, t.n ? ", " : "");
            text_addn(&t, at, end - at);
        }
    }
    if (exact) {
        text_printf(&t, "%s\"x-exact\": true, \"x-zero-sign\": true", t.n ? ", " : "");
    }
    return t.n ? t.v : NULL;
}

static int promote(PromoteState *s, const Program *from) {
    const Options *o = s->options;
    CheckResult out;
    check_program(&s->checker, from, &s->arena, &out);
    bool found = out.verdict == FINDING;
    if (found) {
        check_locate(&s->checker, from, &out.finding, &s->arena);
    }
    if (!found && !o->name) {
        return complain(EXIT_BAD_INPUT,
                        "%s shows no finding to name it after: give --name, and --note",
                        o->files[0]);
    }
    if (!found && !o->note && !from->note) {
        return complain(EXIT_BAD_INPUT, "%s shows no finding that says why it is kept: give --note",
                        o->files[0]);
    }
    Program *p = program_clone(&s->arena, from);
    p->name = cmd_promote_file_name(&s->arena, o->name ? o->name : out.finding.signature);
    p->note = o->note ? o->note
              : found ? promote_note(&s->arena, &out.finding, s->checker.pair)
                      : p->note;
    Checker right = s->checker;
    faults_clear(&right.a.compile);
    p->expect = right.a.run(&right.a, p, &s->checker.run, &s->arena);
    const char *open = promote_no_answer(p->expect);
    if (open) {
        return complain(EXIT_BAD_INPUT, "%s has no answer that could be expected: %s", o->files[0],
                        open);
    }
    p->extra = promote_extra(&s->arena, p->extra, promote_exact(s, &right, p));
    const char *dir = o->out ? o->out : "corpus/regressions",
               *path = arena_printf(&s->arena, "%s/%s.json", dir, p->name);
    char message[512];
    if (access(path, F_OK) == 0) {
        return complain(EXIT_BAD_INPUT, "%s exists already: give another --name", path);
    }
    if (strlen(p->name) > PROMOTE_MAX_NAME || errno == ENAMETOOLONG) {
        return complain(EXIT_BAD_INPUT, "%.40s.. is too long for the name of a file", path);
    }
    Text t = {.arena = &s->arena};
    program_print(&t, p, false);
    Program *again; /* the file must be readable again */
    if (program_parse_within(&s->arena, t.v, (size_t)t.n, &o->limits, &again, message,
                             sizeof message) != PARSE_OK) {
        return complain(EXIT_BAD_INPUT, "%s as a regression: %s", o->files[0], message);
    }
    if (!io_mkdirs(dir, message, sizeof message) ||
        !io_write(path, t.v, t.n, message, sizeof message)) {
        return complain(EXIT_ENVIRONMENT, "%s", message);
    }
    printf("%s\n", path);
    return EXIT_AGREE;
}

static void cmd_promote_each(void *user, const Source *source) {
    PromoteState *s = user;
    Program *p;
    int code = load_program(s->options, &s->arena, source, &p, NULL);
    s->code = worst(s->code, code == 0 ? promote(s, p) : code);
}

int cmd_promote(const Options *o) {
    PromoteState s = {.options = o, .arena = ARENA_EMPTY};
    int code = open_checker(o, &s.checker);
    if (code == 0) {
        const char *path = program_of(&s.arena, o->files[0]);
        code = any_program(path, io_each(path, false, cmd_promote_each, &s));
        checker_close(&s.checker);
    }
    arena_destroy(&s.arena);
    return worst(code, s.code);
}
