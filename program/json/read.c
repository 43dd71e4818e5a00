/* Reads a program from JSON text: scan, tree, members, then the checks of verify.c on the whole.
 *
 * Members are read in the order of format.md, whatever their order in the text. So the numbering of
 * names and the first error reported do not depend on the order of keys. json/read_stmt.c reads
 * statements. */
#include "program/json/tree.h"

#include <stdio.h>
#include <string.h>

static bool read_ints(Reader *r, const Json *j, int64_t low, int64_t *v, int max, int *n) {
    if (!json_want(r, j, JSON_ARRAY, "an array of integers")) {
        return false;
    }
    if (!json_limit(r, j, max, "entries")) {
        return false;
    }
    *n = j->count;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!json_read_int_in(r, e, low, (int64_t)1 << 53, &v[e->index])) {
            return false;
        }
    }
    return true;
}

/* ---- inputs ---- */

static bool read_input_data(Reader *r, const Json *j, DType dtype, InputData *out) {
    static const char *const keys[] = {"fill", "seed", NULL};
    out->given = true;
    out->is_fill = j->kind == JSON_OBJECT;
    if (out->is_fill) {
        return json_read_fill(r, j, keys, &out->fill, &out->seed, &out->extra);
    }
    return json_want(r, j, JSON_ARRAY, "an array of elements or a fill") &&
           json_read_data(r, j, dtype, false, &out->data, &out->numel);
}

static bool read_json_input(Reader *r, const Json *j, Input *in) {
    static const char *const keys[] = {"name",          "dtype",          "size",
                                       "stride",        "storage_offset", "storage",
                                       "requires_grad", "data",           NULL};
    in->storage = NAME_NONE;
    if (!json_keys(r, j, keys, &in->extra)) {
        return false;
    }
    const Json *name = json_need(r, j, "name");
    const Json *dtype = name ? json_need(r, j, "dtype") : NULL;
    const Json *size = dtype ? json_need(r, j, "size") : NULL;
    if (!size || !json_read_name(r, name, &in->name) || !json_read_dtype(r, dtype, &in->dtype) ||
        !read_ints(r, size, 0, in->size, MAX_DIMS, &in->ndim)) {
        return false;
    }
    const Json *stride = json_get(j, "stride"), *offset = json_get(j, "storage_offset"),
               *storage = json_get(j, "storage");
    const Json *requires_grad = json_get(j, "requires_grad"), *data = json_get(j, "data");
    int64_t numel;
    if (sizes_numel(in->size, in->ndim, &numel)) { /* otherwise verify.c reports it */
        contiguous_strides(in->size, in->ndim, in->stride);
    }
    if (stride) {
        int n = 0;
        in->stride_given = true;
        if (!read_ints(r, stride, 0, in->stride, MAX_DIMS, &n)) {
            return false;
        }
        if (n != in->ndim) {
            return json_bad(r, stride, "%d strides for %d dimensions", n, in->ndim);
        }
    }
    if (offset) {
        in->offset_given = true;
        if (!json_read_int_in(r, offset, 0, (int64_t)1 << 53, &in->offset)) {
            return false;
        }
    }
    if (requires_grad) {
        in->requires_grad_given = true;
        if (!json_read_bool(r, requires_grad, &in->requires_grad)) {
            return false;
        }
    }
    return (!storage || json_read_name(r, storage, &in->storage)) &&
           (!data || read_input_data(r, data, in->dtype, &in->data));
}

static bool read_inputs(Reader *r, const Json *j, Input **out, int *n) {
    if (!json_want(r, j, JSON_ARRAY, "an array of inputs")) {
        return false;
    }
    if (!json_limit(r, j, MAX_INPUTS, "inputs")) {
        return false;
    }
    Input *v = arena_array(r->arena, Input, j->count);
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!read_json_input(r, e, &v[e->index])) {
            return false;
        }
    }
    *out = v;
    *n = j->count;
    return true;
}

/* ---- calls ---- */

static bool read_backward(Reader *r, const Json *j, Backward *out) {
    static const char *const keys[] = {"fill", "seed", "of", NULL};
    out->nof = -1;
    if (!j || j->kind == JSON_NULL) {
        return true;
    }
    out->given = true;
    if (!json_want(r, j, JSON_OBJECT, "a fill or null") ||
        !json_read_fill(r, j, keys, &out->fill, &out->seed, &out->extra)) {
        return false;
    }
    const Json *of = json_get(j, "of");
    if (!of) {
        return true;
    }
    if (!json_want(r, of, JSON_ARRAY, "an array of places in return") ||
        !json_limit(r, of, MAX_RETURNS, "places")) {
        return false;
    }
    out->of = arena_array(r->arena, int, of->count);
    out->nof = of->count;
    for (const Json *e = json_items(r, of); e; e = e->next) {
        int64_t index;
        if (!json_read_int_in(r, e, 0, INT32_MAX, &index)) {
            return false;
        }
        out->of[e->index] = (int)index;
    }
    return true;
}

