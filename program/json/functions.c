/* Functions (format version 2): how they are read and printed. */
#include "program/json/tree.h"

/* ---- reading ---- */

static bool read_name_list(Reader *r, const Json *object, const char *key, NameId **out, int *n) {
    const Json *j = json_get(object, key);
    return !j || json_read_names(r, j, false, out, n);
}

/* The backward's parameters and results: one for each return, and one for each parameter. */
static bool read_gradients(Reader *r, const Json *j, Function *f) {
    const Json *outputs = json_need(r, j, "grad_outputs");
    const Json *inputs = outputs ? json_need(r, j, "grad_inputs") : NULL;
    int noutputs, ninputs;
    if (!inputs || !json_read_names(r, outputs, false, &f->grad_outputs, &noutputs) ||
        !json_read_names(r, inputs, true, &f->grad_inputs, &ninputs)) {
        return false;
    }
    if (noutputs != f->nreturns) {
        return json_bad(r, outputs, "%d names, but the function returns %d", noutputs, f->nreturns);
    }
    return ninputs == f->nparams ||
           json_bad(r, inputs, "%d names, but the function has %d parameters", ninputs, f->nparams);
}

static bool read_flags(Reader *r, const Json *j, Function *f) {
    const Json *materialize = json_get(j, "materialize_grads"),
               *once = json_get(j, "once_differentiable");
    bool zeros = true;
    bool ok = (!materialize || json_read_bool(r, materialize, &zeros)) &&
              (!once || json_read_bool(r, once, &f->once_differentiable));
    f->undefined_grads = !zeros;
    return ok;
}

static bool read_function(Reader *r, const Json *j, Function *f) {
    static const char *const keys[] = {"name",
                                       "params",
                                       "forward",
                                       "return",
                                       "save",
                                       "dirty",
                                       "non_differentiable",
                                       "materialize_grads",
                                       "once_differentiable",
                                       "grad_outputs",
                                       "backward",
                                       "grad_inputs",
                                       NULL};
    if (!json_want(r, j, JSON_OBJECT, "a function") || !json_keys(r, j, keys, &f->extra)) {
        return false;
    }
    const Json *need[5];
    static const char *const needed[] = {"name", "params", "forward", "return", "backward"};
    f->plain =
        !json_get(j, "backward") && !json_get(j, "grad_outputs") && !json_get(j, "grad_inputs");
    int nneeded = COUNT_OF(needed) - f->plain; /* a hook has no backward */
    for (int i = 0; i < nneeded; i++) {
        need[i] = json_need(r, j, needed[i]);
        if (!need[i]) {
            return false;
        }
    }
    return json_read_name(r, need[0], &f->name) &&
           json_limit(r, need[1], MAX_FUNCTION_NAMES, "parameters") &&
           json_read_names(r, need[1], false, &f->params, &f->nparams) &&
           json_read_block(r, need[2], &f->forward) &&
           json_limit(r, need[3], MAX_FUNCTION_NAMES, "returns") &&
           json_read_names(r, need[3], false, &f->returns, &f->nreturns) &&
           read_name_list(r, j, "save", &f->save, &f->nsave) &&
           read_name_list(r, j, "dirty", &f->dirty, &f->ndirty) &&
           read_name_list(r, j, "non_differentiable", &f->non_differentiable,
                          &f->nnon_differentiable) &&
           read_flags(r, j, f) &&
           (f->plain || (read_gradients(r, j, f) && json_read_block(r, need[4], &f->backward)));
}

bool json_needs_format(Reader *r, const Json *j, int format, const char *what) {
    return r->format >= format ||
           json_bad(r, j, "%s needs format version %d (\"twingrad\": %d)", what, format, format);
}

bool json_read_functions(Reader *r, const Json *j) {
    if (!j) {
        return true;
    }
    if (!json_needs_format(r, j, 2, "\"functions\"") ||
        !json_want(r, j, JSON_ARRAY, "an array of functions") ||
        !json_limit(r, j, MAX_FUNCTIONS, "functions")) {
        return false;
    }
    r->functions = arena_array(r->arena, Function, j->count);
    r->in_function = true;
    for (const Json *e = json_items(r, j); e; e = e->next) {
        Function *f = &r->functions[e->index];
        if (!read_function(r, e, f)) {
            return false;
        }
        for (int i = 0; i < e->index; i++) {
            if (r->functions[i].name == f->name) {
                return json_bad(r, e, "another function has the name \"%s\"", r->names.v[f->name]);
            }
        }
        r->nfunctions++;
    }
    r->in_function = false;
    return true;
}

/* The function that a statement names, of the kind that it takes. */
static bool read_function_name(Reader *r, const Json *j, bool plain, int *out) {
    NameId name;
    int k = 0;
    if (!json_read_name(r, j, &name)) {
        return false;
    }
    while (k < r->nfunctions && r->functions[k].name != name) {
        k++;
    }
    *out = k;
    if (r->in_function) {
        return json_bad(r, j, "a function does not use another one");
    }
    if (k == r->nfunctions) {
        return json_bad(r, j, "there is no function of this name");
    }
    return r->functions[k].plain == plain ||
           json_bad(r, j, plain ? "a hook has no backward" : "the function has no backward");
}

