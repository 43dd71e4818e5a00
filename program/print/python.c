/* The Python function `program(<args>, _t)`, wrapped as the program's Python surface says.
 *
 *     def _part0(a, _t): ...          a run of statements moved out (outline)
 *     def make(rows):                 if some argument is held, or the wrap is a method or a module
 *         class Shell(torch.nn.Module): ..
 *         return Shell()
 *     def program(vec, rows, _t):
 *         return make(rows)(vec, _t)
 *
 * A held argument (one whose binding kind is not "argument") is read into a local variable of its
 * own name at the top of the function, so the body is the same for every wrap. */
#include "program/print/python.h"

#include "program/lang/uses.h"

#include <string.h>

/* ---- arguments and their binding kinds ---- */

const NameId *program_arguments(const Program *p, Arena *arena, int *n) {
    if (p->args_given) {
        *n = p->nargs;
        return p->args;
    }
    NameId *v = arena_array(arena, NameId, p->ninputs + 1);
    for (int i = 0; i < p->ninputs; i++) {
        v[i] = p->inputs[i].name;
    }
    *n = p->ninputs;
    return v;
}

typedef struct Needs {
    NameId name;
    bool more_than_value; /* written, rebound, or aliased by a result */
} Needs;

static void need(void *user, NameId *name, Use use) {
    Needs *n = user;
    n->more_than_value |= *name == n->name && use != USE_READ;
}

/* Does the block read only the value of `name` (as an index, for example), and never its
 * identity? */
static void block_needs(const Block *block, Needs *n) {
    for (Stmt *s = block->first; s; s = s->next) {
        stmt_uses(s, need, n);
        if (s->kind != STMT_OP) {
            n->more_than_value |= s->kind == STMT_PROBE && s->of == n->name;
            n->more_than_value |= s->kind == STMT_DOT_GRAD && s->dot_grad->self == n->name;
        } else {
            for (int i = 0; i < s->op->nparam; i++) {
                const Param *param = &s->op->param[i];
                bool tensor = param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT;
                n->more_than_value |= tensor && param->aliased && s->arg[i].given &&
                                      !s->arg[i].is_none && s->arg[i].tensor == n->name;
            }
        }
        block_needs(&s->body, n);
        block_needs(&s->orelse, n);
    }
}

static const Input *input_named(const Program *p, NameId name) {
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].name == name) {
            return &p->inputs[i];
        }
    }
    return NULL;
}

static bool can_be_constant(const Program *p, NameId name) {
    const Input *in = input_named(p, name);
    if (!in || in->requires_grad || in->storage != NAME_NONE || in->stride_given ||
        in->offset_given || p->nrecalls > 0 || p->setup.count > 0 || p->after.count > 0) {
        return false;
    }
    for (int i = 0; i < p->nreturns; i++) {
        if (p->returns[i] == name) {
            return false;
        }
    }
    Needs n = {name, false};
    block_needs(&p->body, &n);
    return !n.more_than_value;
}

BindingKind python_binding(const Program *p, NameId name) {
    for (int i = 0; p->surface && i < p->surface->nbindings; i++) {
        if (p->surface->bindings[i].name == name) {
            BindingKind binding = p->surface->bindings[i].binding;
            return binding == BINDING_constant && !can_be_constant(p, name) ? BINDING_closure
                                                                            : binding;
        }
    }
    return BINDING_arg;
}

static Wrap wrap_of(const Program *p) {
    return p->surface && p->surface->wrap_given ? p->surface->wrap : WRAP_function;
}

bool python_is_made(const Program *p, Arena *arena) {
    int n;
    const NameId *args = program_arguments(p, arena, &n);
    for (int i = 0; i < n; i++) {
        if (python_binding(p, args[i]) != BINDING_arg) {
            return true;
        }
    }
    return wrap_of(p) != WRAP_function ||
           (p->surface && p->surface->instances_given && p->surface->instances > 1);
}

/* ---- outlined runs ---- */