/* {"NAME": {"requires_grad": BOOL}, ...} */
static bool read_recall_set(Reader *r, const Json *j, Recall *out) {
    if (!json_want(r, j, JSON_OBJECT, "an object of flags by name") ||
        !json_limit(r, j, JSON_MAX_LIST, "names")) {
        return false;
    }
    out->set = arena_alloc(r->arena, (int64_t)sizeof *out->set * j->count);
    out->nset = j->count;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        const Json key = {.kind = JSON_STRING,
                          .text = e->key,
                          .parent = e->parent,
                          .key = e->key,
                          .index = e->index};
        if (!json_read_name(r, &key, &out->set[e->index].name)) {
            return false;
        }
        if (!json_is_wrapped(e, "requires_grad")) {
            return json_bad(r, e, "expected {\"requires_grad\": true or false}");
        }
        if (!json_read_bool(r, e->child, &out->set[e->index].requires_grad)) {
            return false;
        }
    }
    return true;
}

static bool read_recall(Reader *r, const Json *j, Recall *out) {
    static const char *const with_inputs[] = {"inputs", "grad_mode", NULL}, *const with_keep[] = {
                                                                                "keep",
                                                                                "keep_grads", "set",
                                                                                "grad_mode", NULL};
    if (j->kind == JSON_ARRAY) {
        return read_inputs(r, j, &out->inputs, &out->ninputs);
    }
    if (!json_want(r, j, JSON_OBJECT, "an array of inputs or an object")) {
        return false;
    }
    out->object_form = true;
    const Json *keep = json_get(j, "keep"), *set = json_get(j, "set"),
               *grad_mode = json_get(j, "grad_mode"), *keep_grads = json_get(j, "keep_grads");
    out->keep = keep != NULL;
    out->grad_mode_given = grad_mode != NULL;
    if (!json_keys(r, j, keep ? with_keep : with_inputs, &out->extra)) {
        return false;
    }
    if (keep && (keep->kind != JSON_BOOL || !keep->boolean)) {
        return json_bad(r, keep, "expected true");
    }
    const Json *inputs = keep ? NULL : json_need(r, j, "inputs");
    return (keep || (inputs && read_inputs(r, inputs, &out->inputs, &out->ninputs))) &&
           (!keep_grads || (json_needs_format(r, keep_grads, 2, "\"keep_grads\"") &&
                            json_read_bool(r, keep_grads, &out->keep_grads))) &&
           (!set || read_recall_set(r, set, out)) &&
           (!grad_mode || json_read_bool(r, grad_mode, &out->grad_mode));
}

static bool read_recalls(Reader *r, const Json *j, Program *p) {
    if (!json_want(r, j, JSON_ARRAY, "an array of calls")) {
        return false;
    }
    if (!json_limit(r, j, MAX_RECALLS, "recalls")) {
        return false;
    }
    p->recalls_given = true;
    p->recalls = arena_array(r->arena, Recall, j->count);
    p->nrecalls = j->count;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!read_recall(r, e, &p->recalls[e->index])) {
            return false;
        }
    }
    return true;
}

/* ---- Python surface ("shell") ---- */

/* Index of a string among the choices. */
static bool read_choice(Reader *r, const Json *j, const char *const *choices, int *out) {
    if (!json_want(r, j, JSON_STRING, "a string")) {
        return false;
    }
    Text list = {.arena = r->arena};
    for (*out = 0; choices[*out]; (*out)++) {
        if (strcmp(choices[*out], j->text) == 0) {
            return true;
        }
        text_printf(&list, "%s%s", *out ? ", " : "", choices[*out]);
    }
    return json_bad(r, j, "expected one of: %s", list.v);
}

static bool read_bindings(Reader *r, const Json *j, PythonSurface *surface) {
    if (!json_want(r, j, JSON_OBJECT, "an object of roles by input name") ||
        !json_limit(r, j, JSON_MAX_LIST, "names")) {
        return false;
    }
    surface->bindings_given = true;
    surface->bindings = arena_alloc(r->arena, (int64_t)sizeof *surface->bindings * j->count);
    surface->nbindings = j->count;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        int binding;
        const Json key = {.kind = JSON_STRING,
                          .text = e->key,
                          .parent = e->parent,
                          .key = e->key,
                          .index = e->index};
        if (!json_read_name(r, &key, &surface->bindings[e->index].name) ||
            !read_choice(r, e, json_binding_names, &binding)) {
            return false;
        }
        surface->bindings[e->index].binding = (BindingKind)binding;
    }
    return true;
}

