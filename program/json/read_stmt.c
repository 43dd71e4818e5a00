/* Reads statements: the kind, the overload, and the arguments.
 *
 * An overload is a candidate if it has a parameter for every argument given and every required
 * parameter is given. The first candidate whose parameters accept the JSON kinds of the values is
 * chosen. If none fits, the error names the narrowest cause: a key that no overload has, a value
 * that no overload accepts, an argument that all overloads require. A list of ATen overloads that
 * the op table lacks is searched first: a program that uses one of those is well-formed but
 * unsupported. */
#include "program/json/tree.h"

#include <string.h>

/* ---- overloads ---- */

/* Overloads that ATen has and the table lacks, recognized by one argument: its name and, if that is
 * ambiguous, its JSON kind. */
typedef enum Sign { SIGN_NAME, SIGN_NUMBER, SIGN_STRING, SIGN_ARRAY } Sign;
static const struct {
    const char *op, *arg;
    Sign sign;
    const char *overload;
} missing_overloads[] = {
    {"split", "split_size", SIGN_ARRAY, "split.sizes"},
    {"squeeze", "dim", SIGN_ARRAY, "squeeze.dims"},
    {"round", "decimals", SIGN_NAME, "round.decimals"},
    {"round_", "decimals", SIGN_NAME, "round_.decimals"},
    {"remainder", "self", SIGN_NUMBER, "remainder.Scalar_Tensor"},
    {"to", "other", SIGN_NAME, "to.other"},
    {"tensor_split", "tensor_indices_or_sections", SIGN_NAME,
     "tensor_split.tensor_indices_or_sections"},
};

static const char *foreign_overload(const char *op, const Json *stmt) {
    for (int k = 0; k < COUNT_OF(missing_overloads); k++) {
        const Json *arg = strcmp(missing_overloads[k].op, op) == 0
                              ? json_get(stmt, missing_overloads[k].arg)
                              : NULL;
        if (!arg) {
            continue;
        }
        bool number = arg->kind == JSON_NUMBER || json_is_wrapped(arg, "int") ||
                      json_is_wrapped(arg, "float") || json_is_wrapped(arg, "size_of");
        bool fits = missing_overloads[k].sign == SIGN_NAME ||
                    (missing_overloads[k].sign == SIGN_NUMBER && number) ||
                    (missing_overloads[k].sign == SIGN_STRING && arg->kind == JSON_STRING) ||
                    (missing_overloads[k].sign == SIGN_ARRAY && arg->kind == JSON_ARRAY);
        if (fits) {
            return missing_overloads[k].overload;
        }
    }
    return NULL;
}

/* Keys of an op statement that are not arguments of the schema. */
static bool is_stmt_key(const OpInfo *op, const char *key) {
    return strcmp(key, "op") == 0 || strcmp(key, "out") == 0 || strncmp(key, "x-", 2) == 0 ||
           (op->kind == KIND_FACTORY && strcmp(key, "requires_grad") == 0);
}

static bool names_match(const OpInfo *op, const Json *stmt) {
    for (const Json *a = stmt->child; a; a = a->next) {
        if (!is_stmt_key(op, a->key) && op_find_param(op, a->key) < 0) {
            return false;
        }
    }
    for (int i = 0; i < op->nparam; i++) {
        if (!op->param[i].has_default && !json_get(stmt, op->param[i].name)) {
            return false;
        }
    }
    return true;
}

static bool kinds_match(const OpInfo *op, const Json *stmt) {
    for (int i = 0; i < op->nparam; i++) {
        const Json *a = json_get(stmt, op->param[i].name);
        if (a && !json_arg_fits(&op->param[i], a)) {
            return false;
        }
    }
    return true;
}