typedef struct PythonRun {
    const bool *known; /* by NameId: always bound before the run */
    bool *in, *made;   /* by NameId */
    bool possible;
    int depth_if;
} PythonRun;

static void run_use(void *user, NameId *name, Use use) {
    PythonRun *r = user;
    if (use == USE_BIND) {
        r->possible &= r->depth_if == 0;
        r->made[*name] = r->depth_if == 0; /* in a branch: perhaps not bound */
    } else if (!r->made[*name]) {
        r->possible &= r->known[*name];
        r->in[*name] = true;
    }
}

static void run_print_block(PythonRun *r, Stmt *first, int count) {
    for (Stmt *s = first; s && count > 0; s = s->next, count--) {
        bool unused = (s->kind == STMT_GRAD && s->grad->allow_unused) ||
                      s->kind == STMT_DOT_GRAD; /* may bind or unbind a name */
        r->depth_if += unused;
        r->possible &= s->kind != STMT_HOOK; /* its handle is a local variable */
        stmt_uses(s, run_use, r);
        r->depth_if += (s->kind == STMT_IF) - unused;
        run_print_block(r, s->body.first, s->body.count);
        run_print_block(r, s->orelse.first, s->orelse.count);
        r->depth_if -= s->kind == STMT_IF;
    }
}

typedef struct PythonPart {
    int from, to; /* statements of the body, both ends inclusive */
    NameId *in, *out;
    int nin, nout;
} PythonPart;

static NameId *names_set(Arena *arena, const bool *set, int n, int *count) {
    NameId *v = arena_array(arena, NameId, n + 1);
    *count = 0;
    for (int i = 0; i < n; i++) {
        if (set[i]) {
            v[(*count)++] = i;
        }
    }
    return v;
}

/* The `outline` runs that can be moved out, in order, without overlap. */
static PythonPart *find_parts(const Program *p, Arena *arena, int *count) {
    PythonPart *parts = arena_array(arena, PythonPart, p->surface ? p->surface->noutline + 1 : 1);
    *count = 0;
    for (int k = 0; p->surface && k < p->surface->noutline; k++) {
        int64_t from = p->surface->outline[k].from, to = p->surface->outline[k].to;
        if (from < 0 || to < from || to >= p->body.count ||
            (*count > 0 && from <= parts[*count - 1].to)) {
            continue;
        }
        bool *known = arena_array(arena, bool, p->nnames + 1);
        int nargs;
        const NameId *args = program_arguments(p, arena, &nargs);
        for (int i = 0; i < nargs; i++) {
            known[args[i]] = true;
        }
        PythonRun before = {known, arena_array(arena, bool, p->nnames + 1), known, true,
                            0}; /* only `made` is used */
        Stmt *s = p->body.first;
        for (int64_t i = 0; i < from; i++, s = s->next) {
            if (s->kind != STMT_IF) {
                run_print_block(&before, s, 1);
            }
        }
        PythonRun run = {known, arena_array(arena, bool, p->nnames + 1),
                         arena_array(arena, bool, p->nnames + 1), true, 0};
        run_print_block(&run, s, (int)(to - from + 1));
        if (run.possible) {
            PythonPart *part = &parts[(*count)++];
            *part = (PythonPart){.from = (int)from, .to = (int)to};
            part->in = names_set(arena, run.in, p->nnames, &part->nin);
            part->out = names_set(arena, run.made, p->nnames, &part->nout);
        }
    }
    return parts;
}

static void print_part(const Printer *pr, const PythonPart *part, int number) {
    Stmt *s = pr->p->body.first;
    for (int i = 0; i < part->from; i++) {
        s = s->next;
    }
    text_printf(pr->t, "def _part%d", number);
    python_parameters(pr, part->in, part->nin, true);
    text_add(pr->t, ":\n");
    for (int i = part->from; i <= part->to; i++, s = s->next) {
        Stmt one = *s;
        one.next = NULL;
        python_block(pr, &(Block){&one, 1}, 1);
    }
    text_add(pr->t, "    return [");
    for (int i = 0; i < part->nout; i++) {
        text_printf(pr->t, i ? ", %s" : "%s", print_name(pr, part->out[i]));
    }
    text_add(pr->t, "]\n\n\n");
}

