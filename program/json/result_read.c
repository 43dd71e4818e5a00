/* Reads a result from JSON: the `expect` of a program, or the answer of a target. The text is as
 * untrusted as a program.
 *
 * Inputs are read before returns, because the `alias` of a return names an input. An input's data
 * has the dtype that the program gives the input. */
#include "program/json/result_reader.h"

#include <stdio.h>
#include <string.h>

static bool find_name(const Program *p, const char *text, NameId *out) {
    for (*out = 0; *out < p->nnames; (*out)++) {
        if (strcmp(p->names[*out], text) == 0) {
            return true;
        }
    }
    return false;
}

bool result_read_at(ResultReader *c, const Json *j, int *out) {
    *out = AT_UNKNOWN;
    if (j->kind == JSON_NULL) {
        return true;
    }
    if (!json_want(c->r, j, JSON_STRING, "a statement's path, \"return\", \"backward\" or null")) {
        return false;
    }
    bool is_return = strcmp(j->text, "return") == 0, is_backward = strcmp(j->text, "backward") == 0;
    *out = is_return ? AT_RETURN : is_backward ? AT_BACKWARD : program_find(c->p, j->text);
    return is_return || is_backward || *out >= 0 ||
           json_bad(c->r, j, "the program has no statement there");
}

/* Optional members: true if absent. */
static bool read_flag(ResultReader *c, const Json *object, const char *key, bool *has, bool *out) {
    const Json *j = json_get(object, key);
    *has = j != NULL;
    return !j || json_read_bool(c->r, j, out);
}

static bool read_int64(ResultReader *c, const Json *object, const char *key, bool *has,
                       int64_t *out) {
    const Json *j = json_get(object, key);
    *has = j != NULL;
    return !j || json_read_int(c->r, j, out);
}

static bool read_sizes(ResultReader *c, const Json *j, int64_t *v, int *n) {
    if (!json_want(c->r, j, JSON_ARRAY, "an array of integers")) {
        return false;
    }
    if (!json_limit(c->r, j, MAX_DIMS, "dimensions")) {
        return false;
    }
    *n = j->count;
    for (const Json *e = json_items(c->r, j); e; e = e->next) {
        if (!json_read_int_in(c->r, e, 0, (int64_t)1 << 53, &v[e->index])) {
            return false;
        }
    }
    return true;
}

/* "size" and "data" of an object into values whose dtype is set. */
static bool read_values(ResultReader *c, const Json *object, Values *out) {
    const Json *size = json_need(c->r, object, "size"), *data = json_get(object, "data");
    if (!size || !read_sizes(c, size, out->size, &out->ndim)) {
        return false;
    }
    if (!sizes_numel(out->size, out->ndim, &out->numel)) {
        return json_bad(c->r, size, "too many elements");
    }
    int64_t n = 0;
    if (!data) {
        return true;
    }
    return json_read_data(c->r, data, out->dtype, true, &out->data, &n) &&
           (n == out->numel || json_bad(c->r, data, "%lld elements for a size of %lld",
                                        (long long)n, (long long)out->numel));
}

/* "input:NAME", "arg:NAME" or "return:K", perhaps behind "grad:". */
static bool is_grad_owner(const ResultReader *c, const char *text) {
    NameId name;
    int64_t k;
    text += strncmp(text, "grad:", 5) == 0 ? 5 : 0;
    size_t named = strncmp(text, "input:", 6) == 0 ? 6 : strncmp(text, "arg:", 4) == 0 ? 4 : 0;
    return named ? find_name(c->p, text + named, &name)
                 : strncmp(text, "return:", 7) == 0 && json_decimal(text + 7, &k) && k >= 0 &&
                       k < c->p->nreturns;
}

static bool read_grad_facts(ResultReader *c, const Json *j, GradFacts *out) {
    const Json *alias = json_get(j, "alias");
    out->has_alias = alias != NULL;
    if (alias && alias->kind != JSON_NULL) {
        if (!json_want(c->r, alias, JSON_STRING, "a string or null")) {
            return false;
        }
        if (!is_grad_owner(c, alias->text)) {
            return json_bad(
                c->r, alias,
                "none of \"input:NAME\", \"arg:NAME\" and \"return:K\", nor \"grad:\" and one");
        }
        out->alias = alias->text;
    }
    return read_flag(c, j, "requires_grad", &out->has_requires_grad, &out->requires_grad);
}

static bool read_json_result_grad(ResultReader *c, const Json *object, DType dtype,
                                  GradState *state, Values *out, GradFacts *facts) {
    static const char *const keys[] = {"size", "data", "requires_grad", "alias", NULL};
    const Json *j = json_get(object, "grad");
    out->dtype = dtype;
    *state = !j ? GRAD_ABSENT : j->kind == JSON_NULL ? GRAD_NULL : GRAD_VALUE;
    return *state != GRAD_VALUE || (json_keys(c->r, j, keys, NULL) && read_values(c, j, out) &&
                                    read_grad_facts(c, j, facts));
}

/* ---- trace ---- */

