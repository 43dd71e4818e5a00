/* Statements of format version 2 about .grad: backward, get_grad and set_grad. */
#include "program/json/tree.h"

#include <string.h>

/* ---- reading ---- */

static bool read_backward_flag(Reader *r, const Json *j, const char *key, bool *given, bool *out) {
    const Json *flag = json_get(j, key);
    *given = flag != NULL;
    return !flag || json_read_bool(r, flag, out);
}

static bool read_backward_stmt(Reader *r, const Json *j, Stmt *s) {
    static const char *const keys[] = {"op",           "tensors",      "grad_tensors",
                                       "create_graph", "retain_graph", NULL};
    GradStmt *g = s->grad = arena_new(r->arena, GradStmt);
    bool create_given;
    s->kind = STMT_GRAD;
    g->accumulates = true;
    g->ngrad_outputs = -1;
    if (!json_keys(r, j, keys, &s->extra)) {
        return false;
    }
    const Json *tensors = json_need(r, j, "tensors"), *given = json_get(j, "grad_tensors");
    return tensors && json_read_names(r, tensors, false, &g->outputs, &g->noutputs) &&
           (!given || json_read_names(r, given, true, &g->grad_outputs, &g->ngrad_outputs)) &&
           read_backward_flag(r, j, "create_graph", &create_given, &g->create_graph) &&
           read_backward_flag(r, j, "retain_graph", &g->retain_given, &g->retain_graph);
}

static bool read_dot_grad(Reader *r, const Json *j, bool set, Stmt *s) {
    static const char *const get_keys[] = {"op", "self", "out", NULL}, *const set_keys[] = {
                                                                           "op", "self", "grad",
                                                                           NULL};
    DotGradStmt *d = s->dot_grad = arena_new(r->arena, DotGradStmt);
    s->kind = STMT_DOT_GRAD;
    d->set = set;
    d->value = NAME_NONE;
    if (!json_keys(r, j, set ? set_keys : get_keys, &s->extra)) {
        return false;
    }
    const Json *self = json_need(r, j, "self");
    const Json *other = self ? json_need(r, j, set ? "grad" : "out") : NULL;
    if (!other || !json_read_name(r, self, &d->self)) {
        return false;
    }
    if (set) {
        return other->kind == JSON_NULL || json_read_name(r, other, &d->value);
    }
    s->nout = 1;
    s->out = arena_array(r->arena, NameId, 1);
    return json_read_name(r, other, s->out);
}

bool json_is_about_grad(const char *op) {
    return strcmp(op, "backward") == 0 || strcmp(op, "get_grad") == 0 ||
           strcmp(op, "set_grad") == 0;
}

bool json_read_about_grad(Reader *r, const Json *j, const char *op, Stmt *s) {
    if (!json_needs_format(r, j, 2, arena_printf(r->arena, "\"%s\"", op))) {
        return false;
    }
    return op[0] == 'b' ? read_backward_stmt(r, j, s) : read_dot_grad(r, j, op[0] == 's', s);
}

/* ---- printing ---- */

void json_write_backward(const JsonWriter *w, const GradStmt *g) {
    text_add(w->text, "{\"op\": \"backward\", \"tensors\": ");
    json_write_names(w, g->outputs, g->noutputs);
    if (g->ngrad_outputs >= 0) {
        json_write_key(w, "grad_tensors");
        json_write_names(w, g->grad_outputs, g->ngrad_outputs);
    }
    if (g->create_graph) {
        json_write_flag(w, "create_graph", true);
    }
    if (g->retain_given) {
        json_write_flag(w, "retain_graph", g->retain_graph);
    }
}

void json_write_dot_grad(const JsonWriter *w, const Stmt *s) {
    const DotGradStmt *d = s->dot_grad;
    text_printf(w->text, "{\"op\": \"%s\", \"self\": ", d->set ? "set_grad" : "get_grad");
    json_write_name(w, d->self);
    json_write_key(w, d->set ? "grad" : "out");
    if (d->set && d->value == NAME_NONE) {
        text_add(w->text, "null");
    } else {
        json_write_name(w, d->set ? d->value : s->out[0]);
    }
}