/* `what`: "spellings", "forms". */
static bool read_choices(Reader *r, const Json *j, const char *const *names, const char *what,
                         PathChoices *choices) {
    const char *wanted = arena_printf(r->arena, "an object of %s by statement path", what);
    if (!json_want(r, j, JSON_OBJECT, wanted) || !json_limit(r, j, JSON_MAX_LIST, "paths")) {
        return false;
    }
    choices->given = true;
    choices->v = arena_alloc(r->arena, (int64_t)sizeof *choices->v * j->count);
    choices->n = j->count;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!path_valid(e->key)) {
            return json_bad(r, e, "not a statement's path, such as body[3]");
        }
        if (!read_choice(r, e, names, &choices->v[e->index].choice)) {
            return false;
        }
        choices->v[e->index].path = e->key;
    }
    return true;
}

static bool read_outline(Reader *r, const Json *j, PythonSurface *surface) {
    if (!json_want(r, j, JSON_ARRAY, "an array of [FROM, TO]") ||
        !json_limit(r, j, JSON_MAX_LIST, "pairs")) {
        return false;
    }
    surface->outline_given = true;
    surface->outline = arena_alloc(r->arena, (int64_t)sizeof *surface->outline * j->count);
    surface->noutline = j->count;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        int64_t pair[2];
        int n;
        if (!read_ints(r, e, 0, pair, 2, &n)) {
            return false;
        }
        if (n != 2 || pair[0] > pair[1]) {
            return json_bad(r, e, "expected [FROM, TO], FROM not after TO");
        }
        surface->outline[e->index].from = pair[0];
        surface->outline[e->index].to = pair[1];
    }
    return true;
}

static bool read_surface(Reader *r, const Json *j, PythonSurface **out) {
    static const char *const keys[] = {"wrap",  "roles",   "spelling",  "forms",
                                       "leave", "outline", "instances", NULL};
    PythonSurface *surface = arena_new(r->arena, PythonSurface);
    *out = surface;
    if (!json_keys(r, j, keys, &surface->extra)) {
        return false;
    }
    const Json *wrap = json_get(j, "wrap"), *bindings = json_get(j, "roles"),
               *call_styles = json_get(j, "spelling"), *forms = json_get(j, "forms"),
               *leave = json_get(j, "leave");
    const Json *outline = json_get(j, "outline"), *instances = json_get(j, "instances");
    if (wrap) {
        int kind;
        if (!read_choice(r, wrap, json_wrap_names, &kind)) {
            return false;
        }
        surface->wrap_given = true;
        surface->wrap = (Wrap)kind;
    }
    if (leave) {
        int kind;
        if (!json_needs_format(r, leave, 2, "\"leave\"") ||
            !read_choice(r, leave, json_leave_names, &kind)) {
            return false;
        }
        surface->leave_given = true;
        surface->leave = (Leave)kind;
    }
    surface->instances = 1;
    surface->instances_given = instances != NULL;
    return (!bindings || read_bindings(r, bindings, surface)) &&
           (!call_styles || read_choices(r, call_styles, json_call_style_names, "spellings",
                                         &surface->call_styles)) &&
           (!forms || (json_needs_format(r, forms, 2, "\"forms\"") &&
                       read_choices(r, forms, json_form_names, "forms", &surface->forms))) &&
           (!outline || read_outline(r, outline, surface)) &&
           (!instances || json_read_int_in(r, instances, 1, 1024, &surface->instances));
}

/* ---- the program ---- */

static bool read_text_member(Reader *r, const Json *j, const char **out) {
    if (j && !json_want(r, j, JSON_STRING, "a string")) {
        return false;
    }
    *out = j ? j->text : NULL;
    return true;
}

bool json_read_semantics(Reader *r, const Json *j, Semantics *out) {
    *out = SEMANTICS_NONE;
    if (j && !json_want(r, j, JSON_STRING, "a string")) {
        return false;
    }
    *out = j ? semantics_parse(j->text) : SEMANTICS_NONE;
    return !j || *out != SEMANTICS_NONE ||
           json_bad(r, j, "there are no semantics '%.20s' (known: %s)", j->text, semantics_list());
}

static bool read_version(Reader *r, const Json *root) {
    const Json *j = json_need(r, root, "twingrad");
    int64_t version;
    if (!j || !json_read_int(r, j, &version)) {
        return false;
    }
    r->format = (int)version;
    return version == 1 || version == 2 ||
           json_bad(r, j, "format version %lld is not known: this reads versions 1 and 2",
                    (long long)version);
}