static bool read_trace_value(ResultReader *c, const Json *j, TraceEntry *t) {
    bool b;
    DType dtype;
    t->n = 1;
    switch (t->probe) {
    case PROBE_size:
    case PROBE_stride:
        return read_sizes(c, j, t->v, &t->n);
    case PROBE_storage_offset:
    case PROBE_version:
        return json_read_int(c->r, j, &t->v[0]);
    case PROBE_dtype:
        if (!json_read_dtype(c->r, j, &dtype)) {
            return false;
        }
        t->v[0] = dtype;
        return true;
    default:
        if (!json_read_bool(c->r, j, &b)) {
            return false;
        }
        t->v[0] = b;
        return true;
    }
}

bool result_read_trace(ResultReader *c, const Json *j, TraceEntry *t) {
    static const char *const keys[] = {"at", "probe", "value", NULL};
    if (!json_keys(c->r, j, keys, NULL)) {
        return false;
    }
    const Json *at = json_need(c->r, j, "at");
    const Json *probe = at ? json_need(c->r, j, "probe") : NULL;
    const Json *value = probe ? json_need(c->r, j, "value") : NULL;
    if (!value || !result_read_at(c, at, &t->sid) ||
        !json_want(c->r, probe, JSON_STRING, "a probe's name")) {
        return false;
    }
    return (probe_parse(probe->text, &t->probe) || json_bad(c->r, probe, "unknown probe")) &&
           read_trace_value(c, value, t);
}

/* ---- returns and inputs ---- */

static bool read_json_alias(ResultReader *c, const Json *j, const CallResult *call, int index,
                            ReturnRecord *out) {
    out->has_alias = true;
    if (j->kind == JSON_NULL) {
        return true;
    }
    if (!json_want(c->r, j, JSON_STRING, "\"input:NAME\", \"return:K\" or null")) {
        return false;
    }
    for (int i = 0; i < call->ninputs && strncmp(j->text, "input:", 6) == 0; i++) {
        if (strcmp(c->p->names[call->inputs[i].name], j->text + 6) == 0) {
            out->alias = ALIAS_INPUT;
            out->alias_index = i;
            return true;
        }
    }
    int64_t k;
    if (strncmp(j->text, "return:", 7) == 0 && json_decimal(j->text + 7, &k) && k >= 0 &&
        k < index) {
        out->alias = ALIAS_RETURN;
        out->alias_index = (int)k;
        return true;
    }
    return json_bad(
        c->r, j, "neither \"input:NAME\" of an input here nor \"return:K\" of an earlier return");
}

bool result_read_return(ResultReader *c, const Json *j, const CallResult *call, ReturnRecord *out,
                        GradFacts *facts) {
    static const char *const keys[] = {"dtype",         "size",    "stride", "storage_offset",
                                       "requires_grad", "is_leaf", "alias",  "data",
                                       "grad",          NULL};
    if (!json_keys(c->r, j, keys, NULL)) {
        return false;
    }
    const Json *dtype = json_need(c->r, j, "dtype");
    if (!dtype || !json_read_dtype(c->r, dtype, &out->values.dtype) ||
        !read_values(c, j, &out->values)) {
        return false;
    }
    const Json *stride = json_get(j, "stride"), *alias = json_get(j, "alias");
    int n = 0;
    out->has_stride = stride != NULL;
    if (stride && !read_sizes(c, stride, out->stride, &n)) {
        return false;
    }
    if (stride && n != out->values.ndim) {
        return json_bad(c->r, stride, "%d strides for %d dimensions", n, out->values.ndim);
    }
    return read_int64(c, j, "storage_offset", &out->has_offset, &out->storage_offset) &&
           read_flag(c, j, "requires_grad", &out->has_requires_grad, &out->requires_grad) &&
           read_flag(c, j, "is_leaf", &out->has_is_leaf, &out->is_leaf) &&
           (!alias || read_json_alias(c, alias, call, j->index, out)) &&
           read_json_result_grad(c, j, out->values.dtype, &out->grad_state, &out->grad, facts);
}

/* The dtype of an input's data: the program's, else the one in x-dtype, else one that holds the
 * data. */
static bool input_dtype(ResultReader *c, const Json *j, NameId name, DType *out) {
    int n;
    bool grad_mode;
    const Input *inputs = program_call_inputs(c->p, c->call, &n, &grad_mode);
    const Json *stated = json_get(j, "x-dtype"), *data = json_get(j, "data");
    if (stated) {
        return json_read_dtype(c->r, stated, out);
    }
    for (int i = 0; i < n; i++) {
        if (inputs[i].name == name) {
            *out = inputs[i].dtype;
            return true;
        }
    }
    int at = 1;
    char buffer[JSON_SCALAR];
    bool is_bool =
        data && data->kind == JSON_ARRAY && data->count > 0 &&
        (data->child ? data->child->kind : json_element(data, 0, &at, buffer).kind) == JSON_BOOL;
    *out = is_bool ? DT_bool : DT_float64;
    return true;
}

