/* A report is self-contained: the program as found, the smallest one with the same signature, a
 * script for PyTorch, and one page that says what differs and how to reproduce it. */
#include "harness/targets/mode.h"
#include "harness/filing/report.h"

#include "harness/filing/issue.h"
#include "harness/triage/cause.h"
#include "harness/util/io.h"
#include "harness/util/printable.h"
#include "harness/util/version.h"
#include "program/print/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PAGE = 66, TAIL = 19 /* lines after the graphs */, LEAST_GRAPH = 8 };

const char *report_statement(Arena *arena, const Program *p, int sid) {
    if (sid < 0) {
        return sid == AT_RETURN     ? "return"
               : sid == AT_BACKWARD ? "backward"
               : sid == AT_INPUTS   ? "what the function is passed"
                                    : "not one statement";
    }
    Text t = {.arena = arena};
    text_printf(&t, "%s: ", program_path(arena, p, sid));
    stmt_print_text(&t, p, program_stmt(p, sid));
    return t.v;
}

void report_finding(Text *text, const Program *p, const Finding *f, const Checker *c) {
    Arena *arena = text->arena;
    text_printf(text, "  oracle     %s: %s\n", oracle_name(f->oracle), oracle_claim(f->oracle));
    text_printf(text, "  where      %s\n", finding_location(arena, p, f));
    text_printf(text, "  statement  %s\n", report_statement(arena, p, f->culprit));
    if (f->cause.text[0]) {
        text_printf(text, "  cause      %s\n", f->cause.text);
    }
    text_printf(text, "  %-10s %s\n", c->a.name, f->a);
    text_printf(text, "  %-10s %s\n", strcmp(c->a.name, c->b.name) == 0 ? "again" : c->b.name,
                f->b);
}

void report_finding_json(Text *text, const Program *p, const Finding *f, uint32_t fired) {
    Arena *arena = text->arena;
    text_printf(text,
                "{\"signature\":\"%s\",\"oracle\":\"%s\",\"kind\":\"%s\",\"call\":%d,\"where\":",
                f->signature, oracle_name(f->oracle), f->kind, f->call);
    text_json_string(text, finding_location(arena, p, f));
    text_add(text, ",\"statement\":");
    text_json_string(text, report_statement(arena, p, f->culprit));
    if (f->cause.text[0]) {
        text_printf(text, ",\"cause\":{\"text\":\"%s\",\"stage\":\"%s\"", f->cause.text,
                    f->cause.stage);
        if (f->cause.rule[0]) {
            text_printf(text, ",\"step\":\"%s\"", f->cause.rule);
        }
        text_add(text, "}");
    }
    text_add(text, ",\"a\":");
    text_json_string(text, f->a);
    text_add(text, ",\"b\":");
    text_json_string(text, f->b);
    text_add(text, ",\"fired\":[");
    for (int id = 0, n = 0; id < ORACLE_COUNT; id++) {
        if ((fired >> id) & 1) {
            text_printf(text, n++ ? ",\"%s\"" : "\"%s\"", oracle_name((OracleId)id));
        }
    }
    text_add(text, "]}");
}