/* Reports why no overload fits. */
static bool bad_overload(Reader *r, const Json *stmt, const OpInfo *first, int n) {
    for (const Json *a = stmt->child; a; a = a->next) {
        const Param *param = NULL;
        bool known = false, fits = false;
        const char *expected[2] = {NULL, NULL}; /* what the overloads expect */
        for (int k = 0; k < n; k++) {
            int at = op_find_param(&first[k], a->key);
            known |= at >= 0 || is_stmt_key(&first[k], a->key);
            if (at >= 0) {
                param = &first[k].param[at];
                fits |= json_arg_fits(param, a);
                const char *want = json_arg_expected(param);
                int slot = !expected[0] || strcmp(expected[0], want) == 0 ? 0 : 1;
                expected[slot] = want;
            }
        }
        if (!known) {
            return json_bad(r, a, "unknown argument of %s", first->name);
        }
        if (param && !fits) {
            return json_bad(r, a, "expected %s%s%s, found %s", expected[0],
                            expected[1] ? " or " : "", expected[1] ? expected[1] : "",
                            json_kind_name(a));
        }
    }
    for (int i = 0; i < first->nparam; i++) {
        const char *name = first->param[i].name;
        bool needed = !json_get(stmt, name);
        for (int k = 0; k < n; k++) {
            int at = op_find_param(&first[k], name);
            needed &= at >= 0 && !first[k].param[at].has_default;
        }
        if (needed) {
            return json_bad(r, stmt, "the argument \"%s\" of %s is missing", name, first->name);
        }
    }
    return json_bad(r, stmt, "no overload of %s takes these arguments together", first->name);
}

/* The op that the statement means; NULL after an error, or, with *unknown, if the table lacks
 * it. */
static const OpInfo *read_stmt_choose_op(Reader *r, const Json *stmt, const char *name,
                                         bool *unknown) {
    const OpInfo *first = NULL;
    int n = op_name_is_internal(name) ? 0 : op_overloads(name, &first);
    const char *other = n > 0 ? foreign_overload(name, stmt) : name;
    *unknown = other != NULL;
    if (other) {
        return NULL;
    }
    for (int k = 0; k < n; k++) {
        if (names_match(&first[k], stmt) && kinds_match(&first[k], stmt)) {
            return &first[k];
        }
    }
    bad_overload(r, stmt, first, n);
    return NULL;
}

/* ---- op statements ---- */

static bool read_out(Reader *r, const Json *j, Stmt *s) {
    if (j->kind == JSON_ARRAY) {
        s->out_list = true;
        return json_read_names(r, j, false, &s->out, &s->nout);
    }
    if (!json_want(r, j, JSON_STRING, "a name or an array of names")) {
        return false;
    }
    s->out = arena_array(r->arena, NameId, 1);
    s->nout = 1;
    return json_read_name(r, j, s->out);
}

/* Checks the value of an unknown op's argument: any value that the format has is accepted. */
static bool check_unknown_op_value(Reader *r, const Json *j) {
    if (j->kind == JSON_OBJECT && strncmp(j->key ? j->key : "", "x-", 2) != 0) {
        static const char *const wrappers[] = {"float", "int", "size_of", "list", "fill"};
        bool known = false;
        for (int k = 0; k < COUNT_OF(wrappers); k++) {
            known |= json_get(j, wrappers[k]) != NULL;
        }
        return known || json_bad(r, j, "not a value of the format");
    }
    for (const Json *c = j->kind == JSON_ARRAY ? json_items(r, j) : NULL; c; c = c->next) {
        if (!check_unknown_op_value(r, c)) {
            return false;
        }
    }
    return true;
}

static bool read_unknown_op(Reader *r, const Json *j, const char *name, Stmt *s) {
    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.") !=
            strlen(name) ||
        !*name || strlen(name) > 64) {
        return json_bad(r, json_get(j, "op"), "not the name of an op");
    }
    for (const Json *a = j->child; a; a = a->next) {
        if (!check_unknown_op_value(r, a)) {
            return false;
        }
    }
    const Json *out = json_get(j, "out");
    if (!r->unknown_op) {
        const OpInfo *first;
        const char *other = op_overloads(name, &first) > 0 && !op_name_is_internal(name)
                                ? foreign_overload(name, j)
                                : NULL;
        r->unknown_op =
            arena_printf(r->arena, "%s.op: the %s %s is not in the op table", json_path(r, j),
                         other ? "overload" : "op", other ? other : name);
    }
    s->kind = STMT_GRAPH_BREAK; /* a placeholder: the program is not returned */
    return !out || read_out(r, out, s);
}

