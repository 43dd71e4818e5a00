/* Prints the canonical text of a program: keys in the order of format.md, one statement (input,
 * call) on each line. Absent keys are not printed, so printing a parsed canonical text reproduces
 * it. json/write_stmt.c prints statements. */
#include "program/json/tree.h"

static void write_seed(const JsonWriter *w, uint64_t seed) {
    text_printf(w->text, seed < (uint64_t)1 << 53 ? "%llu" : "\"%llu\"", (unsigned long long)seed);
}

/* ---- inputs and calls ---- */

static void write_fill(const JsonWriter *w, FillKind fill, uint64_t seed) {
    text_printf(w->text, "{\"fill\": \"%s\", \"seed\": ", fill_name(fill));
    write_seed(w, seed);
}

static void write_json_program_input(const JsonWriter *w, const Input *in) {
    text_add(w->text, "{\"name\": ");
    json_write_name(w, in->name);
    text_printf(w->text, ", \"dtype\": \"%s\", \"size\": ", dtype_name(in->dtype));
    text_sizes(w->text, in->size, in->ndim);
    if (in->stride_given) {
        json_write_key(w, "stride");
        text_sizes(w->text, in->stride, in->ndim);
    }
    if (in->offset_given || in->offset != 0) {
        text_printf(w->text, ", \"storage_offset\": %lld", (long long)in->offset);
    }
    if (in->storage != NAME_NONE) {
        json_write_key(w, "storage");
        json_write_name(w, in->storage);
    }
    if (in->requires_grad_given || in->requires_grad) {
        json_write_flag(w, "requires_grad", in->requires_grad);
    }
    if (in->data.given) {
        json_write_key(w, "data");
        if (in->data.is_fill) {
            write_fill(w, in->data.fill, in->data.seed);
            json_write_extra(w, in->data.extra);
            text_add(w->text, "}");
        } else {
            text_data(w->text, in->data.data, in->dtype, in->data.numel);
        }
    }
    json_write_extra(w, in->extra);
    text_add(w->text, "}");
}

static void write_inputs(JsonWriter *w, const Input *inputs, int n) {
    json_open_array(w);
    for (int i = 0; i < n; i++) {
        json_array_item(w, i);
        write_json_program_input(w, &inputs[i]);
    }
    json_close_array(w, n);
}

static void write_backward(const JsonWriter *w, const Backward *b) {
    write_fill(w, b->fill, b->seed);
    if (b->nof >= 0) {
        json_write_key(w, "of");
        text_add(w->text, "[");
        for (int i = 0; i < b->nof; i++) {
            text_printf(w->text, "%s%d", i ? ", " : "", b->of[i]);
        }
        text_add(w->text, "]");
    }
    json_write_extra(w, b->extra);
    text_add(w->text, "}");
}

static void write_recall(JsonWriter *w, const Recall *r) {
    if (!r->object_form && !r->keep && !r->grad_mode_given) {
        write_inputs(w, r->inputs, r->ninputs);
        return;
    }
    if (r->keep) {
        text_add(w->text, "{\"keep\": true");
        text_add(w->text, r->keep_grads ? ", \"keep_grads\": true" : "");
        if (r->set) {
            json_write_key(w, "set");
            text_add(w->text, "{");
            for (int i = 0; i < r->nset; i++) {
                text_add(w->text, i ? ", " : "");
                json_write_name(w, r->set[i].name);
                text_printf(w->text, ": {\"requires_grad\": %s}",
                            r->set[i].requires_grad ? "true" : "false");
            }
            text_add(w->text, "}");
        }
    } else {
        text_add(w->text, "{\"inputs\": ");
        write_inputs(w, r->inputs, r->ninputs);
    }
    if (r->grad_mode_given) {
        json_write_flag(w, "grad_mode", r->grad_mode);
    }
    json_write_extra(w, r->extra);
    text_add(w->text, "}");
}

static void write_recalls(JsonWriter *w, const Program *p) {
    json_open_array(w);
    for (int i = 0; i < p->nrecalls; i++) {
        json_array_item(w, i);
        write_recall(w, &p->recalls[i]);
    }
    json_close_array(w, p->nrecalls);
}

/* ---- Python surface ("shell") ---- */

/* Returns what separates the next key. */
static const char *write_choices(const JsonWriter *w, const PathChoices *choices, const char *key,
                                 const char *const *names, const char *comma) {
    if (!choices->given) {
        return comma;
    }
    text_printf(w->text, "%s\"%s\": {", comma, key);
    for (int i = 0; i < choices->n; i++) {
        text_printf(w->text, "%s\"%s\": \"%s\"", i ? ", " : "", choices->v[i].path,
                    names[choices->v[i].choice]);
    }
    text_add(w->text, "}");
    return ", ";
}

