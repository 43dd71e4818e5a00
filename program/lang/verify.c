/* The invariants of a program that need no running: what the parser checks of every file, and what
 * the generator, the mutators and the minimizer must keep.
 *
 * One walk, first complaint wins; it says where, in the paths of format.md. What an executor finds
 * out by running (unbound names, sizes that do not fit, a wrong count of `out` names) is a result
 * and no business of this file. */
#include "program/lang/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct ProgramVerifier {
    const Program *p;
    const Limits *limits;
    char *message;
    size_t message_size;
    int sid;           /* of the statement looked at */
    int stmts;         /* seen so far */
    int recall, input; /* looked at; -1: none, the program's own inputs */
} ProgramVerifier;

static bool bad(ProgramVerifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool bad(ProgramVerifier *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, v->message_size, format, args);
    va_end(args);
    return false;
}

/* About the statement looked at. */
static bool bad_stmt(ProgramVerifier *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool bad_stmt(ProgramVerifier *v, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return bad(v, "%s: %s", program_path(v->p->arena, v->p, v->sid), what);
}

/* About the inputs looked at, or one of them: inputs[1], recalls[2].inputs, recalls[2][0]. */
static bool bad_input(ProgramVerifier *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool bad_input(ProgramVerifier *v, const char *format, ...) {
    char what[200], at[96];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    int n = v->recall < 0 ? snprintf(at, sizeof at, "inputs")
                          : snprintf(at, sizeof at, "recalls[%d]%s", v->recall,
                                     v->p->recalls[v->recall].object_form ? ".inputs" : "");
    if (v->input >= 0) {
        snprintf(at + n, sizeof at - (size_t)n, "[%d]", v->input);
    }
    return bad(v, "%s%s", at, what);
}

static bool name_ok(const ProgramVerifier *v, NameId name) {
    return name >= 0 && name < v->p->nnames;
}

static bool names_ok(const ProgramVerifier *v, const NameId *names, int n, bool nulls) {
    for (int i = 0; i < n; i++) {
        if (!name_ok(v, names[i]) && !(nulls && names[i] == NAME_NONE)) {
            return false;
        }
    }
    return true;
}

/* ---- inputs ---- */

static int verify_storage_leader(const Input *inputs, int i) {
    int leader = 0;
    while (leader < i &&
           (inputs[i].storage == NAME_NONE || inputs[leader].storage != inputs[i].storage)) {
        leader++;
    }
    return leader;
}

/* Sizes and strides in themselves; sets the input's extent in its storage. */
static bool verify_geometry(ProgramVerifier *v, const Input *in, int64_t *extent) {
    int64_t most = v->limits->max_elements, numel;
    if (in->ndim < 0 || in->ndim > MAX_DIMS) {
        return bad_input(v, ".size: %d dimensions pass the limit of %d", in->ndim, MAX_DIMS);
    }
    for (int d = 0; d < in->ndim; d++) {
        if (in->size[d] < 0 || in->stride[d] < 0) {
            return bad_input(v, ".%s: a negative number", in->size[d] < 0 ? "size" : "stride");
        }
    }
    if (!sizes_numel(in->size, in->ndim, &numel) || numel > most) {
        return bad_input(v, ".size: the tensor passes the limit of %lld elements", (long long)most);
    }
    Tensor t = {.dtype = in->dtype, .ndim = in->ndim, .offset = in->offset};
    memcpy(t.size, in->size, sizeof t.size);
    memcpy(t.stride, in->stride, sizeof t.stride);
    if (in->offset < 0) {
        return bad_input(v, ".storage_offset: a negative number");
    }
    if (!tensor_extent(&t, extent) || *extent > most) {
        return bad_input(v, ": its storage passes the limit of %lld elements", (long long)most);
    }
    return true;
}

static bool verify_input(ProgramVerifier *v, const Input *inputs, int i) {
    const Input *in = &inputs[i];
    if (!name_ok(v, in->name) || (in->storage != NAME_NONE && !name_ok(v, in->storage))) {
        return bad_input(v, ": a name out of range");
    }
    if ((unsigned)in->dtype >= DT_COUNT ||
        (in->data.is_fill && (unsigned)in->data.fill >= FILL_COUNT)) {
        return bad_input(v, ": a dtype or fill out of range");
    }
    for (int j = 0; j < i; j++) {
        if (inputs[j].name == in->name) {
            return bad_input(v, ".name: another input has the name \"%s\"", v->p->names[in->name]);
        }
    }
    if (in->requires_grad && !dtype_is_float(in->dtype)) {
        return bad_input(v, ".requires_grad: %s is not a floating dtype", dtype_name(in->dtype));
    }
    int leader = verify_storage_leader(inputs, i);
    if (leader != i && inputs[leader].dtype != in->dtype) {
        return bad_input(v, ".dtype: the storage \"%s\" holds %s", v->p->names[in->storage],
                         dtype_name(inputs[leader].dtype));
    }
    if (leader != i && in->data.given) {
        return bad_input(v, ".data: only the first input on the storage \"%s\" carries its data",
                         v->p->names[in->storage]);
    }
    return true;
}

/* The program's, or those of the recall looked at. */
static bool verify_inputs(ProgramVerifier *v, const Input *inputs, int n) {
    int64_t extent[MAX_INPUTS] = {0}, bytes = 0; /* extent: by leader */
    v->input = -1;
    if (n < 0 || n > MAX_INPUTS) {
        return bad_input(v, ": %d inputs pass the limit of %d", n, MAX_INPUTS);
    }
    for (int i = 0; i < n; i++) {
        int64_t far = 0;
        v->input = i;
        if (!verify_input(v, inputs, i) || !verify_geometry(v, &inputs[i], &far)) {
            return false;
        }
        int leader = verify_storage_leader(inputs, i);
        bytes += far > extent[leader] ? (far - extent[leader]) * dtype_bytes(inputs[i].dtype) : 0;
        extent[leader] = max_i64(extent[leader], far);
        if (bytes > v->limits->max_bytes) {
            return bad_input(v, ": the inputs pass the limit of %lld bytes",
                             (long long)v->limits->max_bytes);
        }
    }
    for (int i = 0; i < n; i++) {
        const InputData *data = &inputs[i].data;
        v->input = i;
        if (verify_storage_leader(inputs, i) != i) {
            continue;
        }
        if (!data->given && extent[i] > 0) {
            return bad_input(v, ": the key \"data\" is missing");
        }
        if (data->given && !data->is_fill && data->numel != extent[i]) {
            return bad_input(v, ".data: %lld elements were given, the storage has %lld",
                             (long long)data->numel, (long long)extent[i]);
        }
    }
    return true;
}

/* ---- statements ---- */

static bool pint_ok(const ProgramVerifier *v, const PInt *i) {
    return i->size_of == NAME_NONE || name_ok(v, i->size_of);
}

static bool index_ok(const ProgramVerifier *v, const PIndexItem *item) {
    switch (item->kind) {
    case INDEX_INT:
    case INDEX_BOOL:
        return pint_ok(v, &item->start);
    case INDEX_SLICE:
        return (!item->has_start || pint_ok(v, &item->start)) &&
               (!item->has_stop || pint_ok(v, &item->stop)) &&
               (!item->has_step || pint_ok(v, &item->step));
    case INDEX_TENSOR:
        return name_ok(v, item->tensor);
    case INDEX_LIST:
        return item->count >= 0 && (item->list || item->count == 0);
    case INDEX_NEWAXIS:
    case INDEX_ELLIPSIS:
        return true;
    }
    return false;
}

static bool ints_ok(const ProgramVerifier *v, const Param *param, const PArg *a) {
    int n = a->ints.single ? 1 : a->ints.n;
    bool ok = n >= 0 && (!a->ints.single || param->list_size > 0);
    for (int i = 0; i < n && ok; i++) {
        ok = pint_ok(v, &a->ints.v[i]);
    }
    return ok;
}

static bool arg_ok(const ProgramVerifier *v, const Param *param, const PArg *a) {
    if (!a->given) {
        return param->has_default;
    }
    bool optional = param->type == ARG_TENSOR_OPT || param->type == ARG_SCALAR_OPT ||
                    param->type == ARG_INT_OPT || param->type == ARG_INTS_OPT ||
                    param->type == ARG_FLOAT_OPT || param->type == ARG_DTYPE_OPT ||
                    param->type == ARG_STR_OPT;
    if (a->is_none) {
        return optional;
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        return name_ok(v, a->tensor);
    case ARG_TENSORS:
        return a->tensors.n >= 0 && names_ok(v, a->tensors.v, a->tensors.n, false);
    case ARG_TENSORS_OPT:
        return a->tensors.n >= 0 && names_ok(v, a->tensors.v, a->tensors.n, true);
    case ARG_VALUE:
        return a->is_tensor ? name_ok(v, a->tensor) : (unsigned)a->scalar.kind <= CAT_FLOAT;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return (unsigned)a->scalar.kind <= CAT_FLOAT;
    case ARG_INT:
    case ARG_INT_OPT:
        return pint_ok(v, &a->i);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return ints_ok(v, param, a);
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return (unsigned)a->dtype < DT_COUNT;
    case ARG_STR:
    case ARG_STR_OPT:
        return a->str != NULL;
    case ARG_DATA:
        return a->data.n >= 0 && (a->data.data || a->data.n == 0);
    case ARG_INDEX:
        for (int i = 0; i < a->index.n; i++) {
            if (!index_ok(v, &a->index.v[i])) {
                return false;
            }
        }
        return a->index.n >= 0;
    case ARG_BOOL:
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        return true;
    }
    return false;
}

/* A tensor literal: as many elements as its size says. */
static bool literal_ok(const Stmt *s) {
    const PArg *data = &s->arg[op_param(s->op, "data")], *size = &s->arg[op_param(s->op, "size")];
    int64_t numel = 1;
    for (int i = 0; i < size->ints.n; i++) {
        const PInt *d = &size->ints.v[i];
        if (d->size_of != NAME_NONE || d->value < 0 || !checked_mul(numel, d->value, &numel)) {
            return false;
        }
    }
    return numel == data->data.n;
}

static bool verify_lang_op(ProgramVerifier *v, const Stmt *s) {
    if (!s->op || s->op->name[0] == '_') {
        return bad_stmt(v, "no op that a program can name");
    }
    bool writes = false;
    for (int i = 0; i < s->op->nparam; i++) {
        writes |= s->op->param[i].writes;
        if (!arg_ok(v, &s->op->param[i], &s->arg[i])) {
            return bad_stmt(v, "the argument \"%s\" of %s is malformed", s->op->param[i].name,
                            s->op->name);
        }
    }
    if (s->op->id == OP_tensor && !literal_ok(s)) {
        return bad_stmt(v, "the literal's data does not fill its size");
    }
    if ((s->requires_grad || s->requires_grad_given) && s->op->kind != KIND_FACTORY) {
        return bad_stmt(v, "only a factory takes requires_grad");
    }
    if (s->nout < 0 || (s->nout > 1 && !s->out_list) || !names_ok(v, s->out, s->nout, false)) {
        return bad_stmt(v, "out is malformed");
    }
    return s->nout > 0 || s->out_list || writes ||
           bad_stmt(v, "only an in-place op can do without out");
}

static bool verify_predicate(ProgramVerifier *v, const Predicate *p) {
    for (int depth = 0; p->kind == PRED_not; depth++) {
        if (depth == MAX_NESTING || !p->inner) {
            return bad_stmt(v, "a predicate nested deeper than %d, or cut off", MAX_NESTING);
        }
        p = p->inner;
    }
    bool known =
        (unsigned)p->kind < PRED_not && (p->kind != PRED_dtype || (unsigned)p->dtype < DT_COUNT);
    return (known && (p->kind == PRED_is_grad_enabled || name_ok(v, p->of))) ||
           bad_stmt(v, "the predicate is malformed");
}

static bool verify_grad(ProgramVerifier *v, const GradStmt *g, const Stmt *s) {
    bool ok =
        g && g->noutputs >= 0 && g->ninputs >= 0 && g->ngrad_outputs >= -1 && s->out_list &&
        names_ok(v, g->outputs, g->noutputs, false) && names_ok(v, g->inputs, g->ninputs, false) &&
        names_ok(v, g->grad_outputs, g->ngrad_outputs, true) && names_ok(v, s->out, s->nout, false);
    return ok || bad_stmt(v, "the grad statement is malformed");
}

static bool verify_block(ProgramVerifier *v, const Block *block, int depth);

static bool verify_stmt(ProgramVerifier *v, const Stmt *s, int depth) {
    switch (s->kind) {
    case STMT_OP:
        return verify_lang_op(v, s);
    case STMT_WITH:
        return verify_block(v, &s->body, depth + 1);
    case STMT_IF:
        if (!s->has_else && s->orelse.first) {
            return bad_stmt(v, "an else that is not there has statements");
        }
        return verify_predicate(v, &s->predicate) && verify_block(v, &s->body, depth + 1) &&
               verify_block(v, &s->orelse, depth + 1);
    case STMT_ASSERT:
        return verify_predicate(v, &s->predicate);
    case STMT_PROBE:
        return ((unsigned)s->probe < PROBE_COUNT &&
                (s->probe == PROBE_is_grad_enabled || name_ok(v, s->of))) ||
               bad_stmt(v, "the probe is malformed");
    case STMT_GRAD:
        return verify_grad(v, s->grad, s);
    case STMT_GRAPH_BREAK:
        return true;
    }
    return bad_stmt(v, "a statement of no kind");
}

static bool verify_block(ProgramVerifier *v, const Block *block, int depth) {
    int n = 0;
    if (depth > MAX_NESTING) {
        return bad_stmt(v, "nested deeper than %d", MAX_NESTING);
    }
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->sid != v->stmts++ || s->sid >= v->p->nstmts) {
            return bad(v, "the statements are not numbered");
        }
        if (v->stmts > v->limits->max_statements) {
            return bad(v, "body: more than %lld statements", (long long)v->limits->max_statements);
        }
        n++;
        v->sid = s->sid;
        if (!verify_stmt(v, s, depth)) {
            return false;
        }
    }
    return n == block->count || bad(v, "a block of %d statements says %d", n, block->count);
}

