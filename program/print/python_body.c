/* Statements as Python, one on each line that ends in "# path". The call style is the one that
 * `shell` states (format.md, "The shell"), otherwise a method if tensors have it, otherwise a
 * function. */
#include "program/print/python.h"

#include "program/ops/functions.h"

#include <string.h>

/* ---- ops ---- */

/* Does the statement give two operands and nothing else? */
static bool is_binary(const Stmt *s) {
    for (int i = 0; i < s->op->nparam; i++) {
        if (s->arg[i].given != (i < 2)) {
            return false;
        }
    }
    return s->op->nparam >= 2;
}

static void print_literal(const Printer *pr, const Stmt *s) {
    Stmt data = *s, size = *s; /* torch.tensor has no size argument: reshape, then clone so that it
                                  is not a view */
    int at = op_param(s->op, "size");
    PArg args[MAX_PARAMS], shape = s->arg[at];
    memcpy(args, s->arg, sizeof(PArg) * (size_t)s->op->nparam);
    args[at].given = false;
    data.arg = args;
    data.requires_grad_given = false;
    text_add(pr->t, "torch.tensor");
    print_arguments(pr, &data, 0, false);
    text_add(pr->t, ".reshape(");
    print_arg(pr, &shape, ARG_INTS);
    text_add(pr->t, ").clone()");
    if (size.requires_grad_given && size.requires_grad) {
        text_add(pr->t, ".requires_grad_()");
    }
}

/* Is a Scalar argument a bool? For an explicitly named overload, PyTorch 1.13 passes it as an
 * int. */
static bool has_bool_number(const Stmt *s) {
    for (int i = 0; i < s->op->nparam; i++) {
        if (s->op->param[i].type == ARG_SCALAR && s->arg[i].given &&
            s->arg[i].scalar.kind == CAT_BOOL) {
            return true;
        }
    }
    return false;
}

/* The statement with its bool Scalars as ints, which is what ATen in PyTorch 1.13 computes for a
 * bitwise op; a method, and PyTorch 2.x, would use a bool. */
static Stmt with_ints(const Stmt *s, PArg *args) {
    Stmt out = *s;
    memcpy(args, s->arg, sizeof(PArg) * (size_t)s->op->nparam);
    for (int i = 0; i < s->op->nparam; i++) {
        if (s->op->param[i].type == ARG_SCALAR && args[i].given) {
            args[i].scalar = scalar_int(scalar_to_double(args[i].scalar) != 0);
        }
    }
    out.arg = args;
    return out;
}

/* The statement with a list for every number that stands for a list of ints. */
static Stmt with_lists(const Stmt *s, PArg *args) {
    Stmt out = *s;
    memcpy(args, s->arg, sizeof(PArg) * (size_t)s->op->nparam);
    for (int i = 0; i < s->op->nparam; i++) {
        bool list = s->op->param[i].type == ARG_INTS || s->op->param[i].type == ARG_INTS_OPT;
        if (list && args[i].given && !args[i].is_none) {
            args[i].ints.single = false;
        }
    }
    out.arg = args;
    return out;
}

/* Without the second result, which is None if no weights are needed. */
static void print_multi_head_attention(const Printer *pr, const Stmt *s) {
    const int middle = op_param(s->op, "out_proj_weight"),
              weights = op_param(s->op, "need_weights");
    text_add(pr->t, "torch.nn.functional.multi_head_attention_forward(");
    for (int i = 0; i < middle; i++) {
        print_arg(pr, &s->arg[i], s->op->param[i].type);
        text_add(pr->t, ", ");
    }
    text_add(pr->t, "None, None, False, 0.0, ");
    Text rest = {.arena = pr->t->arena};
    Printer part = *pr;
    part.t = &rest;
    print_arguments(&part, s, middle, false);
    text_add(pr->t, rest.v + 1);
    if (s->arg[weights].given && !s->arg[weights].b) {
        text_add(pr->t, "[:1]");
    }
}