bool report_exists(const char *out, const char *folder) {
    char path[4096];
    struct stat info;
    int n = snprintf(path, sizeof path, "%s/%s", out, folder);
    return n > 0 && n < (int)sizeof path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A file of a report; NULL if it cannot be read. */
static const char *report_file(Arena *arena, const char *out, const char *folder,
                               const char *name) {
    char *text, message[512];
    int64_t n;
    return io_read(arena, arena_printf(arena, "%s/%s/%s", out, folder, name), IO_MAX_BYTES, &text,
                   &n, message, sizeof message) == IO_OK
               ? text
               : NULL;
}

bool report_is_minimized(const char *out, const char *folder) {
    Arena arena = ARENA_EMPTY;
    const char *small = report_file(&arena, out, folder, "minimized.json"),
               *found = report_file(&arena, out, folder, "case.json");
    bool minimized = small && found && strcmp(small, found) != 0;
    arena_destroy(&arena);
    return minimized;
}

bool report_is_of(const char *out, const char *folder, const Program *p) {
    Arena arena = ARENA_EMPTY;
    const char *found = report_file(&arena, out, folder, "case.json");
    Text own = {.arena = &arena};
    program_print(&own, p, false);
    bool same = found && strcmp(found, own.v) == 0;
    arena_destroy(&arena);
    return same;
}

const Program *report_program(Arena *arena, const char *out, const char *folder) {
    const char *text = report_file(arena, out, folder, "minimized.json");
    char message[512];
    Program *p = NULL;
    return text && program_parse(arena, text, strlen(text), &p, message, sizeof message) == PARSE_OK
               ? p
               : NULL;
}

static void add_faults(Text *t, const CompileOptions *compile) {
    for (int k = 0; faults_seeded(compile, k) != FAULT_NONE; k++) {
        text_printf(t, " --fault %s", fault_info(faults_seeded(compile, k))->name);
    }
}

static void add_limit(Text *t, const char *name, int64_t limit, int64_t otherwise) {
    if (limit != otherwise) {
        text_printf(t, " --%s %lld", name, (long long)limit);
    }
}

/* What is compared, by which rules, within which limits. */
static void add_run_options(Text *t, const Checker *c) {
    const Limits *limits = &c->run.limits;
    text_add(t, c->strict ? " --strict" : "");
    text_add(t, c->no_probes ? " --no-probes" : "");
    text_add(t, c->run.poke ? "" : " --no-poke");
    if (c->given != SEMANTICS_NONE) {
        text_printf(t, " --semantics %s", semantics_name(c->given));
    }
    add_limit(t, "max-elements", limits->max_elements, LIMITS_DEFAULT.max_elements);
    add_limit(t, "max-bytes", limits->max_bytes, LIMITS_DEFAULT.max_bytes);
    add_limit(t, "max-statements", limits->max_statements, LIMITS_DEFAULT.max_statements);
}

const char *report_pair_options(Arena *arena, const Checker *c) {
    const CompileOptions *compile = &c->b.compile;
    Text t = {.arena = arena};
    text_printf(&t, "--pair %s", c->pair);
    add_faults(&t, compile);
    int off = 0;
    for (int k = 0; k < pass_count(); k++) {
        if ((compile->disabled.pass >> k) & 1) {
            text_printf(&t, off++ ? ",%s" : " --disable %s", pass_info(k)->name);
        }
    }
    for (int k = 0; k < STEP_COUNT; k++) {
        if ((compile->disabled.step[k >> 6] >> (k & 63)) & 1) {
            text_printf(&t, off++ ? ",%s" : " --disable %s", step_info(k)->name);
        }
    }
    if (compile->opt_limit >= 0) {
        text_printf(&t, " --opt-limit %lld", (long long)compile->opt_limit);
    }
    add_run_options(&t, c);
    return t.v;
}

/* The executor of the pair that compiles in another process, or NULL. */
static const Target *compiling_target(const Checker *c) {
    const Executor *both[2] = {&c->b, &c->a};
    for (int i = 0; i < 2; i++) {
        if (executor_is_external_compiler(both[i])) {
            return both[i]->target;
        }
    }
    return NULL;
}

static int report_lines_of(const Text *t) {
    int n = 0;
    for (int64_t i = 0; i < t->n; i++) {
        n += t->v[i] == '\n';
    }
    return n;
}

/* Adds the first `most` lines of a text; returns how many are left out. */
static int add_lines(Text *t, const char *lines, int most) {
    int n = 0;
    for (const char *end; *lines; lines = end, n++) {
        end = lines + strcspn(lines, "\n");
        end += *end == '\n';
        if (n < most) {
            text_addn(t, lines, end - lines);
        }
    }
    return n > most ? n - most : 0;
}

static void write_cause(Text *t, const Report *r) {
    const Cause *cause = &r->finding->cause;
    Text graphs = {.arena = t->arena};
    if (!cause->stage[0]) {
        return;
    }
    text_add(t, "\n## Where it comes from\n```\n");
    cause_print(t, r->checker, r->minimized, cause);
    text_add(t, "```\n");
    if (cause_print_graphs(&graphs, r->checker, r->minimized, cause, 2)) {
        text_printf(t, "\nIn %s:\n```diff\n", cause_graphs_title(cause));
        int room = PAGE - TAIL - report_lines_of(t),
            left = add_lines(t, graphs.v,
                             room > LEAST_GRAPH ? room : LEAST_GRAPH); /* at most PAGE lines */
        text_add(t, "```\n");
        if (left > 0) {
            text_printf(t, "\n%d lines more: `twingrad bisect` prints all.\n", left);
        }
    }
}

/* Versions of this program and of targets, the machine, how the program was found and minimized. */
static void write_environment(Text *t, const Report *r) {
    const Checker *c = r->checker;
    struct utsname machine;
    const Executor *both[2] = {&c->a, &c->b};
    text_printf(t, "## Environment\n```\ntwingrad %s, compiled by " TWINGRAD_COMPILER "\n",
                twingrad_version());
    if (uname(&machine) == 0) {
        text_printf(t, "%s %s %s\n", machine.sysname, machine.release, machine.machine);
    }
    for (int i = 0; i < 2; i++) {
        if (both[i]->target) {
            text_printf(t, "%s: %s\n", both[i]->name,
                        printable(t->arena, target_version(both[i]->target)));
        }
    }
    if (r->origin) {
        text_printf(t, "found by: %s\n", r->origin);
    }
    if (r->stats) {
        text_printf(t, "minimized in %lld checks, %lld steps kept%s%s\n",
                    (long long)r->stats->checks, (long long)r->stats->kept,
                    r->stats->complete ? "" : ", stopped at a limit",
                    r->stats->flaky ? "; flaky: it does not show every time" : "");
    }
    text_add(t, "```\n");
}

static void write_page(Text *t, const Report *r) {
    const Program *p = r->minimized;
    const Finding *f = r->finding;
    Arena *arena = t->arena;
    const char *options = report_pair_options(arena, r->checker);
    text_printf(t, "# %s\n```\n", f->signature);
    report_finding(t, p, f, r->checker);
    int n = program_size(p);
    text_printf(t, "```\n\n## The program (%d statement%s, %d as found)\n```\n", n,
                n == 1 ? "" : "s", program_size(r->original));
    program_print_text(t, p);
    text_add(t, "```\n```python\n");
    program_print_python(t, p);
    text_add(t, "```\n");
    write_cause(t, r);
    text_printf(t, "\n## See it again\n```\ntwingrad check %s minimized.json\n", options);
    const Target *compiling = compiling_target(r->checker);
    const char *program = compiling ? target_program(compiling) : "python3";
    text_printf(t, "%s repro.py    # the same program in plain PyTorch, eagerly and ",
                strncmp(program, "/usr/bin/", 9) == 0 ? program : "python3");
    text_printf(t, compiling ? "in mode %s\n```\n\n" : "compiled\n```\n\n",
                compiling ? target_mode(compiling) : "");
    write_environment(t, r);
}

static bool write_part(const char *dir, const char *name, const Text *t, char *message,
                       size_t message_size) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return io_write(path, t->v, t->n, message, message_size);
}

