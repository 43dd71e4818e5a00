/* Reads argument values: names, dtypes, fills, integers that may be sizes, lists, Python index
 * items, literal data.
 *
 * An argument is read in two steps. json_arg_fits checks only the JSON kind, which selects the
 * overload. json_read_arg then reads the value and reports errors in detail. */
#include "program/json/tree.h"

#include <string.h>

bool json_read_name(Reader *r, const Json *j, NameId *out) {
    *out = NAME_NONE;
    if (!json_want(r, j, JSON_STRING, "a name")) {
        return false;
    }
    if (!name_valid(j->text)) {
        return json_bad(r, j, "not a name: names match [A-Za-z_][A-Za-z0-9_]{0,63}");
    }
    *out = names_intern(&r->names, j->text);
    return *out != NAME_NONE || json_bad(r, j, "more than %d different names", MAX_NAMES);
}

bool json_read_names(Reader *r, const Json *j, bool nulls, NameId **out, int *n) {
    if (!json_want(r, j, JSON_ARRAY, "an array of names") ||
        !json_limit(r, j, JSON_MAX_LIST, "names")) {
        return false;
    }
    NameId *v = arena_array(r->arena, NameId, j->count);
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (nulls && e->kind == JSON_NULL) {
            v[e->index] = NAME_NONE;
        } else if (!json_read_name(r, e, &v[e->index])) {
            return false;
        }
    }
    *out = v;
    *n = j->count;
    return true;
}

bool json_read_dtype(Reader *r, const Json *j, DType *out) {
    if (!json_want(r, j, JSON_STRING, "a dtype's name")) {
        return false;
    }
    return dtype_parse(j->text, out) || json_bad(r, j, "unknown dtype");
}

bool json_read_fill(Reader *r, const Json *j, const char *const *allowed, FillKind *fill,
                    uint64_t *seed, const char **extra) {
    if (!json_keys(r, j, allowed, extra)) {
        return false;
    }
    const Json *kind = json_need(r, j, "fill");
    if (!kind || !json_want(r, kind, JSON_STRING, "a fill's name")) {
        return false;
    }
    if (!fill_parse(kind->text, fill)) {
        return json_bad(r, kind,
                        "unknown fill: zeros, ones, arange, dyadic, uniform, special or decimal");
    }
    bool drawn = *fill != FILL_zeros && *fill != FILL_ones && *fill != FILL_arange;
    const Json *s = drawn ? json_need(r, j, "seed") : json_get(j, "seed");
    *seed = 0;
    return (!drawn && !s) || (s && json_read_seed(r, s, seed));
}

/* ---- integers that may be a size ---- */

static bool fits_pint(const Json *j) {
    return j->kind == JSON_NUMBER || json_is_wrapped(j, "size_of") || json_is_wrapped(j, "int");
}

static bool read_json_pint(Reader *r, const Json *j, PInt *out) {
    *out = (PInt){NAME_NONE, 0};
    if (!json_is_wrapped(j, "size_of")) {
        return json_read_wide_int(r, j, &out->value);
    }
    const Json *pair = j->child;
    if (pair->kind != JSON_ARRAY || pair->count != 2) {
        return json_bad(r, pair, "expected [NAME, DIM]");
    }
    return json_read_name(r, pair->child, &out->size_of) &&
           json_read_int(r, pair->child->next, &out->value);
}

static bool read_pints(Reader *r, const Json *j, PArg *out) {
    bool single = j->kind != JSON_ARRAY;
    if (!single && !json_limit(r, j, JSON_MAX_LIST, "entries")) {
        return false;
    }
    int n = single ? 1 : j->count;
    PInt *v = arena_array(r->arena, PInt, n);
    const Json *e = single ? j : json_items(r, j);
    for (int i = 0; i < n; i++, e = e->next) {
        if (!read_json_pint(r, e, &v[i])) {
            return false;
        }
    }
    out->ints.v = v;
    out->ints.n = n;
    out->ints.single = single;
    return true;
}

/* ---- Python indexing ---- */

