/* The script of a report: the program as a plain function `f`, and `run(f)`, which builds the
 * inputs, calls it and returns the one thing that differs.
 *
 *     import torch
 *     def f(x):
 *         y = x.mul(2)
 *         return y
 *     def run(f):
 *         x = torch.tensor([1.0, 2.0])
 *         y = f(x)
 *         return y
 *     torch.testing.assert_close(run(torch.compile(f, backend="inductor")), run(f), ..)
 *
 * Of the Python surface of the program (`shell`), spellings, forms and where results are left are
 * kept. */
#include "harness/filing/issue_script.h"

#include "program/print/python.h"
#include "harness/targets/mode.h"

#include <inttypes.h>
#include <string.h>

typedef struct Script {
    Printer pr;
    const Issue *issue;
    bool probes; /* the trace differs: probes are collected */
    int indent;
} Script;

static Text *script_line(const Script *s) {
    python_indent(&s->pr, s->indent);
    return s->pr.t;
}

/* Lines that the exporter has printed, without paths; `_t.append(("body[1]", "dtype", x))` becomes
 * `x` alone, whose reading may break the graph, or `seen.append(("dtype", x))` where probes are
 * what differs. A tuple, as in the target: Dynamo reads a flag that is appended alone after the
 * function, and one in a tuple while it traces. */
static void print_uncommented(const Script *s, const char *lines) {
    for (const char *at = lines; *at;) {
        const char *end = strchrnul(at, '\n'), *stop = end, *word = at + strspn(at, " ");
        for (const char *c = word; c + 3 < end; c++) {
            stop = strncmp(c, "  # ", 4) == 0 ? c : stop;
        }
        if (strncmp(word, "_t.append((", 11) == 0) {
            const char *kind = strstr(word, "\", \""),
                       *value = kind ? strstr(kind + 4, "\", ") : NULL;
            text_addn(s->pr.t, at, word - at);
            if (!value || value > stop) {
                text_add(s->pr.t, "pass\n");
            } else if (s->probes) {
                text_printf(s->pr.t, "seen.append((%.*s\n", (int)(stop - kind - 3), kind + 3);
            } else {
                text_printf(s->pr.t, "%.*s\n", (int)(stop - value - 5), value + 3);
            }
        } else {
            text_addn(s->pr.t, at, stop - at);
            text_add(s->pr.t, "\n");
        }
        at = end + (*end == '\n');
    }
}

static void print_statements(const Script *s, const Block *block) {
    Text lines = {.arena = s->pr.t->arena};
    Printer pr = s->pr;
    pr.t = &lines;
    if (block->first) {
        python_block(&pr, block, s->indent);
        print_uncommented(s, lines.v);
    }
}

/* The functions of the program, each with an empty line behind it. */
static void print_functions(const Script *s) {
    const Program *p = s->issue->program;
    Text lines = {.arena = s->pr.t->arena};
    Printer pr = s->pr;
    pr.t = &lines;
    for (int i = 0; i < p->nfunctions; i++) {
        lines.n = 0;
        python_function(&pr, &p->functions[i]);
        for (const char *at = lines.v; *at;) {
            const char *end = strchrnul(at, '\n');
            if (end > at) {
                text_printf(script_line(s), "%.*s\n", (int)(end - at), at);
            }
            at = end + (*end == '\n');
        }
        text_add(s->pr.t, "\n");
    }
}

/* Does `f` leave its results elsewhere? Not where probes are returned. */
static bool script_leaves(const Script *s) {
    const PythonSurface *surface = s->issue->program->surface;
    return surface && surface->leave_given && !s->probes;
}

/* "x, y", or "a, " before what follows. */
static void script_names(const Script *s, const NameId *v, int n) {
    for (int i = 0; i < n; i++) {
        text_printf(s->pr.t, i ? ", %s" : "%s", print_name(&s->pr, v[i]));
    }
}

/* What `f` returns of a program that returns nothing: Dynamo compiles no graph without results.
 * Where the compiler refuses what eager runs, what the last statement binds changes nothing. */
static void return_something(const Script *s) {
    const Stmt *last = NULL;
    for (const Stmt *at = s->issue->program->body.first; at; at = at->next) {
        last = at->kind == STMT_OP && at->nout > 0 ? at : last;
    }
    if (last && strncmp(s->issue->finding->kind, "ok_vs_", 6) == 0) {
        script_names(s, last->out, last->nout);
    } else {
        text_add(s->pr.t, "None");
    }
}

