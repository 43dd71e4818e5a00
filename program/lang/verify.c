/* The invariants of a program that do not require running it. The parser checks them for every
 * file, and the generator, the mutators and the minimizer must preserve them.
 *
 * One walk; the first error wins and names its path in the notation of format.md. Errors that an
 * executor finds by running (unbound names, sizes that do not fit, a wrong number of `out` names)
 * are results and not checked here. */
#include "program/lang/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool verify_fail(ProgramVerifier *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, v->message_size, format, args);
    va_end(args);
    return false;
}

/* Reports an error about the current statement. */
bool verify_fail_stmt(ProgramVerifier *v, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (v->function) {
        return verify_fail(v, "functions[%d]: %s", (int)(v->function - v->p->functions), what);
    }
    return verify_fail(v, "%s: %s", program_path(v->p->arena, v->p, v->sid), what);
}

/* Reports an error about the current inputs or one of them: inputs[1], recalls[2].inputs,
 * recalls[2][0]. */
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
    return verify_fail(v, "%s%s", at, what);
}

bool verify_names(const ProgramVerifier *v, const NameId *names, int n, bool nulls) {
    for (int i = 0; i < n; i++) {
        if (!verify_name(v, names[i]) && !(nulls && names[i] == NAME_NONE)) {
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

/* Checks sizes and strides, and computes the extent of the input in its storage. */
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
    if (!verify_name(v, in->name) || (in->storage != NAME_NONE && !verify_name(v, in->storage))) {
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

/* Checks the program's inputs or those of the current recall. */
static bool verify_inputs(ProgramVerifier *v, const Input *inputs, int n) {
    int64_t extent[MAX_INPUTS] = {0}, bytes = 0; /* extents by storage leader */
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
        if (!verify_name(v, p->args[i]) ||
            (!verify_is_input(p, p->args[i]) && !block_binds(&p->setup, p->args[i]))) {
            return verify_fail(v, "args[%d]: neither an input nor a name that setup binds", i);
        }
        for (int j = 0; j < i; j++) {
            if (p->args[j] == p->args[i]) {
                return verify_fail(v, "args[%d]: \"%s\" stands twice", i, p->names[p->args[i]]);
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
        return verify_fail(v, "backward.fill: out of range");
    }
    for (int i = 0; i < b->nof; i++) {
        if (b->of[i] < 0 || b->of[i] >= v->p->nreturns) {
            return verify_fail(v, "backward.of[%d]: %d is no place in return, which has %d", i,
                               b->of[i], v->p->nreturns);
        }
        for (int j = 0; j < i; j++) {
            if (b->of[j] == b->of[i]) {
                return verify_fail(v, "backward.of[%d]: %d stands twice", i, b->of[i]);
            }
        }
    }
    return true;
}

/* A recall calls the same function, so its inputs are the same parameters in the same order. */
static bool verify_recall(ProgramVerifier *v, int k) {
    const Program *p = v->p;
    const Recall *r = &p->recalls[k];
    v->recall = k;
    v->input = -1;
    for (int i = 0; i < r->nset; i++) {
        if (!verify_name(v, r->set[i].name) ||
            (!verify_is_input(p, r->set[i].name) && !block_binds(&p->setup, r->set[i].name))) {
            return verify_fail(v, "recalls[%d].set: a name that is no argument", k);
        }
    }
    if (r->keep_grads && !r->keep) {
        return verify_fail(v, "recalls[%d]: keep_grads without keep", k);
    }
    if (r->keep) {
        return r->ninputs == 0 || verify_fail(v, "recalls[%d]: keep takes no inputs", k);
    }
    if (r->ninputs != p->ninputs) {
        return bad_input(v, ": %d inputs, but the function has %d", r->ninputs, p->ninputs);
    }
    for (int i = 0; i < r->ninputs; i++) {
        if (verify_name(v, r->inputs[i].name) && r->inputs[i].name != p->inputs[i].name) {
            return bad_input(v, "[%d].name: expected \"%s\", the function's parameter", i,
                             p->names[p->inputs[i].name]);
        }
    }
    return verify_inputs(v, r->inputs, r->ninputs);
}

static bool verify_choices(ProgramVerifier *v, const PathChoices *choices, int count,
                           const char *key) {
    for (int i = 0; i < choices->n; i++) {
        if (!path_valid(choices->v[i].path) || (unsigned)choices->v[i].choice >= (unsigned)count) {
            return verify_fail(v, "shell.%s: malformed", key);
        }
    }
    return true;
}

static bool verify_surface(ProgramVerifier *v) {
    const PythonSurface *s = v->p->surface;
    for (int i = 0; s && i < s->nbindings; i++) {
        if (!verify_name(v, s->bindings[i].name) ||
            (unsigned)s->bindings[i].binding >= BINDING_COUNT) {
            return verify_fail(v, "shell.roles: malformed");
        }
    }
    if (s && s->leave_given && (unsigned)s->leave >= LEAVE_COUNT) {
        return verify_fail(v, "shell.leave: malformed");
    }
    return !s || (verify_choices(v, &s->call_styles, STYLE_COUNT, "spelling") &&
                  verify_choices(v, &s->forms, FORM_COUNT, "forms"));
}

bool setting_valid(const char *name) {
    static const char WORD[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t n = strlen(name);
    if (n == 0 || n > 64) {
        return false;
    }
    for (const char *at = name;; at++) {
        size_t word = strspn(at, WORD);
        at += word;
        if (word == 0 || *at == '\0') {
            return word > 0;
        }
        if (*at != '.') {
            return false;
        }
    }
}

static bool verify_compile(ProgramVerifier *v) {
    const CompileSettings *c = v->p->compile;
    if (c && (c->nconfig < 0 || c->nconfig > MAX_SETTINGS)) {
        return verify_fail(v, "compile.config: %d pass the limit of %d", c->nconfig, MAX_SETTINGS);
    }
    for (int i = 0; c && i < c->nconfig; i++) {
        if (!setting_valid(c->config[i].name) || !c->config[i].value[0]) {
            return verify_fail(v, "compile.config: malformed");
        }
    }
    for (int i = 0; c && i < c->nmarks; i++) {
        if (!name_valid(c->marks[i].name) || c->marks[i].dims >> MAX_DIMS) {
            return verify_fail(v, "compile.mark_dynamic: malformed");
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
        return verify_fail(&v, "more than %d different names", MAX_NAMES);
    }
    for (int i = 0; i < p->nnames; i++) {
        if (!name_valid(p->names[i])) {
            return verify_fail(&v, "names: number %d is no name", i);
        }
    }
    if (!verify_inputs(&v, p->inputs, p->ninputs) || !verify_functions(&v) ||
        !verify_block(&v, &p->setup, 0) || !verify_block(&v, &p->body, 0) ||
        !verify_block(&v, &p->after, 0)) {
        return false;
    }
    if (v.stmts != p->nstmts) {
        return verify_fail(&v, "body: the statements are not numbered");
    }
    if (!verify_names(&v, p->returns, p->nreturns, false)) {
        return verify_fail(&v, "return: a name out of range");
    }
    if (p->nrecalls < 0 || p->nrecalls > MAX_RECALLS) {
        return verify_fail(&v, "recalls: %d pass the limit of %d", p->nrecalls, MAX_RECALLS);
    }
    if (!verify_args(&v) || !verify_backward(&v)) {
        return false;
    }
    for (int k = 0; k < p->nrecalls; k++) {
        if (!verify_recall(&v, k)) {
            return false;
        }
    }
    return verify_surface(&v) && verify_compile(&v);
}

bool program_verify(const Program *p, char *message, size_t message_size) {
    return program_verify_within(p, &LIMITS_DEFAULT, message, message_size);
}