static void print_python_call(const Printer *pr, const Stmt *s, CallStyle call_styles) {
    const OpInfo *op = s->op;
    Text *t = pr->t;
    PArg args[MAX_PARAMS];
    Stmt plain;
    if (strncmp(op->name, "bitwise_", 8) == 0 && has_bool_number(s) &&
        !since(bitwise_bool_number)) {
        plain = with_ints(s, args);
        s = &plain;
    }
    if (op->out_dtype != OUT_NOT) {
        text_printf(t, "torch.%s", op->name);
        print_arguments(pr, s, 0, false);
    } else if (op->id == OP_getitem) {
        text_printf(t, "%s[", print_name(pr, s->arg[0].tensor));
        print_index(pr, &s->arg[1]);
        text_add(t, "]");
    } else if (op->id == OP_tensor) {
        print_literal(pr, s);
    } else if (op->id == OP_multi_head_attention_forward) {
        print_multi_head_attention(pr, s);
    } else if ((python_is_aten_only(op) && !(op->id == OP_rsub_Scalar && has_bool_number(s))) ||
               (call_styles == STYLE_torch_ops &&
                (op->id == OP_linear || !python_is_functional(op)) && op->kind != KIND_FACTORY &&
                !has_bool_number(s))) { /* aten.arange increments the version itself */
        PArg lists[MAX_PARAMS];
        Stmt listed = *s;
        if (since(conv_stride_number)) {
            listed = with_lists(s, lists);
        }
        const OpInfo *form = op->kind == KIND_INPLACE ? op_info(op->twin) : op;
        bool saves = op_saves_number(
            form); /* a method uses the Tensor overload, which affects what it saves */
        const char *overload = !saves                                ? op->overload
                               : strcmp(op->overload, "Scalar") == 0 ? "Tensor"
                                                                     : "Tensor_mode";
        text_printf(t, "torch.ops.aten.%s.%s", op->name, overload[0] ? overload : "default");
        print_arguments(pr, &listed, 0, false);
    } else if (python_attribute(op)) {
        text_printf(t, "%s.%s", print_name(pr, s->arg[0].tensor), python_attribute(op));
    } else if (!python_is_method(op)) {
        text_printf(t, python_is_functional(op) ? "torch.nn.functional.%s" : "torch.%s", op->name);
        print_arguments(pr, s, 0, false);
    } else if (call_styles == STYLE_function) {
        text_printf(t, op->kind == KIND_POINTWISE ? "torch.%s" : "torch.Tensor.%s", op->name);
        print_arguments(pr, s, 0, false);
    } else if (call_styles == STYLE_operator && strcmp(op->name, "neg") == 0) {
        text_printf(t, "-%s", print_name(pr, s->arg[0].tensor));
    } else if (call_styles == STYLE_operator && python_operator(op) && is_binary(s) &&
               op->kind != KIND_INPLACE) {
        text_printf(t, "%s %s ", print_name(pr, s->arg[0].tensor), python_operator(op));
        print_arg(pr, &s->arg[1], op->param[1].type);
    } else {
        text_printf(t, "%s.%s", print_name(pr, s->arg[0].tensor), op->name);
        print_arguments(pr, s, 1,
                        call_styles == STYLE_kwargs &&
                            op->id !=
                                OP_copy_); /* its argument has different names in 1.13 and 2.x */
    }
}

static CallStyle call_style_of(const Program *p, const char *path) {
    int style = p->surface ? choice_at(&p->surface->call_styles, path) : -1;
    return style >= 0 ? (CallStyle)style : STYLE_method;
}

/* In parentheses a single tensor that is to be unpacked, over whose first dim Python would iterate.
 */
static void print_value(const Printer *pr, const Stmt *s, CallStyle call_styles) {
    bool one_in_list = s->out_list && s->op->nreturn == 1;
    text_add(pr->t, one_in_list ? "(" : "");
    print_python_call(pr, s, call_styles);
    text_add(pr->t, one_in_list ? ",)" : "");
}

