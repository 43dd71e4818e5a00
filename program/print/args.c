/* Arguments in Python syntax. A float is printed with a point or an exponent, so that 1 and 1.0
 * stay distinct. Numbers are printed by our own code and names come from the list of names only, so
 * no text of a program can become code. */
#include "program/print/args.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *print_name(const Printer *pr, NameId name) {
    return name == NAME_NONE ? "None" : pr->names[name];
}

void print_dtype(const Printer *pr, DType dtype) {
    text_printf(pr->t, pr->python ? "torch.%s" : "%s", dtype_name(dtype));
}

static void print_float(const Printer *pr, double f) {
    if (!isfinite(f)) {
        const char *word = isnan(f) ? "nan" : f > 0 ? "inf" : "-inf";
        text_printf(pr->t, pr->python ? "float('%s')" : "%s", word);
        return;
    }
    char digits[40];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, f);
        double back;
        if (sscanf(digits, "%lf", &back) == 1 && back == f) {
            break;
        }
    }
    text_add(pr->t, digits);
    if (!strpbrk(digits, ".e")) {
        text_add(pr->t, ".0");
    }
}

static void print_scalar(const Printer *pr, Scalar s) {
    if (s.kind == CAT_FLOAT) {
        print_float(pr, s.f);
    } else if (s.kind == CAT_BOOL) {
        text_add(pr->t, s.i ? "True" : "False");
    } else {
        text_printf(pr->t, "%" PRId64, s.i);
    }
}

static void print_int(const Printer *pr, const PInt *i) {
    if (i->size_of == NAME_NONE) {
        text_printf(pr->t, "%" PRId64, i->value);
    } else {
        text_printf(pr->t, "%s.size(%" PRId64 ")", print_name(pr, i->size_of), i->value);
    }
}

static void print_item(const Printer *pr, const PIndexItem *item) {
    switch (item->kind) {
    case INDEX_INT:
        print_int(pr, &item->start);
        break;
    case INDEX_BOOL:
        text_add(pr->t, item->start.value ? "True" : "False");
        break;
    case INDEX_NEWAXIS:
        text_add(pr->t, "None");
        break;
    case INDEX_ELLIPSIS:
        text_add(pr->t, "...");
        break;
    case INDEX_TENSOR:
        text_add(pr->t, print_name(pr, item->tensor));
        break;
    case INDEX_LIST:
        text_add(pr->t, "[");
        for (int i = 0; i < item->count; i++) {
            text_printf(pr->t, i ? ", %" PRId64 : "%" PRId64, item->list[i]);
        }
        text_add(pr->t, "]");
        break;
    case INDEX_SLICE:
        if (item->has_start) {
            print_int(pr, &item->start);
        }
        text_add(pr->t, ":");
        if (item->has_stop) {
            print_int(pr, &item->stop);
        }
        if (item->has_step) {
            text_add(pr->t, ":");
            print_int(pr, &item->step);
        }
        break;
    }
}

void print_index(const Printer *pr, const PArg *arg) {
    if (arg->index.n == 0) {
        text_add(pr->t, "()");
    }
    for (int i = 0; i < arg->index.n; i++) {
        text_add(pr->t, i ? ", " : "");
        print_item(pr, &arg->index.v[i]);
    }
    if (arg->index.n == 1 && arg->index.v[0].kind == INDEX_LIST) {
        text_add(pr->t, ","); /* x[[0, 1],]: a tuple with one list, whatever the list holds */
    }
}

void print_elements(const Printer *pr, const void *data, int64_t n, DType dtype) {
    text_add(pr->t, "[");
    for (int64_t i = 0; i < n; i++) {
        text_add(pr->t, i ? ", " : "");
        if (dtype == DT_bool) {
            text_add(pr->t, element_int(data, dtype, i) ? "True" : "False");
        } else if (dtype_is_float(dtype)) {
            print_float(pr, element_double(data, dtype, i));
        } else {
            text_printf(pr->t, "%" PRId64, element_int(data, dtype, i));
        }
    }
    text_add(pr->t, "]");
}