/* ---- calls ---- */

static bool block_binds(const Block *block, NameId name) {
    for (const Stmt *s = block->first; s; s = s->next) {
        for (int i = 0; i < s->nout; i++) {
            if (s->out[i] == name) {
                return true;
            }
        }
        if (block_binds(&s->body, name) || block_binds(&s->orelse, name)) {
            return true;
        }
    }
    return false;
}

static bool verify_is_input(const Program *p, NameId name) {
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].name == name) {
            return true;
        }
    }
    return false;
}

static bool verify_args(ProgramVerifier *v) {
    const Program *p = v->p;
    for (int i = 0; i < p->nargs; i++) {
        if (!name_ok(v, p->args[i]) ||
            (!verify_is_input(p, p->args[i]) && !block_binds(&p->setup, p->args[i]))) {
            return bad(v, "args[%d]: neither an input nor a name that setup binds", i);
        }
        for (int j = 0; j < i; j++) {
            if (p->args[j] == p->args[i]) {
                return bad(v, "args[%d]: \"%s\" stands twice", i, p->names[p->args[i]]);
            }
        }
    }
    return true;
}

static bool verify_backward(ProgramVerifier *v) {
    const Backward *b = &v->p->backward;
    if (!b->given) {
        return true;
    }
    if ((unsigned)b->fill >= FILL_COUNT) {
        return bad(v, "backward.fill: out of range");
    }
    for (int i = 0; i < b->nof; i++) {
        if (b->of[i] < 0 || b->of[i] >= v->p->nreturns) {
            return bad(v, "backward.of[%d]: %d is no place in return, which has %d", i, b->of[i],
                       v->p->nreturns);
        }
        for (int j = 0; j < i; j++) {
            if (b->of[j] == b->of[i]) {
                return bad(v, "backward.of[%d]: %d stands twice", i, b->of[i]);
            }
        }
    }
    return true;
}