/* In the form that the program states for the statement, if it states one. */
static bool print_in_form(const Printer *pr, const Stmt *s, const char *path, int depth) {
    int form = pr->p->surface ? choice_at(&pr->p->surface->forms, path) : -1;
    if (form < 0 || !python_form_fits((PythonForm)form, s)) {
        return false;
    }
    Text out = {.arena = pr->t->arena}, call = {.arena = pr->t->arena};
    Printer part = *pr;
    part.t = &out;
    if (s->nout > 0 || s->out_list) {
        print_out(&part, s);
    } else {
        text_add(&out, "_py_none");
    }
    part.t = &call;
    print_value(&part, s, call_style_of(pr->p, path));
    python_form(pr, (PythonForm)form, out.v, call.v, path, depth);
    return true;
}

static void print_python_op(const Printer *pr, const Stmt *s, const char *path, int depth) {
    Text *t = pr->t;
    CallStyle call_styles = call_style_of(pr->p, path);
    if (s->op->id == OP_setitem) {
        text_printf(t, "%s[", print_name(pr, s->arg[0].tensor));
        print_index(pr, &s->arg[1]);
        text_add(t, "] = ");
        print_arg(pr, &s->arg[2], ARG_VALUE);
        return;
    }
    if (print_in_form(pr, s, path, depth)) {
        return;
    }
    bool binds = s->nout > 0 || s->out_list;
    const char *sign = python_operator(s->op);
    if (s->op->kind == KIND_INPLACE && call_styles == STYLE_operator && sign && is_binary(s) &&
        !s->out_list) {
        const char *self = print_name(pr, s->arg[0].tensor);
        text_printf(t, "%s %s ", self, sign);
        print_arg(pr, &s->arg[1], s->op->param[1].type);
        if (binds) {
            text_printf(t, "; %s = %s", print_name(pr, s->out[0]), self);
        }
        return;
    }
    if (binds) {
        print_out(pr, s);
        text_add(t, " = ");
    }
    print_value(pr, s, call_styles);
}

/* ---- blocks ---- */

void python_indent(const Printer *pr, int depth) {
    for (int i = 0; i < depth; i++) {
        text_add(pr->t, "    ");
    }
}

void python_parameters(const Printer *pr, const NameId *v, int n, bool trace) {
    text_add(pr->t, "(");
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, i ? ", %s" : "%s", print_name(pr, v[i]));
    }
    text_printf(pr->t, trace ? "%s_t)" : "%s)", trace && n > 0 ? ", " : "");
}

/* Unbinds the name of a gradient that is None (docs/reference/format.md). */
static void unbind_unused(const Printer *pr, const Stmt *s, const char *path, int depth) {
    for (int i = 0; i < s->nout; i++) {
        bool again = false; /* the same statement binds it again and unbinds it there */
        for (int k = i + 1; k < s->nout; k++) {
            again |= s->out[k] == s->out[i];
        }
        const char *name = print_name(pr, s->out[i]);
        if (!again) {
            python_indent(pr, depth);
            text_printf(pr->t, "if %s is None: del %s  # %s\n", name, name, path);
        }
    }
}

/* CPython refuses more than 20 nested `with` blocks (CO_MAXBLOCKS of Include/cpython/code.h).
 * Deeper ones set and restore the grad mode; after an error the outer blocks restore it. */
enum { DEEPEST_WITH = 16 };

static void open_grad_mode(const Printer *pr, const Stmt *s, int depth) {
    if (s->context == CONTEXT_autocast) {
        text_printf(pr->t,
                    "with torch.autocast(\"cpu\", dtype=torch.%s):", dtype_name(s->autocast));
        return;
    }
    const char *code;
    if (s->context != CONTEXT_grad_mode && !context_is_function(s->context, &code)) {
        text_printf(pr->t, "with %s:", code);
        return;
    }
    if (depth <= DEEPEST_WITH) {
        text_printf(pr->t, "with torch.%s():", s->grad_enabled ? "enable_grad" : "no_grad");
        return;
    }
    text_printf(pr->t, "_mode%d = torch.is_grad_enabled(); torch.set_grad_enabled(%s)\n", depth,
                s->grad_enabled ? "True" : "False");
    python_indent(pr, depth);
    text_add(pr->t, "if True:");
}