void print_arg(const Printer *pr, const PArg *arg, ArgType type) {
    if (arg->is_none) {
        text_add(pr->t, "None");
        return;
    }
    switch (type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        text_add(pr->t, print_name(pr, arg->tensor));
        break;
    case ARG_VALUE:
        if (arg->is_tensor) {
            text_add(pr->t, print_name(pr, arg->tensor));
        } else {
            print_scalar(pr, arg->scalar);
        }
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        text_add(pr->t, "[");
        for (int i = 0; i < arg->tensors.n; i++) {
            text_printf(pr->t, i ? ", %s" : "%s", print_name(pr, arg->tensors.v[i]));
        }
        text_add(pr->t, "]");
        break;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        print_scalar(pr, arg->scalar);
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        print_int(pr, &arg->i);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        if (arg->ints.single) {
            print_int(pr, &arg->ints.v[0]);
            break;
        }
        text_add(pr->t, "[");
        for (int i = 0; i < arg->ints.n; i++) {
            text_add(pr->t, i ? ", " : "");
            print_int(pr, &arg->ints.v[i]);
        }
        text_add(pr->t, "]");
        break;
    case ARG_BOOL:
        text_add(pr->t, arg->b ? "True" : "False");
        break;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        print_float(pr, arg->f);
        break;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        print_dtype(pr, arg->dtype);
        break;
    case ARG_STR:
    case ARG_STR_OPT: /* words (rounding_mode, ..) and equations; any other string is not printed */
        text_printf(
            pr->t, "'%.*s'",
            (int)strspn(arg->str,
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ,.->"),
            arg->str);
        break;
    case ARG_INDEX:
        text_add(pr->t, "[");
        print_index(pr, arg);
        text_add(pr->t, "]");
        break;
    case ARG_DATA:
        break; /* print_elements: needs the dtype */
    }
}

void print_predicate(const Printer *pr, const Predicate *q) {
    const char *name = predicate_names(q->kind) ? print_name(pr, q->of) : "";
    switch (q->kind) {
    case PRED_requires_grad:
        text_printf(pr->t, "%s.requires_grad", name);
        break;
    case PRED_is_leaf:
        text_printf(pr->t, "%s.is_leaf", name);
        break;
    case PRED_has_grad_fn:
        text_printf(pr->t, "%s.grad_fn is not None", name);
        break;
    case PRED_is_contiguous:
        text_printf(pr->t, "%s.is_contiguous()", name);
        break;
    case PRED_is_grad_enabled:
        text_add(pr->t, "torch.is_grad_enabled()");
        break;
    case PRED_dtype:
        text_printf(pr->t, "%s.dtype == ", name);
        print_dtype(pr, q->dtype);
        break;
    case PRED_dim:
        text_printf(pr->t, "%s.dim() == %" PRId64, name, q->dim);
        break;
    case PRED_needs_input_grad:
        text_printf(pr->t, "ctx.needs_input_grad[%" PRId64 "]", q->dim);
        break;
    case PRED_is_none:
        text_printf(pr->t, "%s is None", name);
        break;
    case PRED_COUNT:
        break;
    case PRED_not:
        text_add(pr->t, "not (");
        print_predicate(pr, q->inner);
        text_add(pr->t, ")");
        break;
    }
}

void print_probe(const Printer *pr, ProbeKind probe, NameId of) {
    const char *name = probe == PROBE_is_grad_enabled ? "torch" : print_name(pr, of);
    static const char *const spelled[PROBE_COUNT] = {
        [PROBE_requires_grad] = "%s.requires_grad",
        [PROBE_is_leaf] = "%s.is_leaf",
        [PROBE_has_grad_fn] = "%s.grad_fn is not None",
        [PROBE_is_contiguous] = "%s.is_contiguous()",
        [PROBE_size] = "list(%s.size())",
        [PROBE_stride] = "list(%s.stride())",
        [PROBE_storage_offset] = "%s.storage_offset()",
        [PROBE_dtype] = "%s.dtype",
        [PROBE_version] = "%s._version",
        [PROBE_is_grad_enabled] = "%s.is_grad_enabled()",
    };
    const char *hole = strstr(spelled[probe], "%s");
    text_addn(pr->t, spelled[probe], hole - spelled[probe]);
    text_add(pr->t, name);
    text_add(pr->t, hole + 2);
}

void print_names(const Printer *pr, const NameId *v, int n) {
    text_add(pr->t, "(");
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, i ? ", %s" : "%s", v[i] == NAME_NONE ? "None" : print_name(pr, v[i]));
    }
    text_add(pr->t, ")");
}