/* A recall calls the same function: the same parameters, in order. */
static bool verify_recall(ProgramVerifier *v, int k) {
    const Program *p = v->p;
    const Recall *r = &p->recalls[k];
    v->recall = k;
    v->input = -1;
    for (int i = 0; i < r->nset; i++) {
        if (!name_ok(v, r->set[i].name) ||
            (!verify_is_input(p, r->set[i].name) && !block_binds(&p->setup, r->set[i].name))) {
            return bad(v, "recalls[%d].set: a name that is no argument", k);
        }
    }
    if (r->keep) {
        return r->ninputs == 0 || bad(v, "recalls[%d]: keep takes no inputs", k);
    }
    if (r->ninputs != p->ninputs) {
        return bad_input(v, ": %d inputs, but the function has %d", r->ninputs, p->ninputs);
    }
    for (int i = 0; i < r->ninputs; i++) {
        if (name_ok(v, r->inputs[i].name) && r->inputs[i].name != p->inputs[i].name) {
            return bad_input(v, "[%d].name: expected \"%s\", the function's parameter", i,
                             p->names[p->inputs[i].name]);
        }
    }
    return verify_inputs(v, r->inputs, r->ninputs);
}

static bool verify_surface(ProgramVerifier *v) {
    const PythonSurface *s = v->p->surface;
    for (int i = 0; s && i < s->nbindings; i++) {
        if (!name_ok(v, s->bindings[i].name) || (unsigned)s->bindings[i].binding >= BINDING_COUNT) {
            return bad(v, "shell.roles: malformed");
        }
    }
    for (int i = 0; s && i < s->ncall_styles; i++) {
        if (!path_valid(s->call_styles[i].path) ||
            (unsigned)s->call_styles[i].call_styles >= STYLE_COUNT) {
            return bad(v, "shell.spelling: malformed");
        }
    }
    return true;
}