static bool read_input_geometry(ResultReader *c, const Json *j, InputRecord *out) {
    const Json *size = json_get(j, "size"), *stride = json_get(j, "stride");
    bool has_offset;
    int n = 0;
    if ((size && !read_sizes(c, size, out->size, &out->ndim)) ||
        (stride && !read_sizes(c, stride, out->stride, &n)) ||
        !read_int64(c, j, "storage_offset", &has_offset, &out->storage_offset)) {
        return false;
    }
    out->has_geometry = size && stride && has_offset;
    return !out->has_geometry || n == out->ndim ||
           json_bad(c->r, stride, "%d strides for %d dimensions", n, out->ndim);
}

bool result_read_input(ResultReader *c, const Json *j, InputRecord *out, GradFacts *facts) {
    static const char *const keys[] = {"name",   "requires_grad",  "is_leaf", "version", "size",
                                       "stride", "storage_offset", "data",    "grad",    NULL};
    if (!json_keys(c->r, j, keys, NULL)) {
        return false;
    }
    const Json *name = json_need(c->r, j, "name"), *data = json_get(j, "data"),
               *unsettled = json_get(j, "x-unsettled");
    if (!name || !json_want(c->r, name, JSON_STRING, "a name")) {
        return false;
    }
    if (!find_name(c->p, name->text, &out->name)) {
        return json_bad(c->r, name, "the program has no such name");
    }
    if (!input_dtype(c, j, out->name, &out->data.dtype)) {
        return false;
    }
    if (data) {
        out->data.ndim = 1;
        if (!json_read_data(c->r, data, out->data.dtype, true, &out->data.data, &out->data.numel)) {
            return false;
        }
        out->data.size[0] = out->data.numel;
    }
    return (!unsettled || json_read_bool(c->r, unsettled, &out->unsettled)) &&
           read_flag(c, j, "requires_grad", &out->has_requires_grad, &out->requires_grad) &&
           read_flag(c, j, "is_leaf", &out->has_is_leaf, &out->is_leaf) &&
           read_int64(c, j, "version", &out->has_version, &out->version) &&
           read_input_geometry(c, j, out) &&
           read_json_result_grad(c, j, out->data.dtype, &out->grad_state, &out->grad, facts);
}

/* ---- the result ---- */

static bool read_undefined(ResultReader *c, const Json *j, Result *out) {
    static const char *const keys[] = {"at", "why", NULL};
    if (!json_want(c->r, j, JSON_ARRAY, "an array")) {
        return false;
    }
    out->nundefined = j->count;
    out->undefined = arena_array(c->r->arena, UndefinedNote, j->count);
    for (const Json *e = json_items(c->r, j); e; e = e->next) {
        if (!json_keys(c->r, e, keys, NULL)) {
            return false;
        }
        const Json *at = json_need(c->r, e, "at");
        const Json *why = at ? json_need(c->r, e, "why") : NULL;
        if (!why || !result_read_at(c, at, &out->undefined[e->index].at) ||
            !json_want(c->r, why, JSON_STRING, "a string")) {
            return false;
        }
        out->undefined[e->index].why = why->text;
    }
    return true;
}

Result *json_read_result(Reader *r, const Json *root, const Program *p) {
    static const char *const keys[] = {"twingrad_result", "target", "semantics", "calls", NULL};
    ResultReader c = {r, p, 0};
    Result *out = arena_new(r->arena, Result);
    if (!json_keys(r, root, keys, NULL)) {
        return NULL;
    }
    const Json *version = json_need(r, root, "twingrad_result");
    const Json *calls = version ? json_need(r, root, "calls") : NULL;
    const Json *target = json_get(root, "target"), *undefined = json_get(root, "x-undefined");
    int64_t number;
    if (!calls || !json_read_int_in(r, version, 1, 1, &number) ||
        !json_want(r, calls, JSON_ARRAY, "an array of calls") ||
        (target && !json_want(r, target, JSON_STRING, "a string")) ||
        !json_read_semantics(r, json_get(root, "semantics"), &out->semantics)) {
        return NULL;
    }
    out->target = target ? target->text : NULL;
    if (calls->count > p->nrecalls + 1) {
        json_bad(r, calls, "%d calls, but the program has %d", calls->count, p->nrecalls + 1);
        return NULL;
    }
    out->ncalls = calls->count;
    out->calls = arena_array(r->arena, CallResult, calls->count);
    for (const Json *e = json_items(r, calls); e; e = e->next) {
        c.call = e->index;
        if (!result_read_call(&c, e, &out->calls[e->index])) {
            return NULL;
        }
    }
    out->extra = json_extra(r, root, "x-undefined");
    return !undefined || read_undefined(&c, undefined, out) ? out : NULL;
}

ParseStatus result_parse(Arena *arena, const char *text, size_t length, const Program *p,
                         Result **out, char *message, size_t message_size) {
    CHECK(message_size > 0);
    message[0] = '\0';
    *out = NULL;
    Reader r = {.arena = arena,
                .names = {.arena = arena},
                .fold = true,
                .message = message,
                .message_size = message_size};
    const Json *root = json_parse(&r, text, length);
    *out = root ? json_read_result(&r, root, p) : NULL;
    return *out ? PARSE_OK : PARSE_BAD;
}