static bool writes_self(const OpInfo *op) {
    for (int i = 0; i < op->nparam; i++) {
        if (op->param[i].writes) {
            return true;
        }
    }
    return false;
}

/* A tensor literal: its data is read in its stated dtype. */
static bool read_literal_stmt(Reader *r, const Json *j, Stmt *s) {
    int data = op_param(s->op, "data"), size = op_param(s->op, "size"),
        dtype = op_param(s->op, "dtype");
    return json_read_literal(r, json_get(j, "data"), s->arg[dtype].dtype, &s->arg[size],
                             &s->arg[data]);
}

static bool read_json_op(Reader *r, const Json *j, const char *name, Stmt *s) {
    bool unknown;
    const OpInfo *op = read_stmt_choose_op(r, j, name, &unknown);
    if (!op) {
        return unknown && read_unknown_op(r, j, name, s);
    }
    s->op = op;
    s->arg = arena_array(r->arena, PArg, op->nparam);
    for (int i = 0; i < op->nparam; i++) {
        const Json *a = json_get(j, op->param[i].name);
        if (a && !json_read_arg(r, &op->param[i], a, &s->arg[i])) {
            return false;
        }
    }
    if ((op->random && !json_needs_format(r, j, 2, op->name)) ||
        (op->id == OP_tensor && !read_literal_stmt(r, j, s))) {
        return false;
    }
    const Json *requires_grad = op->kind == KIND_FACTORY ? json_get(j, "requires_grad") : NULL;
    if (requires_grad) {
        s->requires_grad_given = true;
        if (!json_read_bool(r, requires_grad, &s->requires_grad)) {
            return false;
        }
    }
    const Json *out = json_get(j, "out");
    if (!out && !writes_self(op)) {
        return json_bad(r, j, "the key \"out\" is missing: only an in-place op can do without");
    }
    return !out || read_out(r, out, s);
}

static bool read_optional_bool(Reader *r, const Json *object, const char *key, bool *given,
                               bool *out) {
    const Json *j = json_get(object, key);
    if (given) {
        *given = j != NULL;
    }
    return !j || json_read_bool(r, j, out);
}

/* {"op": "grad"}: a statement kind, not an op. */
static bool read_json_grad(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"op",           "outputs",      "inputs",
                                       "grad_outputs", "create_graph", "retain_graph",
                                       "allow_unused", "out",          NULL};
    GradStmt *g = arena_new(r->arena, GradStmt);
    s->kind = STMT_GRAD;
    s->grad = g;
    g->ngrad_outputs = -1;
    if (!json_keys(r, j, keys, &s->extra)) {
        return false;
    }
    const Json *outputs = json_need(r, j, "outputs");
    const Json *inputs = outputs ? json_need(r, j, "inputs") : NULL;
    const Json *out = inputs ? json_need(r, j, "out") : NULL;
    const Json *grad_outputs = json_get(j, "grad_outputs");
    if (!out || !json_want(r, out, JSON_ARRAY, "an array of names")) {
        return false;
    }
    return json_read_names(r, outputs, false, &g->outputs, &g->noutputs) &&
           json_read_names(r, inputs, false, &g->inputs, &g->ninputs) &&
           (!grad_outputs ||
            json_read_names(r, grad_outputs, true, &g->grad_outputs, &g->ngrad_outputs)) &&
           read_optional_bool(r, j, "create_graph", NULL, &g->create_graph) &&
           read_optional_bool(r, j, "retain_graph", &g->retain_given, &g->retain_graph) &&
           read_optional_bool(r, j, "allow_unused", NULL, &g->allow_unused) && read_out(r, out, s);
}

/* ---- predicates ---- */

static bool read_json_pair(Reader *r, const Json *j, NameId *name, const Json **second,
                           const char *expected) {
    if (j->kind != JSON_ARRAY || j->count != 2) {
        return json_bad(r, j, "expected %s", expected);
    }
    *second = j->child->next;
    return json_read_name(r, j->child, name);
}