bool program_verify_within(const Program *p, const Limits *limits, char *message,
                           size_t message_size) {
    ProgramVerifier v = {.p = p,
                         .recall = -1,
                         .input = -1,
                         .limits = limits,
                         .message = message,
                         .message_size = message_size};
    if (p->nnames > MAX_NAMES) {
        return bad(&v, "more than %d different names", MAX_NAMES);
    }
    for (int i = 0; i < p->nnames; i++) {
        if (!name_valid(p->names[i])) {
            return bad(&v, "names: number %d is no name", i);
        }
    }
    if (!verify_inputs(&v, p->inputs, p->ninputs) || !verify_block(&v, &p->setup, 0) ||
        !verify_block(&v, &p->body, 0)) {
        return false;
    }
    if (v.stmts != p->nstmts) {
        return bad(&v, "body: the statements are not numbered");
    }
    if (!names_ok(&v, p->returns, p->nreturns, false)) {
        return bad(&v, "return: a name out of range");
    }
    if (p->nrecalls < 0 || p->nrecalls > MAX_RECALLS) {
        return bad(&v, "recalls: %d pass the limit of %d", p->nrecalls, MAX_RECALLS);
    }
    if (!verify_args(&v) || !verify_backward(&v)) {
        return false;
    }
    for (int k = 0; k < p->nrecalls; k++) {
        if (!verify_recall(&v, k)) {
            return false;
        }
    }
    return verify_surface(&v);
}

bool program_verify(const Program *p, char *message, size_t message_size) {
    return program_verify_within(p, &LIMITS_DEFAULT, message, message_size);
}