/* ---- the function ---- */

static void print_body(const Printer *pr, const PythonPart *parts, int nparts, int depth) {
    const Stmt *s = pr->p->body.first;
    for (int i = 0, k = 0; s; i++) {
        if (k < nparts && parts[k].from == i) {
            python_indent(pr, depth);
            text_add(pr->t, "[");
            for (int j = 0; j < parts[k].nout; j++) {
                text_printf(pr->t, j ? ", %s" : "%s", print_name(pr, parts[k].out[j]));
            }
            text_printf(pr->t, "] = _part%d", k);
            python_parameters(pr, parts[k].in, parts[k].nin, true);
            text_add(pr->t, "\n");
            for (; i < parts[k].to; i++) {
                s = s->next;
            }
            k++;
        } else {
            Stmt one = *s;
            one.next = NULL;
            python_block(pr, &(Block){&one, 1}, depth);
        }
        s = s->next;
    }
    python_return(pr, depth);
}

/* An input as a literal. */
static void print_constant(const Printer *pr, const Input *in) {
    int64_t numel = 1;
    sizes_numel(in->size, in->ndim, &numel);
    void *data = arena_alloc(pr->t->arena, numel * dtype_bytes(in->dtype));
    if (in->data.given && in->data.is_fill) {
        fill_buffer(data, in->dtype, numel, in->data.fill, in->data.seed);
    } else if (in->data.given) {
        memcpy(data, in->data.data, (size_t)(numel * dtype_bytes(in->dtype)));
    }
    text_add(pr->t, "torch.tensor(");
    print_elements(pr, data, numel, in->dtype);
    text_add(pr->t, ", dtype=");
    print_dtype(pr, in->dtype);
    text_add(pr->t, ").reshape([");
    for (int d = 0; d < in->ndim; d++) {
        text_printf(pr->t, d ? ", %lld" : "%lld", (long long)in->size[d]);
    }
    text_add(pr->t, "])");
}

typedef struct Split {
    NameId *free, *held;
    int nfree, nheld;
} Split;

static Split split_arguments(const Program *p, Arena *arena) {
    int n;
    const NameId *args = program_arguments(p, arena, &n);
    Split s = {arena_array(arena, NameId, n + 1), arena_array(arena, NameId, n + 1), 0, 0};
    for (int i = 0; i < n; i++) {
        if (python_binding(p, args[i]) == BINDING_arg) {
            s.free[s.nfree++] = args[i];
        } else {
            s.held[s.nheld++] = args[i];
        }
    }
    return s;
}

/* Lines at the top of the function that read the held arguments. */
static void print_reads(const Printer *pr, const Split *s, const char *object, int depth) {
    for (int i = 0; i < s->nheld; i++) {
        const char *name = print_name(pr, s->held[i]);
        python_indent(pr, depth);
        text_printf(pr->t, "%s = ", name);
        switch (python_binding(pr->p, s->held[i])) {
        case BINDING_constant:
            print_constant(pr, input_named(pr->p, s->held[i]));
            break;
        case BINDING_global:
            text_printf(pr->t, "global_%s", name);
            break;
        case BINDING_closure:
            text_printf(pr->t, "held_%s", name);
            break;
        default:
            text_printf(pr->t, "%s.held_%s", object, name);
            break;
        }
        text_add(pr->t, "\n");
    }
}

/* Lines that store held arguments where they are held: before the function (`inside` false) or into
 * the object. */
