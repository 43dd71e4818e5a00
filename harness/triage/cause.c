/* Bisection of the compiler that runs in this process.
 *
 * Step: `--opt-limit N` allows the first N optional steps of a run. The least N at which the
 * finding shows names a step. It is found by bisection between 0 (if the finding shows there, no
 * step is to blame) and the number of steps of an unlimited run.
 *
 * Stage: the graph is interpreted after every stage (compiled/runtime/stages.h). The first stage
 * that changes its meaning is to blame, whether or not its steps are optional. A wrong rewrite may
 * show only after a later one, so where stage and step disagree the stage is believed, and its own
 * steps are bisected by whether this stage changes the meaning.
 *
 * Guard: if the finding disappears when every call is compiled anew, the code was right for another
 * call.
 *
 * What no interpretation sees is attributed by what differs. Flags, paths, errors and sizes belong
 * to capture; None gradients, errors of a backward and what begins at a grad statement to joint.
 * Wrong values belong to lower if the machine computes something else than the graph means, else to
 * what made the graph: the forward to capture, the gradients to joint. */
#include "harness/triage/cause.h"

#include <stdio.h>
#include <string.h>

typedef struct Bisect {
    Checker checker;
    const Program *program;
    const Finding *finding;
    const char *stage; /* NULL: bisect whether the finding shows; else whether this stage changes
                          the meaning of the graph */
    int64_t checks;
    Arena scratch;
} Bisect;

static CompileOptions *options_of(Bisect *b) {
    return compiles_here(&b->checker.b) ? &b->checker.b.compile : &b->checker.a.compile;
}

static void set_limit(Bisect *b, int64_t limit) {
    b->checker.a.compile.opt_limit = b->checker.b.compile.opt_limit = limit;
}

static StageReport cause_interpret(Bisect *b) {
    StageReport report = {.runs = !b->stage};
    CompileOptions options = *options_of(b);
    RunOptions run = {.limits = b->checker.run.limits};
    options.stages = &report;
    arena_reset(&b->scratch);
    compiled_run(b->program, &options, &run, NULL, &b->scratch);
    b->checks++;
    return report;
}

static bool shows(Bisect *b) {
    if (b->stage) {
        StageReport report = cause_interpret(b);
        return report.found && strcmp(report.stage, b->stage) == 0;
    }
    CheckResult out;
    arena_reset(&b->scratch);
    check_program(&b->checker, b->program, &b->scratch, &out);
    b->checks++;
    return out.verdict == FINDING && (out.fired >> b->finding->oracle & 1);
}

/* The counters of one compilation with the current options. */
static CompileCounters *cause_count(Bisect *b) {
    CompileOptions options = *options_of(b);
    RunOptions run = {.limits = b->checker.run.limits};
    arena_reset(&b->scratch);
    CompileCounters *counters = arena_new(&b->scratch, CompileCounters);
    compiled_run(b->program, &options, &run, counters, &b->scratch);
    return counters;
}