static bool read_calls(Reader *r, const Json *root, Program *p) {
    const Json *args = json_get(root, "args"), *grad_mode = json_get(root, "grad_mode"),
               *recalls = json_get(root, "recalls");
    p->grad_mode = true;
    p->grad_mode_given = grad_mode != NULL;
    p->args_given = args != NULL;
    return read_backward(r, json_get(root, "backward"), &p->backward) &&
           (!args || json_read_names(r, args, false, &p->args, &p->nargs)) &&
           (!grad_mode || json_read_bool(r, grad_mode, &p->grad_mode)) &&
           (!recalls || read_recalls(r, recalls, p));
}

static bool read_program(Reader *r, const Json *root, Program *p) {
    static const char *const keys[] = {"twingrad",  "name",     "note",    "inputs", "body",
                                       "return",    "backward", "setup",   "args",   "grad_mode",
                                       "recalls",   "shell",    "compile", "expect", "semantics",
                                       "functions", "after",    "seed",    NULL};
    if (!json_keys(r, root, keys, &p->extra) || !read_version(r, root) ||
        !read_text_member(r, json_get(root, "name"), &p->name) ||
        !read_text_member(r, json_get(root, "note"), &p->note) ||
        !json_read_semantics(r, json_get(root, "semantics"), &p->semantics)) {
        return false;
    }
    const Json *inputs = json_get(root, "inputs"), *setup = json_get(root, "setup"),
               *surface = json_get(root, "shell"), *compile = json_get(root, "compile"),
               *after = json_get(root, "after"), *seed = json_get(root, "seed");
    const Json *body = json_need(r, root, "body");
    const Json *returns = body ? json_need(r, root, "return") : NULL;
    p->inputs_given = inputs != NULL;
    p->setup_given = setup != NULL;
    p->after_given = after != NULL;
    p->seed_given = seed != NULL;
    return returns && (!inputs || read_inputs(r, inputs, &p->inputs, &p->ninputs)) &&
           json_read_functions(r, json_get(root, "functions")) &&
           (!setup || json_read_block(r, setup, &p->setup)) && json_read_block(r, body, &p->body) &&
           (!after || (json_needs_format(r, after, 2, "\"after\"") &&
                       json_read_block(r, after, &p->after))) &&
           json_limit(r, returns, MAX_RETURNS, "returns") &&
           json_read_names(r, returns, false, &p->returns, &p->nreturns) &&
           (!seed ||
            (json_needs_format(r, seed, 2, "\"seed\"") && json_read_seed(r, seed, &p->seed))) &&
           read_calls(r, root, p) && (!surface || read_surface(r, surface, &p->surface)) &&
           (!compile || json_read_compile(r, compile, &p->compile));
}

/* Reads what requires numbered statements: the stored result, whose paths refer to them. */
static bool read_expect(Reader *r, const Json *root, Program *p) {
    const Json *expect = json_get(root, "expect");
    if (!expect) {
        return true;
    }
    p->expect = json_read_result(r, expect, p);
    return p->expect != NULL;
}

static void finish_names(const Reader *r, Program *p) {
    p->names = r->names.v;
    p->nnames = r->names.n;
}

ParseStatus program_parse_within(Arena *arena, const char *text, size_t length,
                                 const Limits *limits, Program **out, char *message,
                                 size_t message_size) {
    CHECK(message_size > 0);
    op_table_init();
    message[0] = '\0';
    *out = NULL;
    Reader r = {.arena = arena,
                .names = {.arena = arena},
                .fold = true,
                .message = message,
                .message_size = message_size};
    const Json *root = json_parse(&r, text, length);
    Program *p = arena_new(arena, Program);
    p->arena = arena;
    if (!root || !read_program(&r, root, p)) {
        return PARSE_BAD;
    }
    p->functions = r.functions;
    p->nfunctions = r.nfunctions;
    program_number(p);
    finish_names(&r, p);
    if (!program_verify_within(p, limits, message, message_size)) {
        return PARSE_BAD;
    }
    if (r.unknown_op) {
        snprintf(message, message_size, "%s", r.unknown_op);
        return PARSE_UNKNOWN_OP;
    }
    if (!read_expect(&r, root, p)) {
        return PARSE_BAD;
    }
    *out = p;
    return PARSE_OK;
}

ParseStatus program_parse(Arena *arena, const char *text, size_t length, Program **out,
                          char *message, size_t message_size) {
    return program_parse_within(arena, text, length, &LIMITS_DEFAULT, out, message, message_size);
}
