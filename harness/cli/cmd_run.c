/* run: runs programs on one executor and prints results as text or as one JSON object a line. An
 * error that a program raises is a result, not a failure. */
#include "harness/cli/command.h"

#include <stdio.h>

typedef struct RunState {
    const Options *options;
    Executor executor;
    Arena arena;
    int code;
} RunState;

enum { SHOWN_ELEMENTS = 16 };

static void print_values(Text *t, const Values *v) {
    char size[160];
    ints_text(size, sizeof size, v->size, v->ndim);
    text_printf(t, "%s %s", dtype_name(v->dtype), size);
    if (!v->data) {
        return;
    }
    text_add(t, " = ");
    int64_t shown = min_i64(v->numel, SHOWN_ELEMENTS);
    for (int64_t i = 0; i < shown; i++) {
        text_add(t, i ? " " : "");
        text_number(t, v->data, v->dtype, i);
    }
    if (v->numel > shown) {
        text_printf(t, " ... (%lld elements)", (long long)v->numel);
    }
}

static void print_grad(Text *t, GradState state, const Values *grad) {
    if (state == GRAD_NULL) {
        text_add(t, "      grad None\n");
    } else if (state == GRAD_VALUE) {
        text_add(t, "      grad ");
        print_values(t, grad);
        text_add(t, "\n");
    }
}

static void cmd_run_print_call(Text *t, const Program *p, const CallResult *c, int number,
                               Arena *arena) {
    text_printf(t, "  call %d: ", number);
    if (c->ok) {
        text_add(t, "ok\n");
    } else {
        const char *at = c->error_at == AT_RETURN     ? "return"
                         : c->error_at == AT_BACKWARD ? "backward"
                         : c->error_at == AT_UNKNOWN  ? "an unknown location"
                                                      : program_path(arena, p, c->error_at);
        text_printf(t, "error %s at %s: %s\n", errcode_name(c->error), at,
                    c->message ? c->message : "");
    }
    for (int i = 0; i < c->ntrace; i++) {
        char v[160];
        if (c->trace[i].probe == PROBE_dtype) {
            snprintf(v, sizeof v, "[%s]", dtype_name((DType)c->trace[i].v[0]));
        } else {
            ints_text(v, sizeof v, c->trace[i].v, c->trace[i].n);
        }
        text_printf(t, "    %s %s %s\n", program_path(arena, p, c->trace[i].sid),
                    probe_name(c->trace[i].probe), v);
    }
    for (int i = 0; i < c->nreturns; i++) {
        const ReturnRecord *r = &c->returns[i];
        text_printf(t, "    return[%d] %s%s%s ", i, i < p->nreturns ? p->names[p->returns[i]] : "?",
                    r->requires_grad ? " requires_grad" : "", r->is_leaf ? " leaf" : "");
        print_values(t, &r->values);
        if (r->alias != ALIAS_NONE) {
            text_printf(t, " on the storage of %s %d", r->alias == ALIAS_INPUT ? "input" : "return",
                        r->alias_index);
        }
        text_add(t, "\n");
        print_grad(t, r->grad_state, &r->grad);
    }
    for (int i = 0; i < c->ninputs; i++) {
        const InputRecord *r = &c->inputs[i];
        text_printf(t, "    input %s%s version %lld, storage ", p->names[r->name],
                    r->requires_grad ? " requires_grad" : "", (long long)r->version);
        print_values(t, &r->data);
        text_add(t, "\n");
        print_grad(t, r->grad_state, &r->grad);
    }
}

static void cmd_run_each(void *user, const char *source, const Program *p) {
    RunState *s = user;
    RunOptions run = {.poke = s->options->poke, .limits = s->options->limits};
    double start = now_seconds();
    const Result *r = s->executor.run(&s->executor, p, &run, &s->arena);
    double seconds = now_seconds() - start;
    Text t = {.arena = &s->arena};
    if (s->options->json) {
        result_print(&t, r, p);
        text_add(&t, "\n");
    } else {
        text_printf(&t, "%s:\n", title_of(&s->arena, source, p));
        for (int k = 0; k < r->ncalls; k++) {
            cmd_run_print_call(&t, p, &r->calls[k], k, &s->arena);
        }
        if (s->options->timing) {
            text_printf(&t, "  %.3f ms\n", 1e3 * seconds);
        }
    }
    fwrite(t.v, 1, (size_t)t.n, stdout);
}

int cmd_run(const Options *o) {
    RunState s = {.options = o, .arena = ARENA_EMPTY};
    char message[1024];
    TargetSettings settings = target_settings(o);
    int code = executor_open_with(o->on ? o->on : "reference", NULL, &settings, &s.executor,
                                  message, sizeof message);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    s.executor.compile = o->compile;
    int walked = each_program(o, &s.arena, cmd_run_each, &s); /* changes s.code too */
    s.code = worst(s.code, walked);
    executor_close(&s.executor);
    arena_destroy(&s.arena);
    return s.code;
}