/* The least limit at which it shows; -1 if it shows without any step, or never. */
static int64_t least_limit(Bisect *b) {
    int64_t given = options_of(b)->opt_limit;
    int64_t high = cause_count(b)->gate_steps, low = 0; /* shows at high, not at low */
    set_limit(b, 0);
    bool always = shows(b);
    set_limit(b, high);
    bool ever = !always && shows(b);
    while (ever && high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        set_limit(b, middle);
        if (shows(b)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    set_limit(b, given);
    return ever ? high : -1;
}

/* Bisects the steps and fills limit, stage and rule; false if no step is to blame. */
static bool cause_find_step(Bisect *b, Cause *out) {
    int64_t given = options_of(b)->opt_limit;
    out->limit = least_limit(b);
    if (out->limit < 0) {
        return false;
    }
    set_limit(b, out->limit);
    CompileCounters *last = cause_count(b);
    set_limit(b, given);
    snprintf(out->stage, sizeof out->stage, "%s", pass_info(last->last_pass)->name);
    snprintf(out->rule, sizeof out->rule, "%s",
             last->last_step >= 0 ? step_info(last->last_step)->name : "");
    return true;
}

/* Does the finding disappear if every call is compiled anew? *sizes: it also disappears if each
 * call is compiled for its own sizes only. */
static bool vanishes_without_reuse(Bisect *b, bool *sizes) {
    CompileOptions *a = &b->checker.a.compile, *c = &b->checker.b.compile;
    a->no_reuse = c->no_reuse = true;
    bool there = shows(b);
    a->no_reuse = c->no_reuse = false;
    a->no_symbols = c->no_symbols = true;
    *sizes = !there && !shows(b);
    a->no_symbols = c->no_symbols = false;
    return !there;
}

/* Is the return that differs a view of an input, or of what the setup made and the function
 * returns as it is? The epilogue makes those. */
static bool is_replayed(Bisect *b) {
    const Finding *f = b->finding;
    if (f->subject == SUBJECT_RETURN && strcmp(f->root.op, "setup") == 0) {
        return true;
    }
    CheckResult out;
    arena_reset(&b->scratch);
    check_program(&b->checker, b->program, &b->scratch, &out);
    const Result *r = compiles_here(&b->checker.b) ? out.b : out.a;
    return f->subject == SUBJECT_RETURN && f->call < r->ncalls && f->index >= 0 &&
           f->index < r->calls[f->call].nreturns &&
           r->calls[f->call].returns[f->index].alias == ALIAS_INPUT;
}

/* How a finding of status ended: the call in this process's compiler, and in the other executor. */
typedef struct Ends {
    const CallResult *compiled, *other; /* NULL: it is no such finding */
} Ends;

static Ends cause_ends(Bisect *b) {
    const Finding *f = b->finding;
    CheckResult out;
    arena_reset(&b->scratch);
    check_program(&b->checker, b->program, &b->scratch, &out);
    bool second = compiles_here(&b->checker.b);
    const Result *compiled = second ? out.b : out.a, *other = second ? out.a : out.b;
    bool both = f->oracle == ORACLE_status && f->call < compiled->ncalls && f->call < other->ncalls;
    return both ? (Ends){&compiled->calls[f->call], &other->calls[f->call]} : (Ends){NULL, NULL};
}

static bool ends_at_backward(Bisect *b) {
    Ends end = cause_ends(b);
    return end.compiled && ((!end.compiled->ok && end.compiled->error_at == AT_BACKWARD) ||
                            (!end.other->ok && end.other->error_at == AT_BACKWARD));
}

static bool about_data(OracleId oracle) {
    return oracle == ORACLE_values || oracle == ORACLE_metadata || oracle == ORACLE_alias ||
           oracle == ORACLE_gradients;
}

/* Is it of autograd that one executor raises an error? (Else an op of a derivative rule does.) */
static bool is_error_of_autograd(const char *kind) {
    static const char *const codes[] = {"invalid", "graph_freed", "saved_modified"};
    bool is = false;
    for (int i = 0; i < COUNT_OF(codes); i++) {
        is |= strstr(kind, codes[i]) != NULL;
    }
    return is;
}

/* Does the difference begin at a gradient: in the backward of the harness, or at a grad statement
 * with its values or an error of autograd? (Its flags are of capture.) */
static bool begins_at_gradient(const Symptom *root) {
    return strcmp(root->op, "backward") == 0 ||
           (strcmp(root->op, "grad") == 0 &&
            (root->oracle == ORACLE_values ||
             (root->oracle == ORACLE_status && is_error_of_autograd(root->kind))));
}

/* The stage by what differs. The root may be of another bug that the program shows, too: if both
 * are about data, the finding decides. */
static const char *by_what_differs(Bisect *b, bool run_differs) {
    const Finding *f = b->finding;
    const Symptom *root = &f->root;
    bool own = about_data(root->oracle) && about_data(f->oracle);
    if (begins_at_gradient(root) && !is_replayed(b)) {
        return own && run_differs ? "lower" : "joint";
    }
    if (strcmp(root->kind, "recompile") == 0) {
        return "guard";
    }
    switch (own ? f->oracle : root->oracle) {
    case ORACLE_gradients:
        return strstr(own ? f->kind : root->kind, "none") || !run_differs ? "joint" : "lower";
    case ORACLE_metadata:
        if (strcmp(own ? f->kind : root->kind, "size") == 0) {
            return "capture";
        }
        return is_replayed(b) ? "epilogue" : run_differs ? "lower" : "capture";
    case ORACLE_values:
    case ORACLE_alias:
        return is_replayed(b) ? "epilogue" : run_differs ? "lower" : "capture";
    case ORACLE_stages:
        return "";
    case ORACLE_status: /* the backward of a function, at whose call the difference is seen; only
                           a backward finds a graph freed */
        return strstr(root->kind, "graph_freed") ||
                       (strcmp(root->op, "apply") == 0 && ends_at_backward(b))
                   ? "joint"
                   : "capture";
    default:
        return "capture";
    }
}

/* Does the finding disappear without the steps of fusion `first` .. `last`? */
static bool vanishes_without(Bisect *b, int first, int last) {
    CompileOptions *a = &b->checker.a.compile, *c = &b->checker.b.compile;
    const CompileOptions given = *c;
    for (int k = first; k <= last; k++) {
        if (strcmp(step_info(k)->pass, "fuse") == 0) {
            c->disabled.step[k >> 6] |= (uint64_t)1 << (k & 63);
        }
    }
    a->disabled = c->disabled;
    bool vanishes = !shows(b);
    a->disabled = c->disabled = given.disabled;
    return vanishes;
}

/* Fusion claims that the nodes of a nest may run iteration by iteration. Only running the nest
 * tests this: in an interpretation all nodes read before one writes, which detects every other way
 * in which an in-place store can be wrong. So fusion is to blame if the finding disappears without
 * one of its steps, or without all of them. */
static void blame_nest(Bisect *b, Cause *out) {
    const Disabled *given = &options_of(b)->disabled;
    for (int k = 0; k < STEP_COUNT; k++) {
        if (strcmp(step_info(k)->pass, "fuse") == 0 && !(given->step[k >> 6] >> (k & 63) & 1) &&
            vanishes_without(b, k, k)) {
            snprintf(out->stage, sizeof out->stage, "fuse");
            snprintf(out->rule, sizeof out->rule, "%s", step_info(k)->name);
            return;
        }
    }
    if (vanishes_without(b, 0, STEP_COUNT - 1)) {
        *out = (Cause){.stage = "fuse", .limit = out->limit};
    }
}

/* Is an error that the other executor raises at a statement missing here, or raised only later? */
static bool misses_error(Bisect *b) {
    Ends end = cause_ends(b);
    const CallResult *c = end.compiled, *o = end.other;
    return c && !o->ok && o->error_at >= 0 &&
           (c->ok || c->error_at == AT_RETURN || c->error_at == AT_BACKWARD ||
            c->error_at > o->error_at);
}

/* Of two errors, is that of the compiler the one too many: raised at the statement at which the
 * other executor raises its own, or before? (Else an error is missing, and the program went on.) */
static bool raises_too_much(Bisect *b) {
    Ends end = cause_ends(b);
    const CallResult *c = end.compiled, *o = end.other;
    return c && !c->ok && !o->ok && c->error != o->error && c->error_at >= 0 &&
           (o->error_at < 0 || c->error_at <= o->error_at);
}

/* An op refuses bad values by a CHECK that capture records. Without the CHECK the op's own kernel
 * still refuses them, until dce drops an op that nobody needs: then bisection ends at dce, which is
 * right to drop it. To blame is the one step that drops a CHECK, or else capture. */
static void blame_missing_check(Bisect *b, Cause *out) {
    CompileOptions *a = &b->checker.a.compile, *c = &b->checker.b.compile;
    const CompileOptions given = *c;
    c->disabled.step[STEP_fold_check >> 6] |= (uint64_t)1 << (STEP_fold_check & 63);
    a->disabled = c->disabled;
    bool there = shows(b);
    a->disabled = c->disabled = given.disabled;
    if (there) {
        *out = (Cause){.stage = "capture", .limit = -1};
    } else {
        snprintf(out->stage, sizeof out->stage, "fold");
        snprintf(out->rule, sizeof out->rule, "fold_check");
    }
}

bool cause_stands(const Checker *c, const Program *p, const Finding *finding) {
    if (finding->cause.limit < 0) {
        return true;
    }
    Bisect b = {.checker = *c, .program = p, .finding = finding};
    b.checker.stages = finding->oracle == ORACLE_stages;
    CompileOptions *o = &b.checker.a.compile;
    char message[128];
    const char *off = finding->cause.rule[0] ? finding->cause.rule : finding->cause.stage;
    if (!disabled_parse(&o->disabled, off, false, message, sizeof message)) {
        return true; /* a required pass, or none: only cause_find can tell */
    }
    b.checker.b.compile.disabled = o->disabled;
    bool stands = !shows(&b);
    arena_destroy(&b.scratch);
    return stands;
}

/* Is only the native tier wrong? Two tiers take the same passes, so between them nothing else can
 * be; otherwise the tile machine must agree on the program. */
static bool only_native(const Checker *c, const Program *p, const Finding *finding) {
    if (compiles_here(&c->a) && compiles_here(&c->b)) {
        return finding->oracle != ORACLE_stages;
    }
    Bisect b = {.checker = *c, .program = p, .finding = finding};
    Executor *e = compiles_here(&b.checker.b) ? &b.checker.b : &b.checker.a, tiles;
    char message[256];
    if (!e->native ||
        executor_open_with("compiled", NULL, NULL, &tiles, message, sizeof message) != 0) {
        return false;
    }
    tiles.compile = e->compile;
    *e = tiles;
    bool shown = shows(&b);
    arena_destroy(&b.scratch);
    return !shown;
}

/* What of a kind all findings of one bug of capture share: of flags, of a storage and the offset in
 * it, of what a write leaves in an input and its version, one follows from the other; an error
 * about a fact follows from the fact; the refusals of writes to views are one test; a zero of the
 * other sign is other data. */
static const char *followed(const char *kind) {
    static const char *const follow[][2] = {
        {"requires_grad", "flags"},
        {"is_leaf", "flags"},
        {"has_grad_fn", "flags"},
        {"leaf_inplace", "flags"},
        {"ok_vs_leaf_inplace", "flags"},
        {"leaf_view_inplace", "view_inplace"},
        {"ok_vs_leaf_view_inplace", "view_inplace"},
        {"no_grad_view_inplace", "view_inplace"},
        {"ok_vs_no_grad_view_inplace", "view_inplace"},
        {"multi_view_inplace", "view_inplace"},
        {"ok_vs_multi_view_inplace", "view_inplace"},
        {"shape", "size"},
        {"ok_vs_shape", "size"},
        {"storage_offset", "storage"},
        {"version", "input"},
        {"saved_modified", "input"},
        {"zero_sign", "data"},
    };
    for (int i = 0; i < COUNT_OF(follow); i++) {
        if (strcmp(kind, follow[i][0]) == 0) {
            return follow[i][1];
        }
    }
    return kind;
}

/* As `followed`; the data of an input are what a write leaves there; of two errors, the one that is
 * missing, or that is one too many ("ok_vs_E"). */
static const char *shared_kind(Bisect *b, char *room, size_t size) {
    const char *kind = b->finding->root.kind,
               *error = strncmp(kind, "place_", 6) == 0 ? kind + 6 : kind,
               *end = strstr(error, "_vs_");
    if (end && strncmp(error, "ok_vs_", 6) != 0 && strcmp(end, "_vs_ok") != 0 &&
        raises_too_much(b)) {
        snprintf(room, size, "ok%s", end);
    } else if (strncmp(error, "ok_vs_", 6) == 0) {
        snprintf(room, size, "%s", error);
    } else if (b->finding->oracle == ORACLE_values && b->finding->subject == SUBJECT_INPUT &&
               strcmp(followed(kind), "data") == 0) {
        snprintf(room, size, "input");
    } else {
        snprintf(room, size, "%.*s", (int)(end ? end - error : (ptrdiff_t)strlen(error)), error);
    }
    return followed(room);
}

/* The detail beside the stage: the step, or what differs. */
static const char *detail_of(Bisect *b, bool sizes, bool check, char *room, size_t size) {
    const Finding *finding = b->finding;
    const Cause *cause = &finding->cause;
    if (strcmp(cause->stage, "capture") == 0) {
        return check ? "check" : shared_kind(b, room, size);
    }
    if (strcmp(cause->stage, "guard") == 0) {
        return sizes ? "sizes" : "";
    }
    return strcmp(cause->rule, cause->stage) != 0 ? cause->rule : "";
}

/* Passes whose claims are about how the machine runs, so that no interpretation tests them. */
static bool annotates(const char *stage) {
    return strcmp(stage, "fuse") == 0 || strcmp(stage, "reinplace") == 0 ||
           strcmp(stage, "plan") == 0;
}

void cause_find(const Checker *c, const Program *p, Finding *finding) {
    Cause *out = &finding->cause;
    *out = (Cause){.limit = -1};
    if (!compiles_here(&c->a) && !compiles_here(&c->b)) {
        return;
    }
    if (only_native(c, p, finding)) {
        snprintf(out->stage, sizeof out->stage, "native");
        snprintf(out->text, sizeof out->text, "native");
        snprintf(out->group, sizeof out->group, "native");
        return;
    }
    Bisect b = {.checker = *c, .program = p, .finding = finding};
    b.checker.stages = finding->oracle == ORACLE_stages;
    bool sizes = false, reused = p->nrecalls > 0 && vanishes_without_reuse(&b, &sizes);
    bool step = !reused && cause_find_step(&b, out);
    StageReport report = cause_interpret(&b);
    if (reused) {
        snprintf(out->stage, sizeof out->stage, "guard");
    } else if (report.found && (!step || strcmp(report.stage, out->stage) != 0)) {
        b.stage = report.stage;
        if (!cause_find_step(&b, out) || strcmp(out->stage, report.stage) != 0) {
            out->rule[0] = '\0';
        }
        b.stage = NULL;
        snprintf(out->stage, sizeof out->stage, "%s", report.stage);
    } else if (step && !report.found && strcmp(out->stage, "reinplace") == 0) {
        blame_nest(&b, out);
    } else if (step && report.run_differs &&
               !annotates(out->stage)) { /* the graph is right, its loops are not */
        *out = (Cause){.stage = "lower", .limit = -1};
    } else if (!step) {
        snprintf(out->stage, sizeof out->stage, "%s", by_what_differs(&b, report.run_differs));
    }
    bool check = strcmp(out->stage, "dce") == 0 && misses_error(&b);
    if (check) {
        blame_missing_check(&b, out);
    }
    char room[sizeof finding->root.kind];
    const char *detail = detail_of(&b, sizes, check, room, sizeof room);
    snprintf(out->text, sizeof out->text, "%s%s%s", out->stage, detail[0] ? "/" : "", detail);
    bool own = strcmp(out->stage, "rules") == 0 || strcmp(out->stage, "capture") == 0;
    snprintf(out->group, sizeof out->group, "%s", own ? out->text : out->stage);
    out->checks = b.checks;
    arena_destroy(&b.scratch);
}

const char *cause_about(const Cause *cause) {
    static const struct {
        const char *stage, *about;
    } others[] = {
        {"capture",
         "what is decided when the program is captured: flags, leaves, branches, errors, versions"},
        {"guard", "a call that took the code compiled for another one: compiled anew it is right"},
        {"native", "code: the two tiers run one plan differently"},
        {"epilogue", "returns that are views of inputs, and what is written back to them"},
    };
    for (int i = 0; i < pass_count(); i++) {
        if (strcmp(pass_info(i)->name, cause->stage) == 0) {
            return pass_info(i)->text;
        }
    }
    for (int i = 0; i < COUNT_OF(others); i++) {
        if (strcmp(others[i].stage, cause->stage) == 0) {
            return others[i].about;
        }
    }
    return "";
}