static bool read_slice_bound(Reader *r, const Json *j, bool *has, PInt *out) {
    *has = j->kind != JSON_NULL;
    return !*has || read_json_pint(r, j, out);
}

static bool read_list_item(Reader *r, const Json *j, PIndexItem *out) {
    if (!json_want(r, j, JSON_ARRAY, "an array of integers") ||
        !json_limit(r, j, JSON_MAX_LIST, "entries")) {
        return false;
    }
    int64_t *v = arena_array(r->arena, int64_t, j->count);
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!json_read_wide_int(r, e, &v[e->index])) {
            return false;
        }
    }
    out->kind = INDEX_LIST;
    out->list = v;
    out->count = j->count;
    return true;
}

static bool read_index_item(Reader *r, const Json *j, PIndexItem *out) {
    *out = (PIndexItem){.start = {NAME_NONE, 0},
                        .stop = {NAME_NONE, 0},
                        .step = {NAME_NONE, 0},
                        .tensor = NAME_NONE};
    switch (j->kind) {
    case JSON_NULL:
        out->kind = INDEX_NEWAXIS;
        return true;
    case JSON_BOOL:
        out->kind = INDEX_BOOL;
        out->start.value = j->boolean;
        return true;
    case JSON_STRING:
        out->kind = strcmp(j->text, "...") == 0 ? INDEX_ELLIPSIS : INDEX_TENSOR;
        return out->kind == INDEX_ELLIPSIS || json_read_name(r, j, &out->tensor);
    case JSON_ARRAY:
        out->kind = INDEX_SLICE;
        if (j->count != 3) {
            return json_bad(r, j, "a slice is [start, stop, step], with null for what is left out");
        }
        return read_slice_bound(r, j->child, &out->has_start, &out->start) &&
               read_slice_bound(r, j->child->next, &out->has_stop, &out->stop) &&
               read_slice_bound(r, j->child->next->next, &out->has_step, &out->step);
    case JSON_NUMBER:
    case JSON_OBJECT:
        break;
    }
    if (json_is_wrapped(j, "list")) {
        return read_list_item(r, j->child, out);
    }
    if (!fits_pint(j)) {
        return json_bad(r, j,
                        "expected an index item: an integer, [start, stop, step], null, \"...\", a "
                        "boolean, a name or {\"list\": [..]}");
    }
    out->kind = INDEX_INT;
    return read_json_pint(r, j, &out->start);
}

static bool read_index(Reader *r, const Json *j, PArg *out) {
    if (!json_limit(r, j, JSON_MAX_LIST, "index items")) {
        return false;
    }
    PIndexItem *v = arena_array(r->arena, PIndexItem, j->count);
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!read_index_item(r, e, &v[e->index])) {
            return false;
        }
    }
    out->index.v = v;
    out->index.n = j->count;
    return true;
}

/* ---- arguments by type ---- */

static bool type_is_optional(ArgType type) {
    return type == ARG_TENSOR_OPT || type == ARG_SCALAR_OPT || type == ARG_INT_OPT ||
           type == ARG_INTS_OPT || type == ARG_FLOAT_OPT || type == ARG_DTYPE_OPT ||
           type == ARG_STR_OPT;
}

static bool fits_scalar(const Json *j) {
    return j->kind == JSON_NUMBER || j->kind == JSON_BOOL || json_is_wrapped(j, "float") ||
           json_is_wrapped(j, "int");
}

bool json_arg_fits(const Param *param, const Json *j) {
    if (j->kind == JSON_NULL) {
        return type_is_optional(param->type);
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
    case ARG_STR:
    case ARG_STR_OPT:
        return j->kind == JSON_STRING;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return fits_scalar(j);
    case ARG_VALUE:
        return j->kind == JSON_STRING || fits_scalar(j);
    case ARG_INT:
    case ARG_INT_OPT:
        return fits_pint(j);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return j->kind == JSON_ARRAY || (param->list_size > 0 && fits_pint(j));
    case ARG_BOOL:
        return j->kind == JSON_BOOL;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        return j->kind == JSON_NUMBER || json_is_wrapped(j, "float");
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
    case ARG_INDEX:
        return j->kind == JSON_ARRAY;
    case ARG_DATA:
        return j->kind == JSON_ARRAY || j->kind == JSON_OBJECT;
    }
    return false;
}