static void close_grad_mode(const Printer *pr, const Stmt *s, int depth) {
    if (depth > DEEPEST_WITH && s->context == CONTEXT_grad_mode) {
        python_indent(pr, depth);
        text_printf(pr->t, "torch.set_grad_enabled(_mode%d)\n", depth);
    }
}

/* The handle is a variable that is named after both: the function by its number. */
static void print_hook(const Printer *pr, const HookStmt *h) {
    const char *self = print_name(pr, h->self);
    text_printf(pr->t, "_hook%d_%s", h->function, self);
    if (h->remove) {
        text_add(pr->t, ".remove()");
    } else {
        text_printf(pr->t, " = %s.%s(_fn_%s)", self, program_hook_name(pr->p, h),
                    pr->p->names[pr->p->functions[h->function].name]);
    }
}

static void print_apply(const Printer *pr, const Stmt *s) {
    if (s->nout == 1) { /* the function returns a tensor, no tuple */
        text_add(pr->t, print_name(pr, s->out[0]));
    } else {
        print_out(pr, s);
    }
    text_printf(pr->t, " = _fn_%s.apply", pr->p->names[pr->p->functions[s->apply->function].name]);
    print_names(pr, s->apply->operands, s->apply->noperands);
}

void python_block(const Printer *pr, const Block *block, int depth) {
    Text *t = pr->t;
    if (!block->first) {
        python_indent(pr, depth);
        text_add(t, "pass\n");
    }
    for (const Stmt *s = block->first; s; s = s->next) {
        const char *path = s->sid < 0   ? ""
                           : pr->within ? pr->within
                                        : program_path(t->arena, pr->p, s->sid);
        if (s->kind == STMT_WITH && context_is_function(s->context, NULL)) {
            python_function_block(pr, s, path, depth);
            continue;
        }
        python_indent(pr, depth);
        switch (s->kind) {
        case STMT_OP:
            print_python_op(pr, s, path, depth);
            break;
        case STMT_WITH:
            open_grad_mode(pr, s, depth);
            break;
        case STMT_IF:
            text_add(t, "if ");
            print_predicate(pr, &s->predicate);
            text_add(t, ":");
            break;
        case STMT_ASSERT:
            text_add(t, "assert ");
            print_predicate(pr, &s->predicate);
            break;
        case STMT_PROBE:
            text_printf(t, "_t.append((\"%s\", \"%s\", ", path, probe_name(s->probe));
            print_probe(pr, s->probe, s->of);
            text_add(t, "))");
            break;
        case STMT_GRAD:
            if (!s->grad->accumulates) {
                print_out(pr, s);
            }
            text_add(t,
                     s->grad->accumulates ? "torch.autograd.backward" : " = torch.autograd.grad");
            print_grad_arguments(pr, s->grad);
            break;
        case STMT_GRAPH_BREAK:
            text_add(t, "torch._dynamo.graph_break() if hasattr(torch, \"_dynamo\") else None");
            break;
        case STMT_APPLY:
            print_apply(pr, s);
            break;
        case STMT_HOOK:
            print_hook(pr, s->hook);
            break;
        case STMT_DOT_GRAD:
            print_dot_grad(pr, s);
            break;
        case STMT_COUNT:
            break;
        }
        text_printf(t, s->sid < 0 ? "\n" : "  # %s\n", path);
        if ((s->kind == STMT_GRAD && s->grad->allow_unused) || s->kind == STMT_DOT_GRAD) {
            unbind_unused(pr, s, path, depth);
        }
        if (s->kind == STMT_WITH || s->kind == STMT_IF) {
            python_block(pr, &s->body, depth + 1);
        }
        if (s->kind == STMT_WITH) {
            close_grad_mode(pr, s, depth);
        }
        if (s->kind == STMT_IF && s->has_else) {
            python_indent(pr, depth);
            text_add(t, "else:\n");
            python_block(pr, &s->orelse, depth + 1);
        }
    }
}