static void script_function(Script *s) {
    const Program *p = s->issue->program;
    int n;
    const NameId *args = program_arguments(p, s->pr.t->arena, &n);
    text_add(script_line(s), "def f(");
    script_names(s, args, n);
    text_add(s->pr.t, "):\n");
    s->indent++;
    if (s->probes) {
        text_add(script_line(s), "seen = []\n");
    }
    print_statements(s, &p->body);
    if (script_leaves(s)) {
        Text lines = {.arena = s->pr.t->arena};
        Printer pr = s->pr;
        pr.t = &lines;
        python_return(&pr, s->indent);
        print_uncommented(s, lines.v);
        text_add(s->pr.t, "\n");
        s->indent--;
        return;
    }
    text_add(script_line(s), "return ");
    if (s->probes) {
        text_add(s->pr.t, p->nreturns ? "seen, " : "seen");
    } else if (p->nreturns == 0) {
        return_something(s);
    }
    script_names(s, p->returns, p->nreturns);
    text_add(s->pr.t, s->probes && p->nreturns == 0 ? ",\n\n" : "\n\n");
    s->indent--;
}

/* ---- inputs ---- */

static int64_t storage_length(const Input *in) {
    int64_t extent = in->offset + 1;
    for (int d = 0; d < in->ndim; d++) {
        if (in->size[d] == 0) {
            return 0;
        }
        extent += (in->size[d] - 1) * in->stride[d];
    }
    return extent;
}

static bool is_plain_line(const Input *in) {
    return in->storage == NAME_NONE && !in->stride_given && in->offset == 0;
}

static void print_script_input(const Script *s, const Input *v, int n, int k) {
    const Input *in = &v[k];
    Text *t = script_line(s);
    text_printf(t, "%s = ", print_name(&s->pr, in->name));
    if (is_plain_line(in)) {
        issue_print_values(&s->pr, in, in->size, in->ndim);
    } else {
        int64_t length = 0;
        const Input *first = in;
        for (int i = n - 1; i >= 0; i--) { /* those that share the storage */
            if (i == k || (in->storage != NAME_NONE && v[i].storage == in->storage)) {
                int64_t extent = storage_length(&v[i]);
                length = extent > length ? extent : length;
                first = &v[i];
            }
        }
        if (first == in) {
            issue_print_values(&s->pr, first, &length, 1);
        } else {
            text_printf(t, "%s.detach()", print_name(&s->pr, first->name));
        }
        text_add(t, ".as_strided(");
        issue_print_sizes(&s->pr, in->size, in->ndim);
        text_add(t, ", ");
        issue_print_sizes(&s->pr, in->stride, in->ndim);
        /* an argument is a leaf, no view, and autograd need not know what shares its memory */
        text_printf(t, ", %" PRId64 ").detach()", in->offset);
    }
    text_add(t, in->requires_grad ? ".requires_grad_()\n" : "\n");
}

/* ---- calls ---- */

/* The caller's statements behind the function, which name what it returned. */
static void script_after(Script *s) {
    const Program *p = s->issue->program;
    if (!p->after.first) {
        return;
    }
    if (p->nreturns > 0) {
        text_add(script_line(s), "");
        script_names(s, p->returns, p->nreturns);
        text_add(s->pr.t, s->probes ? ", = r[1:]\n" : ", = r\n");
    }
    Script after = *s;
    after.probes = false;
    print_statements(&after, &p->after);
}

/* The gradients that are fed, of the returns that take part in eager mode. */
static void print_backward(const Script *s, const CallResult *eager) {
    const Program *p = s->issue->program;
    Text roots = {.arena = s->pr.t->arena}, tangents = {.arena = s->pr.t->arena};
    text_add(&roots, "");
    text_add(&tangents, "");
    Script to = *s;
    to.pr.t = &tangents;
    int n = 0;
    for (int k = 0; k < eager->nreturns && k < p->nreturns; k++) {
        const ReturnRecord *r = &eager->returns[k];
        bool chosen = p->backward.nof < 0;
        for (int i = 0; i < p->backward.nof; i++) {
            chosen |= p->backward.of[i] == k;
        }
        if (!chosen || !r->requires_grad || !dtype_is_float(r->values.dtype)) {
            continue;
        }
        const Input values = {.dtype = r->values.dtype,
                              .data = {.given = true,
                                       .is_fill = true,
                                       .fill = p->backward.fill,
                                       .seed = p->backward.seed + (uint64_t)k}};
        text_printf(&roots, "%sr[%d]", n ? ", " : "", k + s->probes);
        text_add(&tangents, n ? ", " : "");
        issue_print_values(&to.pr, &values, r->values.size, r->values.ndim);
        n++;
    }
    if (n > 0) {
        text_printf(script_line(s), "torch.autograd.backward([%s], [%s])\n", roots.v, tangents.v);
    }
}

