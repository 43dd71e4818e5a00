/* upstream: runs programs that show reported bugs of tensor compilers (corpus/upstream) on each
 * release of PyTorch and each of its modes, the release's eager mode against the mode. It prints
 * which bugs are still there, and compares with the recorded outcomes; --record rewrites those.
 *
 * A folder holds programs/NAME.json, where the note begins with the issue ("pytorch#198094, .."),
 * and outcomes.json (harness/report/outcomes.h). */
#include "harness/cli/command.h"
#include "harness/report/outcomes.h"
#include "harness/targets/declare.h"
#include "harness/triage/locate.h"
#include "harness/targets/mode.h"

#include <stdio.h>
#include <string.h>

static const char DEFAULT_TARGETS[] = "torch", DEFAULT_MODES[] = "dynamo,aot_eager,inductor",
                  FALLBACK_MODES[] = "aot";

typedef struct UpstreamProgram {
    const char *name, *issue;
    Program *p;
    Arena arena; /* of p */
} UpstreamProgram;

/* One mode of one release. */
typedef struct UpstreamColumn {
    const char *release, *version, *mode; /* "2.15", "torch 2.15.0", "dynamo" */
    const char **outcome;                 /* by program */
    const char **recorded;                /* by program; NULL: no outcome is recorded */
} UpstreamColumn;

enum { MAX_COLUMNS = 64, AHEAD = 2 /* programs submitted for each process */ };

typedef struct UpstreamState {
    const Options *options;
    Arena home, scratch;
    const char *folder, *file; /* file: outcomes.json */
    UpstreamProgram *program;
    int n, capacity;
    UpstreamColumn column[MAX_COLUMNS];
    int columns;
    Outcomes recorded;
    int code;
} UpstreamState;

/* ---- reading ---- */

/* What the note begins with: "pytorch#198094". */
static const char *issue_of(Arena *arena, const Program *p) {
    const char *note = p->note ? p->note : "";
    return arena_printf(arena, "%.*s", (int)strcspn(note, ", "), note);
}

static void read_upstream_program(void *user, const Source *source) {
    UpstreamState *s = user;
    if (s->n == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        UpstreamProgram *more = arena_array(&s->home, UpstreamProgram, s->capacity);
        if (s->n > 0) {
            memcpy(more, s->program, (size_t)s->n * sizeof *more);
        }
        s->program = more;
    }
    UpstreamProgram *one = &s->program[s->n];
    *one = (UpstreamProgram){.arena = ARENA_EMPTY};
    int code = load_program(s->options, &one->arena, source, &one->p, NULL);
    if (code != 0) {
        arena_destroy(&one->arena);
        s->code = worst(s->code, code);
        return;
    }
    const char *slash = strrchr(source->name, '/'), *name = slash ? slash + 1 : source->name;
    one->name = arena_printf(&s->home, "%.*s", (int)strcspn(name, "."), name);
    one->issue = issue_of(&s->home, one->p);
    s->n++;
}

/* ---- running ---- */

static const char *outcome_text(UpstreamState *s, Checker *c, const Program *p, CheckResult *out) {
    if (out->verdict == AGREE) {
        return "agrees";
    }
    if (out->verdict == SKIP) {
        return arena_printf(&s->home, "skipped %s", skip_name(out->skip));
    }
    check_locate(c, p, &out->finding, &s->scratch);
    bool raises = strncmp(out->finding.kind, "ok_vs_", 6) == 0;
    return arena_printf(&s->home, "%s %s", raises ? "errors" : "differs", out->finding.signature);
}

static void print_outcome_json(UpstreamState *s, const UpstreamColumn *column, int k) {
    Text t = {.arena = &s->scratch};
    const char *text = column->outcome[k], *space = strchr(text, ' ');
    text_add(&t, "{\"type\":\"upstream\",\"schema_version\":1,\"program\":");
    text_json_string(&t, s->program[k].name);
    text_add(&t, ",\"issue\":");
    text_json_string(&t, s->program[k].issue);
    text_printf(&t, ",\"release\":\"%s\",\"mode\":\"%s\",\"outcome\":\"%.*s\"", column->release,
                column->mode, space ? (int)(space - text) : (int)strlen(text), text);
    if (space) {
        text_add(&t, strncmp(text, "skipped", 7) == 0 ? ",\"reason\":" : ",\"signature\":");
        text_json_string(&t, space + 1);
    }
    text_add(&t, ",\"recorded\":");
    if (column->recorded[k]) {
        text_json_string(&t, column->recorded[k]);
    } else {
        text_add(&t, "null");
    }
    text_add(&t, "}");
    puts(t.v);
}

