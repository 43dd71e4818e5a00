/* A stage is a mode of PyTorch that compiles (harness/targets/modes.def). All of them run the
 * kernels of fake tensors, which the mode fake compares with those of eager mode. */
#include "harness/search/stage.h"

#include "harness/targets/mode.h"
#include "harness/triage/dead.h"
#include "harness/triage/group.h"
#include "harness/triage/needs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const Target *compiling_of(const Checker *c) {
    return executor_is_external_compiler(&c->b)   ? c->b.target
           : executor_is_external_compiler(&c->a) ? c->a.target
                                                  : NULL;
}

static bool target_has_mode(const Target *t, const char *mode) {
    return target_modes_have(target_modes(t), mode, strlen(mode));
}

/* The pair with another mode, whose suffixes are those of its own, where the target has it so; NULL
 * if it does not open. */
static Checker *open_mode(Stages *s, int k, const CheckerOptions *o, const Checker *c) {
    if (!s->tried[k]) {
        const Target *t = compiling_of(c);
        bool second = c->b.target == t;
        const char *name = target_name(t), *other = second ? c->a.name : c->b.name;
        const char *own_mode = target_mode(t);
        char one[64], mode[48], message[1024];
        snprintf(mode, sizeof mode, "%s%s", MODES[k].name, own_mode + mode_base_length(own_mode));
        if (!target_has_mode(t, mode)) {
            snprintf(mode, sizeof mode, "%s%s", MODES[k].name, mode_device(own_mode));
        }
        snprintf(one, sizeof one, "%.*s:%s", (int)strcspn(name, ":"), name, mode);
        snprintf(s->pair[k], sizeof s->pair[k], "%s,%s", second ? other : one,
                 second ? one : other);
        CheckerOptions own = *o;
        own.pair = s->pair[k];
        own.targets.workers = 1;
        s->tried[k] = true;
        s->opened[k] = checker_open_options(&s->checker[k], &own, message, sizeof message) == 0;
    }
    return s->opened[k] ? &s->checker[k] : NULL;
}

static bool is_fake(const Target *t) { return t && mode_is_fake(target_mode(t)); }

const char *stage_find(Stages *s, const CheckerOptions *o, const Checker *c, const Program *p,
                       const Finding *finding, Checker **early) {
    const Target *t = compiling_of(c);
    const char *own = stage_of_pair(c);
    Checker *none;
    early = early ? early : &none;
    *early = NULL;
    bool late = strcmp(finding->kind, "timeout") == 0 || is_fake(t);
    for (int k = 0; t && !late && k < MODE_ROWS && mode_row(own) != &MODES[k]; k++) {
        bool compiles = MODES[k].compiles && target_has_mode(t, MODES[k].name);
        Checker *earlier = compiles ? open_mode(s, k, o, c) : NULL;
        if (earlier) {
            Arena scratch = ARENA_EMPTY;
            CheckResult out;
            check_program(earlier, p, &scratch, &out);
            bool shows = out.verdict == FINDING && (out.fired >> finding->oracle & 1);
            arena_destroy(&scratch);
            if (shows) {
                *early = earlier;
                return MODES[k].name;
            }
        }
    }
    return own;
}

/* The place of a difference between a fake kernel of an op of `p` and the op itself, with its group
 * in `arena`: what a compiler does with such a program follows from it. Without a group if there is
 * none, or if the target has no mode "fake" to ask. */
static StagePlace fake_place(Stages *s, const CheckerOptions *o, const Checker *c,
                             const Known *known, Arena *arena, const Program *p,
                             const Finding *finding) {
    const Target *t = compiling_of(c);
    bool late = strcmp(finding->kind, "timeout") == 0 || strcmp(finding->kind, "crash") == 0;
    Checker *fake = t && !is_fake(t) && !late && target_has_mode(t, MODES[MODE_fake].name)
                        ? open_mode(s, MODE_fake, o, c)
                        : NULL;
    StagePlace place = {MODES[MODE_fake].name, NULL, NULL};
    if (!fake) {
        return place;
    }
    Arena scratch = ARENA_EMPTY;
    CheckResult out;
    check_program(fake, p, &scratch, &out);
    if (out.verdict == FINDING && strcmp(out.finding.kind, "ok_vs_internal") == 0) {
        check_locate(fake, p, &out.finding, &scratch);
        const KnownPair pair = known_pair(fake);
        snprintf(out.finding.cause.text, sizeof out.finding.cause.text, "%.79s", out.finding.frame);
        place.issue = known_find(known, &pair, p, true, &out.finding);
        place.group = stage_group(arena, MODES[MODE_fake].name, p, &out.finding);
    }
    arena_destroy(&scratch);
    return place;
}

StagePlace stage_place(Stages *s, const CheckerOptions *o, const Checker *c, const Known *known,
                       Arena *arena, const Program *p, const Finding *finding) {
    StagePlace place = fake_place(s, o, c, known, arena, p, finding);
    if (!place.group) {
        place.stage = stage_find(s, o, c, p, finding, NULL);
        place.group = stage_group(arena, place.stage, p, finding);
    }
    return place;
}

