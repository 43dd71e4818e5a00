/* What the stand-alone script runs, as plain Python values: calls with their inputs, the backward,
 * the settings of the compiler. */
#include "program/print/python.h"

#include <inttypes.h>
#include <string.h>

static void print_torch_ints(Text *t, const int64_t *v, int n) {
    text_add(t, "[");
    for (int i = 0; i < n; i++) {
        text_printf(t, i ? ", %" PRId64 : "%" PRId64, v[i]);
    }
    text_add(t, "]");
}

/* Prints (storage, dtype, size, stride, offset, requires_grad, data). */
static void print_torch_input(const Printer *pr, const Input *in, int number) {
    Text *t = pr->t;
    text_add(t, "        (");
    if (in->storage != NAME_NONE) {
        text_printf(t, "\"%s\"", pr->p->names[in->storage]);
    } else {
        text_printf(t, "%d", number);
    }
    text_add(t, ", ");
    print_dtype(pr, in->dtype);
    text_add(t, ", ");
    print_torch_ints(t, in->size, in->ndim);
    text_add(t, ", ");
    print_torch_ints(t, in->stride, in->ndim);
    text_printf(t, ", %" PRId64 ", %s, ", in->offset, in->requires_grad ? "True" : "False");
    if (!in->data.given) {
        text_add(t, "None");
    } else if (in->data.is_fill) {
        text_printf(t, "(\"%s\", %" PRIu64 ")", fill_name(in->data.fill), in->data.seed);
    } else {
        print_elements(pr, in->data.data, in->data.numel, in->dtype);
    }
    text_add(t, "),\n");
}

void torch_print_calls(const Printer *pr) {
    const Program *p = pr->p;
    Text *t = pr->t;
    text_add(t, "_CALLS = [\n");
    for (int call = 0; call <= p->nrecalls; call++) {
        const Recall *r = call > 0 ? &p->recalls[call - 1] : NULL;
        int ninputs;
        bool keep = r && r->keep, grad_mode;
        const Input *inputs = program_call_inputs(p, call, &ninputs, &grad_mode);
        text_add(t, "    {");
        if (p->seed_given || program_is_random(p)) {
            text_printf(t, "\"seed\": %" PRIu64 ", ", program_stream(p, call).seed);
        }
        text_printf(t, "\"grad_mode\": %s, \"keep\": %s, %s\"set\": {",
                    grad_mode ? "True" : "False", keep ? "True" : "False",
                    r && r->keep_grads ? "\"keep_grads\": True, " : "");
        for (int i = 0; r && i < r->nset; i++) {
            text_printf(t, "%s\"%s\": %s", i ? ", " : "", pr->p->names[r->set[i].name],
                        r->set[i].requires_grad ? "True" : "False");
        }
        text_add(t, "}, \"inputs\": [\n");
        for (int i = 0; !keep && i < ninputs; i++) {
            print_torch_input(pr, &inputs[i], i);
        }
        text_add(t, "    ]},\n");
    }
    text_add(t, "]\n_NAMES = [");
    for (int i = 0; i < p->ninputs; i++) {
        text_printf(t, "%s\"%s\"", i ? ", " : "", p->names[p->inputs[i].name]);
    }
    text_add(t, "]\n_BACKWARD = ");
    if (p->backward.given) {
        text_printf(t, "(\"%s\", %" PRIu64 ", ", fill_name(p->backward.fill), p->backward.seed);
        text_add(t, p->backward.nof < 0 ? "None" : "[");
        for (int i = 0; i < p->backward.nof; i++) {
            text_printf(t, i ? ", %d" : "%d", p->backward.of[i]);
        }
        text_add(t, p->backward.nof < 0 ? ")\n" : "])\n");
    } else {
        text_add(t, "None\n");
    }
}

void torch_print_settings(Text *t, const CompileSettings *c) {
    text_add(t, "_COMPILE = {");
    const char *comma = "";
    for (int i = 0; c && i < c->nconfig; i++) {
        const char *v = c->config[i].value;
        text_printf(t, "%s\"%s\": %s", i ? ", " : "\"config\": {", c->config[i].name,
                    strcmp(v, "true") == 0    ? "True"
                    : strcmp(v, "false") == 0 ? "False"
                    : strcmp(v, "null") == 0  ? "None"
                                              : v);
        comma = ", ";
    }
    text_add(t, c && c->nconfig > 0 ? "}" : "");
    for (int i = 0; c && i < c->nmarks; i++) {
        text_printf(t, i ? ", \"%s\": " : "%s\"mark_dynamic\": {\"%s\": ",
                    i ? c->marks[i].name : comma, c->marks[i].name);
        compile_print_dims(t, c->marks[i].dims);
        text_add(t, i + 1 == c->nmarks ? "}" : "");
        comma = ", ";
    }
    if (c && c->dynamic_given) {
        text_printf(t, "%s\"dynamic\": %s", comma, c->dynamic ? "True" : "False");
        comma = ", ";
    }
    if (c && c->fullgraph_given) {
        text_printf(t, "%s\"fullgraph\": %s", comma, c->fullgraph ? "True" : "False");
    }
    text_add(t, "}\n");
}