static int run_column(UpstreamState *s, const char *target, UpstreamColumn *column) {
    char message[1024];
    CheckerOptions options;
    Checker c;
    if (!checker_settings(s->options, &options, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    options.pair = arena_printf(&s->home, "%s:%s,%s:%s", target, mode_eager(column->mode), target,
                                column->mode);
    int code = checker_open_options(&c, &options, message, sizeof message);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    int workers = s->options->workers > 0 ? (int)s->options->workers : 1, submitted = 0;
    column->outcome = arena_array(&s->home, const char *, s->n + 1);
    column->recorded = arena_array(&s->home, const char *, s->n + 1);
    for (int k = 0; k < s->n; k++) {
        for (; submitted < s->n && submitted < k + AHEAD * workers; submitted++) {
            check_submit(&c, s->program[submitted].p);
        }
        CheckResult out;
        arena_reset(&s->scratch);
        check_program(&c, s->program[k].p, &s->scratch, &out);
        column->outcome[k] = outcome_text(s, &c, s->program[k].p, &out);
        column->recorded[k] =
            outcomes_find(&s->recorded, s->program[k].name, column->release, column->mode);
        if (s->options->json) {
            print_outcome_json(s, column, k);
            fflush(stdout);
        }
    }
    const char *gone = checker_gone(&c);
    code = gone ? complain(EXIT_ENVIRONMENT, "%s", gone) : 0;
    checker_close(&c);
    return code;
}

/* Runs the modes of the list that the target has; with `all`, it must have each. The number run, or
 * a negative exit code. */
static int run_modes(UpstreamState *s, const char *target, const char *version, const char *has,
                     const char *modes, bool all) {
    int ran = 0;
    const char *at = modes, *name;
    for (int n; (n = mode_next(&at, &name)) > 0;) {
        bool there = target_modes_have(has, name, (size_t)n);
        if (there && s->columns == MAX_COLUMNS) {
            return -complain(EXIT_BAD_INPUT, "upstream runs at most %d modes, of all targets",
                             MAX_COLUMNS);
        }
        if (there) {
            UpstreamColumn *column = &s->column[s->columns];
            const char *digits = version + strcspn(version, "0123456789");
            size_t major = strspn(digits, "0123456789");
            size_t minor = digits[major] == '.' ? strspn(digits + major + 1, "0123456789") + 1 : 0;
            *column = (UpstreamColumn){
                .release = arena_printf(&s->home, "%.*s", (int)(major + minor), digits),
                .version = version,
                .mode = arena_printf(&s->home, "%.*s", n, name)};
            int code = run_column(s, target, column);
            if (code != 0) {
                return -code;
            }
            s->columns++;
            ran++;
        } else if (all) {
            return -complain(EXIT_ENVIRONMENT, "%s has no mode '%.*s' here (it has: %s)", target, n,
                             name, has);
        }
    }
    return ran;
}

static int run_release(UpstreamState *s, const char *target) {
    char message[1024];
    Target *t;
    TargetSettings settings = target_settings(s->options);
    int code = target_open(arena_printf(&s->home, "%s:eager", target), NULL, &settings, &t, message,
                           sizeof message);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    const char *version = arena_strdup(&s->home, target_version(t)),
               *has = arena_strdup(&s->home, target_modes(t)), *modes = s->options->modes;
    target_close(t);
    int ran = run_modes(s, target, version, has, modes ? modes : DEFAULT_MODES, modes != NULL);
    if (ran == 0) {
        ran = run_modes(s, target, version, has, FALLBACK_MODES, true);
    }
    return ran < 0 ? -ran : 0;
}

/* ---- printing ---- */

static bool shows_bug(const char *outcome) {
    return strncmp(outcome, "differs", 7) == 0 || strncmp(outcome, "errors", 6) == 0;
}

static bool is_changed(const UpstreamColumn *column, int k) {
    return !column->recorded[k] || strcmp(column->recorded[k], column->outcome[k]) != 0;
}

static int first_word(const char *text) { return (int)strcspn(text, " "); }

/* One line for each program: the word of each outcome, then what was found, once each. */
static void print_table(UpstreamState *s) {
    printf("%-58s", "program");
    for (int c = 0; c < s->columns; c++) {
        printf("  %s %-*s", s->column[c].release, 14 - (int)strlen(s->column[c].release),
               s->column[c].mode);
    }
    putchar('\n');
    for (int k = 0; k < s->n; k++) {
        bool quiet = s->options->quiet;
        for (int c = 0; c < s->columns; c++) {
            quiet &= !is_changed(&s->column[c], k);
        }
        if (quiet) {
            continue;
        }
        printf("%-58s", s->program[k].name);
        for (int c = 0; c < s->columns; c++) {
            const char *text = s->column[c].outcome[k];
            printf("  %-*.*s%s", 14, first_word(text), text,
                   is_changed(&s->column[c], k) && !s->options->record ? "*" : " ");
        }
        for (int c = 0; c < s->columns; c++) {
            const char *text = s->column[c].outcome[k];
            bool said = text[first_word(text)] == '\0';
            for (int b = 0; b < c; b++) {
                said |= strcmp(s->column[b].outcome[k], text) == 0;
            }
            if (!said) {
                printf(" %s", text + first_word(text) + 1);
            }
        }
        putchar('\n');
    }
}

/* The issues that columns first..last-1 show, each once. */
static void print_bugs(const UpstreamState *s, int first, int last) {
    Text t = {.arena = (Arena *)&s->scratch};
    text_add(&t, "");
    int issues = 0, shown = 0;
    const char *before = "";
    bool before_shown = false;
    for (int k = 0; k < s->n; k++) { /* programs of one issue are neighbours */
        bool again = strcmp(before, s->program[k].issue) == 0, shows = false;
        for (int c = first; c < last; c++) {
            shows |= shows_bug(s->column[c].outcome[k]);
        }
        issues += !again;
        if (shows && !(again && before_shown)) {
            shown++;
            text_printf(&t, " %s", s->program[k].issue);
        }
        before_shown = shows || (again && before_shown);
        before = s->program[k].issue;
    }
    printf("%s: %d of %d issues %s shown:%s\n", s->column[first].version, shown, issues,
           shown == 1 ? "is" : "are", t.v);
}

static void print_upstream_summary(UpstreamState *s, int changed) {
    static const char *const words[] = {"agrees", "differs", "errors", "skipped"};
    for (int c = 0; c < s->columns; c++) {
        printf("%s %s:", s->column[c].version, s->column[c].mode);
        for (int w = 0; w < COUNT_OF(words); w++) {
            int count = 0;
            for (int k = 0; k < s->n; k++) {
                count += strncmp(s->column[c].outcome[k], words[w], strlen(words[w])) == 0;
            }
            printf("%s %s %d", w ? "," : "", words[w], count);
        }
        putchar('\n');
    }
    for (int first = 0, last; first < s->columns; first = last) {
        for (last = first + 1;
             last < s->columns && s->column[last].version == s->column[first].version; last++) {
        }
        print_bugs(s, first, last);
    }
    if (s->options->record) {
        printf("recorded in %s\n", s->file);
        return;
    }
    for (int c = 0; c < s->columns; c++) {
        for (int k = 0; k < s->n; k++) {
            if (is_changed(&s->column[c], k)) {
                printf("changed: %s, %s %s: recorded %s, now %s\n", s->program[k].name,
                       s->column[c].version, s->column[c].mode,
                       s->column[c].recorded[k] ? s->column[c].recorded[k] : "nothing",
                       s->column[c].outcome[k]);
            }
        }
    }
    printf("%d outcome%s not as recorded\n", changed, changed == 1 ? " is" : "s are");
}

static void keep_outcomes(UpstreamState *s) {
    char message[1024];
    for (int c = 0; c < s->columns; c++) {
        for (int k = 0; k < s->n; k++) {
            outcomes_set(&s->home, &s->recorded,
                         &(Outcome){s->program[k].name, s->column[c].release, s->column[c].mode,
                                    s->column[c].outcome[k]});
        }
    }
    if (!outcomes_write(&s->home, s->file, &s->recorded, message, sizeof message)) {
        s->code = worst(s->code, complain(EXIT_ENVIRONMENT, "%s", message));
    }
}

static int upstream_run(UpstreamState *s) {
    const Options *o = s->options;
    char message[1024];
    s->folder =
        o->nfiles ? o->files[0] : target_corpus_folder(&s->home, o->targets.file, "upstream");
    if (o->nfiles > 1) {
        return complain(EXIT_BAD_INPUT, "upstream takes one folder");
    }
    if (!takes_targets(o->on)) {
        return EXIT_BAD_INPUT;
    }
    if (!s->folder) {
        return complain(EXIT_ENVIRONMENT, "no corpus/upstream beside the file of targets");
    }
    s->file = arena_printf(&s->home, "%s/outcomes.json", s->folder);
    int code = outcomes_read(&s->home, s->file, &s->recorded, message, sizeof message);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    io_each(arena_printf(&s->home, "%s/programs", s->folder), true, read_upstream_program, s);
    if (s->n == 0) {
        return worst(s->code, complain(EXIT_BAD_INPUT, "no programs in %s/programs", s->folder));
    }
    char *targets = arena_strdup(&s->home, o->on ? o->on : DEFAULT_TARGETS);
    for (char *name = strtok(targets, ","); name; name = strtok(NULL, ",")) {
        code = run_release(s, name);
        if (code != 0) {
            return code;
        }
    }
    int changed = 0;
    for (int c = 0; c < s->columns; c++) {
        for (int k = 0; k < s->n; k++) {
            changed += is_changed(&s->column[c], k);
        }
    }
    if (o->record) {
        keep_outcomes(s);
    }
    if (!o->json) {
        print_table(s);
        print_upstream_summary(s, changed);
    }
    return worst(s->code, changed && !o->record ? EXIT_FINDINGS : EXIT_AGREE);
}

int cmd_upstream(const Options *o) {
    UpstreamState s = {.options = o, .home = ARENA_EMPTY, .scratch = ARENA_EMPTY};
    int code = upstream_run(&s);
    for (int i = 0; i < s.n; i++) {
        arena_destroy(&s.program[i].arena);
    }
    arena_destroy(&s.scratch);
    arena_destroy(&s.home);
    return finish(code);
}