/* `depth`: number of enclosing `not`s. */
static bool read_predicate(Reader *r, const Json *j, Predicate *out, int depth) {
    *out = (Predicate){.of = NAME_NONE};
    if (!json_want(r, j, JSON_OBJECT, "a predicate")) {
        return false;
    }
    int kind = 0;
    while (j->count == 1 && json_predicate_names[kind] &&
           strcmp(json_predicate_names[kind], j->child->key) != 0) {
        kind++;
    }
    if (j->count != 1 || !json_predicate_names[kind] || (kind > PRED_not && !r->in_function)) {
        return json_bad(r, j,
                        "expected one predicate: requires_grad, is_leaf, has_grad_fn, "
                        "is_contiguous, is_grad_enabled, dtype, dim or not%s",
                        r->in_function ? ", needs_input_grad, is_none" : "");
    }
    out->kind = (PredicateKind)kind;
    const Json *value = j->child, *second = NULL;
    switch (out->kind) {
    case PRED_requires_grad:
    case PRED_is_leaf:
    case PRED_has_grad_fn:
    case PRED_is_contiguous:
    case PRED_is_none:
        return json_read_name(r, value, &out->of);
    case PRED_is_grad_enabled:
        return (value->kind == JSON_BOOL && value->boolean) || json_bad(r, value, "expected true");
    case PRED_dtype:
        return read_json_pair(r, value, &out->of, &second, "[NAME, DTYPE]") &&
               json_read_dtype(r, second, &out->dtype);
    case PRED_dim:
        return read_json_pair(r, value, &out->of, &second, "[NAME, N]") &&
               json_read_int(r, second, &out->dim);
    case PRED_needs_input_grad:
        return json_read_int_in(r, value, 0, MAX_FUNCTION_NAMES - 1, &out->dim);
    case PRED_not:
    case PRED_COUNT:
        break;
    }
    if (depth == MAX_NESTING) {
        return json_bad(r, value, "nested deeper than %d", MAX_NESTING);
    }
    out->inner = arena_new(r->arena, Predicate);
    return read_predicate(r, value, out->inner, depth + 1);
}

/* ---- the other statements ---- */

static bool read_autocast(Reader *r, const Json *j, Stmt *s) {
    const Json *dtype = json_need(r, j, "dtype");
    if (!dtype || !json_want(r, dtype, JSON_STRING, "\"bfloat16\" or \"float16\"")) {
        return false;
    }
    s->autocast = strcmp(dtype->text, "float16") == 0 ? DT_float16 : DT_bfloat16;
    return s->autocast == DT_float16 || strcmp(dtype->text, "bfloat16") == 0 ||
           json_bad(r, dtype, "expected \"bfloat16\" or \"float16\"");
}

static bool read_with(Reader *r, const Json *j, Stmt *s) {
    static const char *const plain[] = {"with", "body", NULL},
                             *const autocast[] = {"with", "dtype", "body", NULL},
                             *const checkpoint[] = {"with", "use_reentrant", "body", NULL};
    const Json *mode = json_get(j, "with");
    s->kind = STMT_WITH;
    if (!json_want(r, mode, JSON_STRING, "\"no_grad\", \"enable_grad\", ..")) {
        return false;
    }
    s->grad_enabled = strcmp(mode->text, "enable_grad") == 0;
    if (!context_parse(mode->text, &s->context) && !s->grad_enabled &&
        strcmp(mode->text, "no_grad") != 0) {
        return json_bad(r, mode,
                        "expected \"no_grad\", \"enable_grad\" or a context: "
                        "\"autocast\", \"checkpoint\", \"vmap\", ..");
    }
    const char *const *keys = s->context == CONTEXT_autocast     ? autocast
                              : s->context == CONTEXT_checkpoint ? checkpoint
                                                                 : plain;
    if ((s->context != CONTEXT_grad_mode && !json_needs_format(r, mode, 2, mode->text)) ||
        !json_keys(r, j, keys, &s->extra) ||
        (s->context == CONTEXT_autocast && !read_autocast(r, j, s))) {
        return false;
    }
    const Json *reentrant = json_get(j, "use_reentrant");
    if (s->context == CONTEXT_checkpoint && reentrant &&
        !json_read_bool(r, reentrant, &s->reentrant)) {
        return false;
    }
    const Json *body = json_need(r, j, "body");
    return body && json_read_block(r, body, &s->body);
}