/* How many parameters the hooks have that the statement registers; 0: any number; -1: no such
 * statement. */
static int hook_parameters(const char *op) {
    return strcmp(op, "register_hook") == 0                        ? 1
           : strcmp(op, "register_post_accumulate_grad_hook") == 0 ? 2
           : strcmp(op, "remove_hook") == 0                        ? 0
                                                                   : -1;
}

bool json_is_hook(const char *op) { return hook_parameters(op) >= 0; }

bool json_read_hook(Reader *r, const Json *j, const char *op, Stmt *s) {
    static const char *const keys[] = {"op", "self", "function", NULL};
    int nparams = hook_parameters(op);
    s->kind = STMT_HOOK;
    s->hook = arena_new(r->arena, HookStmt);
    s->hook->remove = nparams == 0;
    if (!json_needs_format(r, j, 2, arena_printf(r->arena, "\"%s\"", op)) ||
        !json_keys(r, j, keys, &s->extra)) {
        return false;
    }
    const Json *self = json_need(r, j, "self");
    const Json *function = self ? json_need(r, j, "function") : NULL;
    return function && json_read_name(r, self, &s->hook->self) &&
           read_function_name(r, function, true, &s->hook->function) &&
           (nparams == 0 || r->functions[s->hook->function].nparams == nparams ||
            json_bad(r, function, "a hook of this kind has %d parameter%s", nparams,
                     nparams == 1 ? "" : "s"));
}

bool json_read_apply(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"op", "function", "operands", "out", NULL};
    s->kind = STMT_APPLY;
    s->out_list = true;
    s->apply = arena_new(r->arena, ApplyStmt);
    if (!json_needs_format(r, j, 2, "\"apply\"") || !json_keys(r, j, keys, &s->extra)) {
        return false;
    }
    const Json *function = json_need(r, j, "function");
    const Json *operands = function ? json_need(r, j, "operands") : NULL;
    const Json *out = operands ? json_need(r, j, "out") : NULL;
    int k;
    if (!out || !read_function_name(r, function, false, &k) ||
        !json_read_names(r, operands, false, &s->apply->operands, &s->apply->noperands) ||
        !json_read_names(r, out, false, &s->out, &s->nout)) {
        return false;
    }
    const Function *f = &r->functions[k];
    s->apply->function = k;
    if (s->apply->noperands != f->nparams) {
        return json_bad(r, operands, "%d names, but the function has %d parameters",
                        s->apply->noperands, f->nparams);
    }
    return s->nout == f->nreturns ||
           json_bad(r, out, "%d names, but the function returns %d", s->nout, f->nreturns);
}

/* ---- printing ---- */

static void write_names(const JsonWriter *w, const char *key, const NameId *names, int n) {
    json_write_key(w, key);
    json_write_names(w, names, n);
}

static void write_function(JsonWriter *w, const Function *f) {
    text_add(w->text, "{\"name\": ");
    json_write_name(w, f->name);
    write_names(w, "params", f->params, f->nparams);
    json_write_key(w, "forward");
    json_write_block(w, &f->forward);
    write_names(w, "return", f->returns, f->nreturns);
    if (f->plain) {
        json_write_extra(w, f->extra);
        text_add(w->text, "}");
        return;
    }
    if (f->nsave > 0) {
        write_names(w, "save", f->save, f->nsave);
    }
    if (f->ndirty > 0) {
        write_names(w, "dirty", f->dirty, f->ndirty);
    }
    if (f->nnon_differentiable > 0) {
        write_names(w, "non_differentiable", f->non_differentiable, f->nnon_differentiable);
    }
    if (f->undefined_grads) {
        json_write_flag(w, "materialize_grads", false);
    }
    if (f->once_differentiable) {
        json_write_flag(w, "once_differentiable", true);
    }
    write_names(w, "grad_outputs", f->grad_outputs, f->nreturns);
    json_write_key(w, "backward");
    json_write_block(w, &f->backward);
    write_names(w, "grad_inputs", f->grad_inputs, f->nparams);
    json_write_extra(w, f->extra);
    text_add(w->text, "}");
}

void json_write_functions(JsonWriter *w, const Program *p) {
    json_open_array(w);
    for (int i = 0; i < p->nfunctions; i++) {
        json_array_item(w, i);
        write_function(w, &p->functions[i]);
    }
    json_close_array(w, p->nfunctions);
}

void json_write_hook(const JsonWriter *w, const HookStmt *h) {
    text_printf(w->text, "{\"op\": \"%s\", \"self\": ", program_hook_name(w->p, h));
    json_write_name(w, h->self);
    json_write_key(w, "function");
    json_write_name(w, w->p->functions[h->function].name);
}

void json_write_apply(const JsonWriter *w, const Stmt *s) {
    text_add(w->text, "{\"op\": \"apply\", \"function\": ");
    json_write_name(w, w->p->functions[s->apply->function].name);
    write_names(w, "operands", s->apply->operands, s->apply->noperands);
    write_names(w, "out", s->out, s->nout);
}