static void print_holds(const Printer *pr, const Split *s, const char *object, bool is_module,
                        bool inside, int depth) {
    for (int i = 0; i < s->nheld; i++) {
        const char *name = print_name(pr, s->held[i]);
        BindingKind binding = python_binding(pr->p, s->held[i]);
        bool on_object =
            binding == BINDING_attr || binding == BINDING_buffer || binding == BINDING_parameter;
        if (binding == BINDING_constant || on_object != inside) {
            continue;
        }
        python_indent(pr, depth);
        if (binding == BINDING_global) {
            text_printf(pr->t, "global global_%s; global_%s = %s\n", name, name, name);
        } else if (binding == BINDING_closure) {
            text_printf(pr->t, "held_%s = %s\n", name, name);
        } else if (binding == BINDING_buffer && is_module) {
            text_printf(pr->t, "%s.register_buffer(\"held_%s\", %s)\n", object, name, name);
        } else if (binding == BINDING_parameter &&
                   is_module) { /* nn.Parameter(x) would be a new leaf, not x */
            text_printf(pr->t, "%s._parameters[\"held_%s\"] = %s\n", object, name, name);
        } else {
            text_printf(pr->t, "%s.held_%s = %s\n", object, name, name);
        }
    }
}

static void print_made(const Printer *pr, const Split *s, const PythonPart *parts, int nparts) {
    Text *t = pr->t;
    Wrap wrap = wrap_of(pr->p);
    bool module = wrap == WRAP_module;
    int64_t instances = pr->p->surface->instances_given ? pr->p->surface->instances : 1;
    text_add(t, "def make");
    python_parameters(pr, s->held, s->nheld, false);
    text_add(t, ":\n");
    print_holds(pr, s, "", false, false, 1);
    if (wrap == WRAP_function) {
        text_add(t, "    holder = torch.nn.Module()\n");
        print_holds(pr, s, "holder", true, true, 1);
        text_add(t, "\n    def body");
        python_parameters(pr, s->free, s->nfree, true);
        text_add(t, ":\n");
        print_reads(pr, s, "holder", 2);
        print_body(pr, parts, nparts, 2);
        text_add(t, "    return body\n");
    } else {
        text_add(t, module ? "\n    class Shell(torch.nn.Module):\n" : "\n    class Shell:\n");
        text_add(t, "        def __init__(self):\n            super().__init__()\n");
        print_holds(pr, s, "self", module, true, 3);
        text_printf(t, "\n        def %s(self, ", module ? "forward" : "call");
        Text parameters = {.arena = t->arena};
        python_parameters(&(Printer){&parameters, pr->p, pr->names, true, NULL}, s->free, s->nfree,
                          true);
        text_printf(t, "%s:\n", parameters.v + 1);
        print_reads(pr, s, "self", 3);
        print_body(pr, parts, nparts, 3);
        text_printf(t, "    objects = [Shell() for _ in range(%lld)]\n",
                    (long long)(instances > 1 ? instances : 1));
        text_printf(t, "    return objects[-1]%s\n", module ? "" : ".call");
    }
    text_add(t, "\n\n");
}

void program_print_python(Text *text, const Program *p) {
    Arena *arena = text->arena;
    Printer pr = {text, p, python_names(arena, p), true, NULL};
    int nparts, nargs;
    PythonPart *parts = find_parts(p, arena, &nparts);
    const NameId *args = program_arguments(p, arena, &nargs);
    text_add(text, "import torch\n\n\n");
    python_definitions(&pr, 0);
    for (int i = 0; i < p->nfunctions; i++) {
        python_function(&pr, &p->functions[i]);
    }
    for (int k = 0; k < nparts; k++) {
        print_part(&pr, &parts[k], k);
    }
    bool made = python_is_made(p, arena);
    Split split = split_arguments(p, arena);
    if (made) {
        print_made(&pr, &split, parts, nparts);
    }
    text_add(text, "def program");
    python_parameters(&pr, args, nargs, true);
    text_add(text, ":\n");
    if (made) {
        text_add(text, "    return make");
        python_parameters(&pr, split.held, split.nheld, false);
        python_parameters(&pr, split.free, split.nfree, true);
        text_add(text, "\n");
    } else {
        print_body(&pr, parts, nparts, 1);
    }
}