static void script_call(Script *s, int call) {
    const Program *p = s->issue->program;
    const Recall *r = call > 0 ? &p->recalls[call - 1] : NULL;
    Arena *arena = s->pr.t->arena;
    int ninputs, nargs;
    bool grad_mode;
    const Input *inputs = program_call_inputs(p, call, &ninputs, &grad_mode);
    const NameId *args = program_arguments(p, arena, &nargs);
    if (p->seed_given) {
        text_printf(script_line(s), "torch.manual_seed(%" PRIu64 ")\n", p->seed + (uint64_t)call);
    }
    if (r && r->keep) {
        for (int i = 0; i < r->nset; i++) {
            text_printf(script_line(s), "%s.requires_grad_(%s)\n",
                        print_name(&s->pr, r->set[i].name),
                        r->set[i].requires_grad ? "True" : "False");
        }
        for (int i = 0; i < ninputs; i++) {
            if (inputs[i].requires_grad) {
                text_printf(script_line(s), "%s.grad = None\n", print_name(&s->pr, inputs[i].name));
            }
        }
    } else {
        for (int i = 0; i < ninputs; i++) {
            print_script_input(s, inputs, ninputs, i);
        }
        Script setup = *s;
        setup.probes = false;
        print_statements(&setup, &p->setup);
    }
    const CompileSettings *c = p->compile;
    for (int i = 0; i < (c ? c->nmarks : 0); i++) {
        for (int d = 0; d < MAX_DIMS; d++) {
            if (c->marks[i].dims >> d & 1) {
                text_printf(script_line(s), "torch._dynamo.maybe_mark_dynamic(%s, %d)\n",
                            c->marks[i].name, d);
            }
        }
    }
    if (!grad_mode) {
        text_add(script_line(s), "with torch.no_grad():\n");
        s->indent++;
    }
    bool one = p->nreturns == 1 && !s->probes, leaves = script_leaves(s);
    text_add(script_line(s), leaves ? "r = _results(f(" : one ? "r = [f(" : "r = f(");
    script_names(s, args, nargs);
    text_add(s->pr.t, leaves ? "))\n" : one ? ")]\n" : ")\n");
    s->indent -= !grad_mode;
    script_after(s);
    const Result *eager = s->issue->a;
    if (p->backward.given && eager && call < eager->ncalls) {
        print_backward(s, &eager->calls[call]);
    }
}

/* Does eager mode refuse the call? */
static bool script_is_refused(const Script *s, int call) {
    const Result *eager = s->issue->a;
    return eager && call < eager->ncalls && !eager->calls[call].ok;
}

/* A call behind which the script goes on, also if it is `refused`. */
static void lasting_call(Script *s, int call, bool refused) {
    if (refused) {
        text_add(script_line(s), "try:\n");
        s->indent++;
    }
    script_call(s, call);
    if (refused) {
        s->indent--;
        text_add(script_line(s), "except Exception:\n");
        text_add(script_line(s), "    pass\n");
    }
}

/* The write-through check: r[k].fill_(k + 1). */
static void print_writes(const Script *s) {
    const Program *p = s->issue->program;
    for (int k = 0; k < p->nreturns; k++) {
        text_printf(script_line(s), "r[%d].detach().fill_(%d)\n", k, k + 1);
    }
}

void script_print_definitions(Text *text, const Issue *issue, int indent) {
    const Finding *f = issue->finding;
    Text body = {.arena = text->arena};
    Script s = {
        .pr = {&body, issue->program, python_names(text->arena, issue->program), true, NULL},
        .issue = issue,
        .probes = f->oracle == ORACLE_trace,
        .indent = indent};
    python_definitions(&s.pr, indent);
    print_functions(&s);
    script_function(&s);
    text_add(script_line(&s), "def run(f):\n");
    s.indent++;
    int calls = f->call < 1 + issue->program->nrecalls ? f->call : issue->program->nrecalls;
    for (int call = 0; call < calls; call++) {
        lasting_call(&s, call, script_is_refused(&s, call));
    }
    if (f->oracle == ORACLE_state) {
        lasting_call(&s, calls, true); /* the compiler may refuse it */
    } else {
        script_call(&s, calls);
    }
    if (f->oracle == ORACLE_status && f->sid == AT_RETURN && issue->program->nreturns > 0) {
        /* a result that is no tensor, or a view whose base was written: is_leaf asks for its
         * grad_fn */
        text_add(script_line(&s), "[t.is_leaf for t in r]\n");
    }
    const char *what = script_observed(issue, &s.pr, s.probes);
    if (f->oracle == ORACLE_values && strcmp(f->kind, "later") == 0) {
        text_printf(script_line(&s), "kept = %s\n", what);
        for (int call = calls + 1; call <= issue->program->nrecalls; call++) {
            script_call(&s, call);
        }
        what = "kept";
    }
    if (f->oracle == ORACLE_alias && strcmp(f->kind, "poke") == 0) {
        print_writes(&s);
        what = arena_printf(text->arena, "%s.detach()", script_subject(issue, &s.pr, s.probes));
    }
    text_printf(script_line(&s), "return %s\n", what);
    if (strstr(body.v, "_fill(\"")) { /* of an input, or of what the backward begins with */
        torch_print_fill(text, indent);
        text_add(text, "\n\n");
    }
    text_add(text, body.v);
}