static void write_surface(const JsonWriter *w, const PythonSurface *s) {
    const char *comma = "";
    text_add(w->text, "{");
    if (s->wrap_given) {
        text_printf(w->text, "\"wrap\": \"%s\"", json_wrap_names[s->wrap]);
        comma = ", ";
    }
    if (s->bindings_given) {
        text_printf(w->text, "%s\"roles\": {", comma);
        for (int i = 0; i < s->nbindings; i++) {
            text_add(w->text, i ? ", " : "");
            json_write_name(w, s->bindings[i].name);
            text_printf(w->text, ": \"%s\"", json_binding_names[s->bindings[i].binding]);
        }
        text_add(w->text, "}");
        comma = ", ";
    }
    comma = write_choices(w, &s->call_styles, "spelling", json_call_style_names, comma);
    comma = write_choices(w, &s->forms, "forms", json_form_names, comma);
    if (s->leave_given) {
        text_printf(w->text, "%s\"leave\": \"%s\"", comma, json_leave_names[s->leave]);
        comma = ", ";
    }
    if (s->outline_given) {
        text_printf(w->text, "%s\"outline\": [", comma);
        for (int i = 0; i < s->noutline; i++) {
            text_printf(w->text, "%s[%lld, %lld]", i ? ", " : "", (long long)s->outline[i].from,
                        (long long)s->outline[i].to);
        }
        text_add(w->text, "]");
        comma = ", ";
    }
    if (s->instances_given) {
        text_printf(w->text, "%s\"instances\": %lld", comma, (long long)s->instances);
        comma = ", ";
    }
    if (s->extra) {
        text_add(w->text, comma);
        text_add(w->text, s->extra);
    }
    text_add(w->text, "}");
}

/* ---- the program ---- */

/* The next member of the program's object, on its own line. */
static void write_member(const JsonWriter *w, const char *key) {
    text_add(w->text, ",");
    json_page_break(w, " ");
    text_printf(w->text, "\"%s\": ", key);
}

void program_print(Text *text, const Program *p, bool line) {
    JsonWriter w = {text, p, line, 1};
    text_add(text, "{");
    json_page_break(&w, "");
    text_printf(text, "\"twingrad\": %d", program_format(p));
    if (p->name) {
        write_member(&w, "name");
        text_json_string(w.text, p->name);
    }
    if (p->note) {
        write_member(&w, "note");
        text_json_string(w.text, p->note);
    }
    if (p->semantics != SEMANTICS_NONE) {
        write_member(&w, "semantics");
        text_printf(w.text, "\"%s\"", semantics_name(p->semantics));
    }
    if (p->inputs_given || p->ninputs > 0) {
        write_member(&w, "inputs");
        write_inputs(&w, p->inputs, p->ninputs);
    }
    if (p->nfunctions > 0) {
        write_member(&w, "functions");
        json_write_functions(&w, p);
    }
    write_member(&w, "body");
    json_write_block(&w, &p->body);
    write_member(&w, "return");
    json_write_names(&w, p->returns, p->nreturns);
    if (p->backward.given) {
        write_member(&w, "backward");
        write_backward(&w, &p->backward);
    }
    if (p->seed_given || program_is_random(p)) {
        write_member(&w, "seed");
        write_seed(&w, p->seed);
    }
    if (p->setup_given || p->setup.first) {
        write_member(&w, "setup");
        json_write_block(&w, &p->setup);
    }
    if (p->after_given || p->after.first) {
        write_member(&w, "after");
        json_write_block(&w, &p->after);
    }
    if (p->args_given || p->nargs > 0) {
        write_member(&w, "args");
        json_write_names(&w, p->args, p->nargs);
    }
    if (p->grad_mode_given || !p->grad_mode) {
        write_member(&w, "grad_mode");
        text_add(text, p->grad_mode ? "true" : "false");
    }
    if (p->recalls_given || p->nrecalls > 0) {
        write_member(&w, "recalls");
        write_recalls(&w, p);
    }
    if (p->surface) {
        write_member(&w, "shell");
        write_surface(&w, p->surface);
    }
    if (p->compile) {
        write_member(&w, "compile");
        compile_print(text, p->compile);
    }
    if (p->expect) {
        write_member(&w, "expect");
        result_print(text, p->expect, p);
    }
    if (p->extra) {
        text_add(text, ",");
        json_page_break(&w, " ");
        text_add(text, p->extra);
    }
    w.indent = 0;
    json_page_break(&w, "");
    text_add(text, line ? "}" : "}\n");
}