static const char *const PARTS[] = {"case.json", "minimized.json", "repro.py", "issue.md",
                                    "finding.md"};

static void remove_folder(const char *dir) {
    char path[4200];
    for (int i = 0; i < COUNT_OF(PARTS); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, PARTS[i]);
        unlink(path);
    }
    rmdir(dir);
}

/* Gives the folder `aside` the name `final`. An older report of that name is replaced file by file,
 * so that one of the two is there at any time, and what else is in its folder stays. False with
 * errno set. */
static bool put_folder(const char *aside, const char *final) {
    if (rename(aside, final) == 0) {
        return true;
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
        return false;
    }
    for (int i = 0; i < COUNT_OF(PARTS); i++) {
        char from[4200], to[4200];
        snprintf(from, sizeof from, "%s/%s", aside, PARTS[i]);
        snprintf(to, sizeof to, "%s/%s", final, PARTS[i]);
        bool made = access(from, F_OK) == 0;
        if ((made ? rename(from, to) : unlink(to)) != 0 && (made || errno != ENOENT)) {
            return false;
        }
    }
    rmdir(aside);
    return true;
}

/* issue.md, as far as it is known without running anything but the reference. */
static bool write_issue(Arena *arena, const char *dir, const Report *r, const Target *compiling,
                        char *message, size_t message_size) {
    Executor reference = r->checker->reference;
    Text t = {.arena = arena};
    issue_print(&t, &(Issue){.program = r->minimized,
                             .finding = r->finding,
                             .a = reference.run(&reference, r->minimized, &r->checker->run, arena),
                             .mode = target_mode(compiling),
                             .version = target_version(compiling),
                             .options = report_pair_options(arena, r->checker)});
    return write_part(dir, "issue.md", &t, message, message_size);
}

bool report_write(Arena *arena, const char *out, const Report *r, char *path, size_t path_size,
                  char *message, size_t message_size) {
    char aside[4096], final[4096];
    const char *folder = r->folder ? r->folder : r->finding->signature;
    int n = snprintf(final, sizeof final, "%s/%s", out, folder);
    int m = snprintf(aside, sizeof aside, "%s/.%s.%ld.tmp", out, folder, (long)getpid());
    if (n < 0 || n >= (int)sizeof final || m < 0 || m >= (int)sizeof aside) {
        snprintf(message, message_size, "cannot write '%.200s': the name is too long", out);
        return false;
    }
    io_sweep(out, ".", remove_folder); /* of reports that were being written */
    if (!io_mkdirs(aside, message, message_size)) {
        return false;
    }
    Text found = {.arena = arena}, small = {.arena = arena}, script = {.arena = arena},
         page = {.arena = arena};
    program_print(&found, r->original, false);
    program_print(&small, r->minimized, false);
    const Target *compiling = compiling_target(r->checker);
    program_print_repro(&script, r->minimized,
                        compiling ? mode_of_script(arena, target_mode(compiling)) : NULL);
    write_page(&page, r);
    bool files = !compiling || write_issue(arena, aside, r, compiling, message, message_size);
    bool ok = files && write_part(aside, "case.json", &found, message, message_size) &&
              write_part(aside, "minimized.json", &small, message, message_size) &&
              write_part(aside, "repro.py", &script, message, message_size) &&
              write_part(aside, "finding.md", &page, message, message_size);
    if (ok && !put_folder(aside, final)) {
        snprintf(message, message_size, "cannot write '%.200s': %s", final, strerror(errno));
        ok = false;
    }
    if (!ok) {
        remove_folder(aside);
        return false;
    }
    snprintf(path, path_size, "%s", final);
    return true;
}