/* Are the answers of run(f) compared as tensors? */
static bool script_compares_tensors(const Issue *issue) {
    const Finding *f = issue->finding;
    const bool fact =
        strcmp(f->kind, "grad_alias") == 0 || strcmp(f->kind, "grad_requires_grad") == 0;
    return f->oracle == ORACLE_values || (f->oracle == ORACLE_gradients && !fact) ||
           (f->oracle == ORACLE_alias && strcmp(f->kind, "poke") == 0);
}

const char *script_configuration(Arena *arena, const Issue *issue) {
    const char *mode = issue->mode ? issue->mode : "inductor";
    return mode_is_fake(mode)
               ? "torch._subclasses.fake_utils.CrossRefFakeMode(only_check_ops_with_meta=False)"
               : arena_printf(arena, "torch.compile(f, %s)", mode_options(arena, mode));
}

void script_print_compiled(Text *text, const Issue *issue, int indent) {
    const char *as = script_configuration(text->arena, issue);
    if (issue->mode && mode_is_fake(issue->mode)) {
        text_printf(text,
                    "\n%*sdef compiled(*args):\n%*swith %s:\n"
                    "%*sreturn f(*args)\n\n",
                    4 * indent, "", 4 * (indent + 1), "", as, 4 * (indent + 2), "");
    } else {
        text_printf(text, "\n%*scompiled = %s\n", 4 * indent, "", as);
    }
}

void script_print_import(Text *text, const Issue *issue) {
    const char *mode = issue->mode ? issue->mode : "inductor";
    bool random = issue->program->seed_given && strncmp(mode, "inductor", 8) == 0;
    text_printf(text, "import torch\n%s%s%s",
                mode_is_fake(mode) ? "import torch._subclasses.fake_utils\n" : "",
                mode_is_cuda(mode) ? "torch.set_default_device(\"cuda\")\n" : "",
                random ? "torch._inductor.config.fallback_random = True\n" : "");
}

/* What an error is compared by: its type, and where both sides raise one, what tells them apart. */
static const char *error_outcome(const Finding *f) {
    size_t n = strlen(f->kind);
    if (strncmp(f->kind, "place_", 6) == 0) {
        return "type(error).__name__, error.__traceback__.tb_next.tb_lineno, str(error)[:60]";
    }
    bool one = n > 6 && strcmp(f->kind + n - 6, "_vs_ok") == 0;
    return one || !strstr(f->kind, "_vs_") ? "type(error).__name__"
                                           : "type(error).__name__, str(error)[:60]";
}

void script_print_outcome(Text *text, const Issue *issue, int indent) {
    const char *const lines[] = {
        "def outcome(f):", "    try:", "        run(f)", "    except Exception as error:",
        arena_printf(text->arena, "        return %s", error_outcome(issue->finding))};
    for (int i = 0; i < COUNT_OF(lines); i++) {
        text_printf(text, "%*s%s\n", 4 * indent, "", lines[i]);
    }
}

void issue_script(Text *text, const Issue *issue) {
    const Finding *f = issue->finding;
    script_print_import(text, issue);
    text_add(text, "\n");
    script_print_definitions(text, issue, 0);
    script_print_compiled(text, issue, 0);
    if (script_compares_tensors(issue)) {
        text_add(text, "torch.testing.assert_close(run(compiled), run(f), equal_nan=True)\n");
    } else if (f->oracle == ORACLE_state) { /* which lasts: eager mode comes first */
        text_add(text, "expected, observed = run(f), run(compiled)\n"
                       "assert observed == expected, (observed, expected)\n");
    } else if (f->oracle != ORACLE_status) {
        text_add(text, "observed, expected = run(compiled), run(f)\n"
                       "assert observed == expected, (observed, expected)\n");
    } else if (strncmp(f->kind, "ok_vs_", 6) == 0) {
        text_add(text, "run(f)  # eager runs\nrun(compiled)\n");
    } else {
        script_print_outcome(text, issue, 0);
        text_add(text, "observed, expected = outcome(compiled), outcome(f)\n"
                       "assert observed == expected, (observed, expected)\n");
    }
}