const char *json_arg_expected(const Param *param) {
    switch (param->type) {
    case ARG_TENSOR:
        return "a tensor's name";
    case ARG_TENSOR_OPT:
        return "a tensor's name or null";
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return "an array of tensors' names";
    case ARG_SCALAR:
        return "a number or a boolean";
    case ARG_SCALAR_OPT:
        return "a number, a boolean or null";
    case ARG_INT:
        return "an integer";
    case ARG_INT_OPT:
        return "an integer or null";
    case ARG_INTS:
        return param->list_size > 0 ? "an integer or an array of integers" : "an array of integers";
    case ARG_INTS_OPT:
        return "an integer, an array of integers or null";
    case ARG_BOOL:
        return "true or false";
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        return "a number";
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return "a dtype's name";
    case ARG_STR:
    case ARG_STR_OPT:
        return "a string";
    case ARG_INDEX:
        return "an array of index items";
    case ARG_VALUE:
        return "a tensor's name, a number or a boolean";
    case ARG_DATA:
        return "an array of elements";
    }
    return "another value";
}

bool json_read_arg(Reader *r, const Param *param, const Json *j, PArg *out) {
    out->given = true;
    if (j->kind == JSON_NULL) {
        out->is_none = true;
        return true;
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        out->is_tensor = true;
        return json_read_name(r, j, &out->tensor);
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        out->is_tensor = true;
        return json_read_names(r, j, param->type == ARG_TENSORS_OPT, &out->tensors.v,
                               &out->tensors.n);
    case ARG_VALUE:
        out->is_tensor = j->kind == JSON_STRING;
        return out->is_tensor ? json_read_name(r, j, &out->tensor)
                              : json_read_scalar(r, j, &out->scalar);
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return json_read_scalar(r, j, &out->scalar);
    case ARG_INT:
    case ARG_INT_OPT:
        return read_json_pint(r, j, &out->i);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return read_pints(r, j, out);
    case ARG_BOOL:
        return json_read_bool(r, j, &out->b);
    case ARG_FLOAT:
    case ARG_FLOAT_OPT: {
        Scalar s;
        if (!json_read_scalar(r, j, &s)) {
            return false;
        }
        out->f = scalar_to_double(s);
        return true;
    }
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return json_read_dtype(r, j, &out->dtype);
    case ARG_STR:
    case ARG_STR_OPT:
        out->str = j->text;
        return true;
    case ARG_INDEX:
        return read_index(r, j, out);
    case ARG_DATA:
        return true; /* json_read_literal reads it once the dtype is known */
    }
    return true;
}

bool json_read_literal(Reader *r, const Json *j, DType dtype, const PArg *size, PArg *out) {
    int64_t want = 1;
    for (int i = 0; i < size->ints.n; i++) {
        const PInt *d = &size->ints.v[i];
        if (d->size_of != NAME_NONE || d->value < 0 || !checked_mul(want, d->value, &want)) {
            return json_bad(r, j, "a literal needs a size of non-negative integers");
        }
    }
    if (j->kind == JSON_OBJECT) {
        static const char *const allowed[] = {"fill", "seed", NULL};
        FillKind fill;
        uint64_t seed;
        if (!json_read_fill(r, j, allowed, &fill, &seed, NULL)) {
            return false;
        }
        if (want > 65536) {
            return json_bad(r, j, "a fill in a literal takes at most 65536 elements");
        }
        out->data.n = want;
        out->data.data = arena_alloc(r->arena, want * dtype_bytes(dtype));
        fill_buffer(out->data.data, dtype, want, fill, seed);
        return true;
    }
    if (!json_read_data(r, j, dtype, false, &out->data.data, &out->data.n)) {
        return false;
    }
    return out->data.n == want || json_bad(r, j, "%lld elements were given for a size of %lld",
                                           (long long)out->data.n, (long long)want);
}