const char *stage_of_pair(const Checker *c) {
    const Target *t = compiling_of(c);
    return t ? target_mode(t) : "";
}

void stages_close(Stages *s) {
    for (int k = 0; k < MODE_ROWS; k++) {
        if (s->opened[k]) {
            checker_close(&s->checker[k]);
        }
    }
}

/* Names of the program's ops in order, joined by `between`; of a run of one op the first. */
static void add_ops(Text *t, const Program *p, const char *between, int most) {
    const char *last = "";
    int n = 0;
    text_add(t, "");
    for (int sid = 0; sid < p->nstmts && n < most; sid++) {
        const Stmt *s = program_stmt(p, sid);
        const char *name = s->kind == STMT_OP         ? s->op->name
                           : s->kind == STMT_GRAD     ? s->grad->accumulates ? "backward" : "grad"
                           : s->kind == STMT_DOT_GRAD ? ".grad"
                           : s->kind == STMT_GRAPH_BREAK ? "graph_break"
                                                         : "";
        if (name[0] && strcmp(name, last) != 0) {
            text_printf(t, "%s%s", n++ > 0 ? between : "", name);
            last = name;
        }
    }
}

/* What the forms of an op that one side refuses have in common: its name without what says that it
 * writes in place, and without its dimensions (conv1d, conv2d, conv3d). */
static const char *base_name(Arena *arena, const char *name) {
    enum { LONGEST = sizeof((Finding *)0)->root.op };
    char op[LONGEST];
    group_plain_op(op, sizeof op, name, (int)strlen(name));
    size_t n = strlen(op);
    if (n > 2 && op[n - 1] == 'd' && op[n - 2] >= '1' && op[n - 2] <= '3') {
        n -= 2 + (op[n - 3] == '_');
    }
    return arena_printf(arena, "%.*s", (int)n, op);
}

/* Does the kind alone say what is wrong? None and zeros for a gradient that nothing reaches, and a
 * gradient that requires grad, come from how a compiler makes its backward, not from an op. */
static bool kind_is_of_every_op(const Finding *f) {
    static const char *const kinds[] = {"none_vs_zeros", "zeros_vs_none", "grad_requires_grad"};
    bool found = false;
    for (int i = 0; i < COUNT_OF(kinds); i++) {
        found |= f->oracle == ORACLE_gradients && strcmp(f->kind, kinds[i]) == 0;
    }
    return found;
}