static bool read_if(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"if", "then", "else", NULL};
    s->kind = STMT_IF;
    if (!json_keys(r, j, keys, &s->extra) ||
        !read_predicate(r, json_get(j, "if"), &s->predicate, 0)) {
        return false;
    }
    const Json *then = json_need(r, j, "then"), *orelse = json_get(j, "else");
    s->has_else = orelse != NULL;
    return then && json_read_block(r, then, &s->body) &&
           (!orelse || json_read_block(r, orelse, &s->orelse));
}

static bool read_assert(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"assert", NULL};
    s->kind = STMT_ASSERT;
    return json_keys(r, j, keys, &s->extra) &&
           read_predicate(r, json_get(j, "assert"), &s->predicate, 0);
}

static bool read_probe(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"probe", "of", NULL};
    const Json *kind = json_get(j, "probe"), *of = json_get(j, "of");
    s->kind = STMT_PROBE;
    if (!json_keys(r, j, keys, &s->extra) || !json_want(r, kind, JSON_STRING, "a probe's name")) {
        return false;
    }
    if (!probe_parse(kind->text, &s->probe)) {
        return json_bad(r, kind, "unknown probe");
    }
    if (s->probe == PROBE_is_grad_enabled) {
        return !of || json_bad(r, of, "is_grad_enabled is of nothing");
    }
    of = json_need(r, j, "of");
    return of && json_read_name(r, of, &s->of);
}

static bool read_graph_break(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"graph_break", NULL};
    const Json *value = json_get(j, "graph_break");
    s->kind = STMT_GRAPH_BREAK;
    return json_keys(r, j, keys, &s->extra) &&
           ((value->kind == JSON_BOOL && value->boolean) || json_bad(r, value, "expected true"));
}

static bool read_op_stmt(Reader *r, const Json *j, Stmt *s) {
    const Json *name = json_get(j, "op");
    if (!json_want(r, name, JSON_STRING, "the name of an op")) {
        return false;
    }
    if (strcmp(name->text, "grad") == 0) {
        return read_json_grad(r, j, s);
    }
    if (strcmp(name->text, "apply") == 0) {
        return json_read_apply(r, j, s);
    }
    if (json_is_about_grad(name->text)) {
        return json_read_about_grad(r, j, name->text, s);
    }
    if (json_is_hook(name->text)) {
        return json_read_hook(r, j, name->text, s);
    }
    s->kind = STMT_OP;
    if (!read_json_op(r, j, name->text, s)) {
        return false;
    }
    s->extra = json_extra(r, j, NULL);
    return true;
}

static bool read_stmt(Reader *r, const Json *j, Stmt *s) {
    static const struct {
        const char *key;
        bool (*read)(Reader *r, const Json *j, Stmt *s);
    } kinds[] = {
        {"op", read_op_stmt},    {"with", read_with},   {"if", read_if},
        {"assert", read_assert}, {"probe", read_probe}, {"graph_break", read_graph_break},
    };
    if (!json_want(r, j, JSON_OBJECT, "a statement")) {
        return false;
    }
    for (int k = 0; k < COUNT_OF(kinds); k++) {
        if (json_get(j, kinds[k].key)) {
            return kinds[k].read(r, j, s);
        }
    }
    return json_bad(
        r, j, "expected a statement: one of the keys op, with, if, assert, probe, graph_break");
}

bool json_read_block(Reader *r, const Json *j, Block *out) {
    if (!json_want(r, j, JSON_ARRAY, "an array of statements")) {
        return false;
    }
    if (r->depth > MAX_NESTING) {
        return json_bad(r, j, "nested deeper than %d", MAX_NESTING);
    }
    r->depth++;
    Stmt *tail = NULL;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        Stmt *s = arena_new(r->arena, Stmt);
        s->of = NAME_NONE;
        block_append(out, s, &tail);
        if (!read_stmt(r, e, s)) {
            return false;
        }
    }
    r->depth--;
    return true;
}