void print_arguments(const Printer *pr, const Stmt *s, int first, bool keywords) {
    text_add(pr->t, "(");
    int n = 0;
    for (int i = first; i < s->op->nparam; i++) {
        const Param *param = &s->op->param[i];
        if (!s->arg[i].given || (i == 0 && s->op->out_dtype != OUT_NOT)) {
            continue;
        }
        text_add(pr->t, n++ ? ", " : "");
        bool is_word = param_is(param, "from"); /* of Python, and the first one after self */
        if (!is_word && (keywords || param->has_default || param->kwonly)) {
            text_printf(pr->t, "%s=", param->name);
        }
        if (param->type == ARG_DATA) {
            int dtype = op_param(s->op, "dtype");
            print_elements(pr, s->arg[i].data.data, s->arg[i].data.n,
                           dtype >= 0 ? s->arg[dtype].dtype : DT_float32);
        } else {
            print_arg(pr, &s->arg[i], param->type);
        }
    }
    if (s->op->out_dtype != OUT_NOT) {
        text_printf(pr->t, ", out=%s", print_name(pr, s->arg[0].tensor));
    }
    if (s->requires_grad_given) {
        text_printf(pr->t, "%srequires_grad=%s", n ? ", " : "",
                    s->requires_grad ? "True" : "False");
    }
    text_add(pr->t, ")");
}

void print_out(const Printer *pr, const Stmt *s) {
    if (!s->out_list) {
        text_add(pr->t, print_name(pr, s->out[0]));
        return;
    }
    text_add(pr->t, s->nout == 1 ? "(" : s->nout == 0 ? "[]" : "");
    for (int i = 0; i < s->nout; i++) {
        text_printf(pr->t, i ? ", %s" : "%s", print_name(pr, s->out[i]));
    }
    text_add(pr->t, s->nout == 1 ? ",)" : "");
}

static void print_arg_names(const Printer *pr, const NameId *v, int n) {
    text_add(pr->t, "[");
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, i ? ", %s" : "%s", print_name(pr, v[i]));
    }
    text_add(pr->t, "]");
}

void print_dot_grad(const Printer *pr, const Stmt *s) {
    const DotGradStmt *d = s->dot_grad;
    if (d->set) {
        text_printf(pr->t, "%s.grad = %s", print_name(pr, d->self),
                    d->value == NAME_NONE ? "None" : print_name(pr, d->value));
    } else {
        text_printf(pr->t, "%s = ", print_name(pr, s->out[0]));
        text_printf(pr->t, "%s.grad", print_name(pr, d->self));
    }
}

void print_grad_arguments(const Printer *pr, const GradStmt *g) {
    text_add(pr->t, "(");
    print_arg_names(pr, g->outputs, g->noutputs);
    if (!g->accumulates) {
        text_add(pr->t, ", ");
        print_arg_names(pr, g->inputs, g->ninputs);
    }
    if (g->ngrad_outputs >= 0) {
        text_add(pr->t, g->accumulates ? ", grad_tensors=" : ", grad_outputs=");
        print_arg_names(pr, g->grad_outputs, g->ngrad_outputs);
    }
    if (g->retain_given) {
        text_printf(pr->t, ", retain_graph=%s", g->retain_graph ? "True" : "False");
    }
    text_printf(pr->t, "%s%s)", g->create_graph ? ", create_graph=True" : "",
                g->allow_unused ? ", allow_unused=True" : "");
}