bool frame_is_of_every_op(const char *frame) {
    static const char *const frames[] = {
        "_dynamo/eval_frame.py:_fn",
        "_dynamo/utils.py:_get_fake_value_impl",
        "_dynamo/utils.py:get_fake_value",
        "_dynamo/utils.py:run_node",
        "_subclasses/fake_tensor.py:__torch_dispatch__",
        "_subclasses/fake_utils.py:__torch_dispatch__",
        "_subclasses/fake_utils.py:_check_alias_info",
        "_subclasses/fake_utils.py:_check_fake_real_tensors",
        "_subclasses/functional_tensor.py:__torch_dispatch__",
        "fx/experimental/proxy_tensor.py:__torch_dispatch__",
        "fx/experimental/proxy_tensor.py:__torch_function__",
        "fx/interpreter.py:run_node",
    };
    for (int i = 0; i < COUNT_OF(frames); i++) {
        if (strcmp(frame, frames[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Is the function a kernel for fake tensors? All stages run those, so which of them showed the
 * error first says nothing about it. */
static bool frame_is_of_fake_kernel(const char *frame) {
    static const char *const files[] = {"_decomp/", "_meta_registrations.py:", "_prims/", "_refs/"};
    for (int i = 0; i < COUNT_OF(files); i++) {
        if (strncmp(frame, files[i], strlen(files[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* What of the op's results the mode fake says that its fake kernel has otherwise, a word of a
 * length; NULL if the finding is another one. */
static const char *mismatch_of(const Finding *finding, int *length) {
    static const char raised[] = "MetadataMismatchError: ";
    const char *what = strstr(finding->b, raised);
    what = what ? what + strlen(raised) : NULL;
    *length = what ? (int)strcspn(what, ": ") : 0;
    return what;
}

/* Is an op with several results called twice on the same? */
static bool calls_twice(const Program *p) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts && !found; sid++) {
        found = program_stmt(p, sid)->nout > 1 && statement_is_repeated(p, sid);
    }
    return found;
}

/* How values come to differ that a write has to do with, NULL if by something else: it goes through
 * a view of which functionalization has no exact inverse, or it goes to the operand of a scatter,
 * which Inductor may compute in the memory of that operand. Memory: what equal calls return may be
 * made one. */
static const char *value_relation(const char *stage, const Program *small, const Finding *f) {
    static const struct {
        const char *stage; /* of which it is, as a prefix */
        const char *through, *overwritten, *relation;
    } relations[] = {
        {"", "expand*", NULL, "values written through expand"},
        {"", "broadcast_to", NULL, "values written through expand"},
        {"", "meshgrid", NULL, "values written through expand"},
        {"", "unfold", NULL, "values written through unfold"},
        {"inductor", NULL, "*scatter*", "values of a scatter whose operand is overwritten"},
        {"inductor", NULL, "index_*", "values of a scatter whose operand is overwritten"},
    };
    const char *found =
        f->oracle == ORACLE_alias && calls_twice(small) ? "memory of two equal calls" : NULL;
    for (int i = 0; f->oracle == ORACLE_values && i < COUNT_OF(relations) && !found; i++) {
        const char *through = relations[i].through, *overwritten = relations[i].overwritten;
        const bool own = strncmp(stage, relations[i].stage, strlen(relations[i].stage)) == 0;
        found = own && ((through && program_writes_through(small, through)) ||
                        (overwritten && program_overwrites_operand(small, overwritten, false)))
                    ? relations[i].relation
                    : NULL;
    }
    return found;
}

const char *stage_group(Arena *arena, const char *stage, const Program *small,
                        const Finding *finding) {
    enum { MOST_OPS = 6 };
    Text t = {.arena = arena};
    const char *relation = stage_flag_relation(arena, small, finding);
    if (relation && finding->oracle != ORACLE_status) {
        return arena_printf(arena, "%.*s", (int)sizeof((Group *)0)->key - 1,
                            arena_printf(arena, "%s flags %s", stage, relation));
    }
    relation = stage_layout_relation(arena, small, finding);
    relation = relation ? relation : value_relation(stage, small, finding);
    if (relation) {
        return arena_printf(arena, "%s %s", stage, relation);
    }
    int length;
    const char *mismatch = mismatch_of(finding, &length);
    if (mismatch) {
        return arena_printf(arena, "%s %.*s of %s", MODES[MODE_fake].name, length, mismatch,
                            finding->root.op);
    }
    stage = frame_is_of_fake_kernel(finding->frame) ? MODES[MODE_fake].name : stage;
    const char *error = stage_error_group(arena, finding);
    if (error) {
        return arena_printf(arena, "%.*s", (int)sizeof((Group *)0)->key - 1,
                            arena_printf(arena, "%s %s", stage, error));
    }
    text_printf(&t, "%s %s-%s", stage, oracle_name(finding->oracle), finding->kind);
    if (finding->frame[0]) {
        text_printf(&t, " %s", finding->frame);
        if (frame_is_of_every_op(finding->frame) && finding->root.op[0]) {
            text_printf(&t, " %s", finding->root.op);
        }
    } else if (finding->oracle == ORACLE_status && finding->root.op[0]) { /* one of two refuses */
        text_printf(&t, " %s", base_name(arena, finding->root.op));
    } else if (!kind_is_of_every_op(finding)) {
        text_add(&t, " ");
        add_ops(&t, small, "+", MOST_OPS);
    }
    return arena_printf(arena, "%.*s", (int)sizeof((Group *)0)->key - 1, t.v);
}

/* The message of an error without what is particular to the program: up to its first digit, quote
 * or line end, from its second word on if the first one is the type's name. */
static void add_message(Text *t, const Finding *f) {
    enum { LONGEST = 80 };
    const char *failed = strncmp(f->b, "ok", 2) == 0 ? f->a : f->b;
    for (const char *next; (next = strstr(failed, ": ")) || (next = strstr(failed, ":\n"));) {
        failed =
            next + 2; /* "internal at ..: BackendCompilerFailed: backend=.. raised:\nError: " */
    }
    size_t n = strcspn(failed, "0123456789\"'`\n[");
    n = n > LONGEST ? LONGEST : n;
    while (n > 0 && !isalpha((unsigned char)failed[n - 1])) {
        n--;
    }
    if (n > 0) {
        text_printf(t, " \"%.*s\"", (int)n, failed);
    }
}

const char *stage_search_terms(Arena *arena, const char *stage, const Program *small,
                               const Finding *finding) {
    enum { MOST_OPS = 3 };
    Text t = {.arena = arena};
    text_printf(&t, "repo:pytorch/pytorch is:issue torch.compile %s", stage);
    if (finding->oracle == ORACLE_status) {
        const char *function = strrchr(finding->frame, ':');
        text_printf(&t, "%s%s", function ? " " : "", function ? function + 1 : "");
        add_message(&t, finding);
    } else {
        text_printf(&t, " %s ",
                    strcmp(finding->kind, "requires_grad") == 0 ? "requires_grad"
                    : finding->oracle == ORACLE_gradients       ? "gradient"
                    : finding->oracle == ORACLE_values          ? "wrong result"
                                                                : finding->kind);
        add_ops(&t, small, " ", MOST_OPS);
    }
    return t.v;
}
