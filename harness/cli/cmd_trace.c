/* trace: prints the values of both executors statement by statement and marks the first statement
 * at which they differ. One line per name where they agree, one per executor where they do not. */
#include "harness/cli/command.h"
#include "harness/filing/report.h"
#include "harness/triage/trace.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_ELEMENTS = 8 };

typedef struct TraceState {
    const Options *options;
    Checker checker;
    Arena arena;
    int code;
    bool marked; /* the first difference is printed */
} TraceState;

/* "vec, rows" of the inputs whose bits are set. */
static void add_inputs(Text *t, const Program *p, const CallResult *call, uint64_t reaches,
                       uint64_t zeros) {
    int n = 0;
    for (int i = 0; i < call->ninputs && i < 64; i++) {
        if ((reaches >> i) & 1) {
            text_printf(t, n++ ? ", %s%s" : "%s%s", p->names[call->inputs[i].name],
                        (zeros >> i) & 1 ? " (zero)" : "");
        }
    }
    text_add(t, n ? "" : "no input");
}

static const char *alias_text(Arena *arena, const TraceStep *step, const CallResult *call,
                              const ReturnRecord *r) {
    const Program *p = step->prefix;
    if (r->alias == ALIAS_INPUT && r->alias_index < call->ninputs) {
        return p->names[call->inputs[r->alias_index].name];
    }
    return r->alias == ALIAS_RETURN && r->alias_index < p->nreturns
               ? p->names[p->returns[r->alias_index]]
               : arena_printf(arena, "itself");
}

static const char *value_text(Arena *arena, const TraceStep *step, int side, int k) {
    const TraceValue *v = &step->value[side][k];
    const ReturnRecord *r = v->record;
    Text t = {.arena = arena};
    if (!r) {
        return "not bound";
    }
    char size[160], stride[160];
    ints_text(size, sizeof size, r->values.size, r->values.ndim);
    ints_text(stride, sizeof stride, r->stride, r->values.ndim);
    text_printf(&t, "%s %s stride %s offset %lld", dtype_name(r->values.dtype), size, stride,
                (long long)r->storage_offset);
    if (r->alias != ALIAS_NONE && strcmp(alias_text(arena, step, step->call[side], r),
                                         step->prefix->names[step->shown.name[k]]) != 0) {
        text_printf(&t, ", storage of %s", alias_text(arena, step, step->call[side], r));
    }
    if (v->version >= 0) {
        text_printf(&t, ", version %lld", (long long)v->version);
    }
    text_add(&t, r->requires_grad ? r->is_leaf ? ", requires_grad, leaf" : ", requires_grad" : "");
    if (v->flag >= 0 && (v->flag != 0) != r->requires_grad) {
        text_printf(&t, ", but a probe of requires_grad says %s", v->flag ? "true" : "false");
    }
    if (v->reach_known) {
        text_add(&t, ", its gradient reaches ");
        add_inputs(&t, step->prefix, step->call[side], v->reaches, v->zeros);
    }
    text_add(&t, r->values.data ? " =" : "");
    for (int64_t i = 0; r->values.data && i < min_i64(r->values.numel, SHOWN_ELEMENTS); i++) {
        text_add(&t, " ");
        text_number(&t, r->values.data, r->values.dtype, i);
    }
    text_add(&t, r->values.data && r->values.numel > SHOWN_ELEMENTS ? " .." : "");
    return t.v;
}

static const char *statement_of(Arena *arena, const Program *p, int sid) {
    return report_statement(arena, p, sid < 0 ? AT_INPUTS : sid);
}

static const char *raised_text(Arena *arena, const Program *p, const CallResult *c) {
    const char *at = c->error_at >= 0 && c->error_at < p->nstmts
                         ? program_path(arena, p, c->error_at)
                     : c->error_at == AT_RETURN ? "return"
                                                : "an unknown location";
    return c->ok ? "continues"
                 : arena_printf(arena, "raises %s at %s: %s", errcode_name(c->error), at,
                                c->message ? printable(arena, c->message) : "");
}

static void print_step(TraceState *s, const Program *p, const TraceStep *step) {
    Arena *arena = &s->arena;
    Text t = {.arena = arena};
    const char *name[2] = {s->checker.a.name, strcmp(s->checker.a.name, s->checker.b.name) == 0
                                                  ? "again"
                                                  : s->checker.b.name};
    bool differs = step->result.verdict == FINDING, first = differs && !s->marked;
    s->marked |= differs;
    text_printf(&t, "%s%s%s%s\n", first ? color("\033[31m") : "", first ? "> " : "  ",
                statement_of(arena, p, step->sid), first ? color("\033[0m") : "");
    if (step->status == TRACE_NOT_RUN) {
        text_add(&t, "      not run: in a branch that is not taken, or after an error\n");
    }
    for (int side = 0; step->status == TRACE_RAISED && side < 2; side++) {
        text_printf(&t, "      %-10s %s\n", name[side], raised_text(arena, p, step->call[side]));
    }
    for (int k = 0; step->status == TRACE_HELD && k < step->shown.n; k++) {
        const char *a = value_text(arena, step, 0, k), *b = value_text(arena, step, 1, k);
        const char *value = p->names[step->shown.name[k]];
        if (differs && strcmp(a, b) != 0) {
            text_printf(&t, "      %-10s %-10s %s\n      %-10s %-10s %s\n", value, name[0], a, "",
                        name[1], b);
        } else {
            text_printf(&t, "      %-10s %s\n", value, a);
        }
    }
    if (first) {
        Finding f = step->result.finding;
        const char *location = f.subject == SUBJECT_TRACE || f.subject == SUBJECT_CALL
                                   ? "what a probe or a branch sees"
                                   : finding_location(arena, step->prefix, &f);
        text_printf(&t, "      the first difference: oracle %s (%s), %s: %s against %s\n",
                    oracle_name(f.oracle), f.kind, location, f.a, f.b);
    }
    fputs(t.v, stdout);
}

static void json_value(Text *t, const TraceStep *step, const Program *p, int side, int k) {
    const TraceValue *v = &step->value[side][k];
    const ReturnRecord *r = v->record;
    if (!r) {
        text_add(t, "null");
        return;
    }
    char size[160], stride[160];
    ints_text(size, sizeof size, r->values.size, r->values.ndim);
    ints_text(stride, sizeof stride, r->stride, r->values.ndim);
    text_printf(t,
                "{\"dtype\":\"%s\",\"size\":%s,\"stride\":%s,\"storage_offset\":%lld,\"requires_"
                "grad\":%s,\"is_leaf\":%s",
                dtype_name(r->values.dtype), size, stride, (long long)r->storage_offset,
                r->requires_grad ? "true" : "false", r->is_leaf ? "true" : "false");
    if (r->alias != ALIAS_NONE) {
        text_printf(t, ",\"storage_of\":\"%s\"", alias_text(t->arena, step, step->call[side], r));
    }
    if (v->version >= 0) {
        text_printf(t, ",\"version\":%lld", (long long)v->version);
    }
    if (v->reach_known) {
        text_add(t, ",\"gradient_reaches\":[");
        int n = 0;
        for (int i = 0; i < step->call[side]->ninputs && i < 64; i++) {
            if ((v->reaches >> i) & 1) {
                text_printf(t, n++ ? ",\"%s\"" : "\"%s\"",
                            p->names[step->call[side]->inputs[i].name]);
            }
        }
        text_add(t, "]");
    }
    text_add(t, "}");
}

static void print_step_json(TraceState *s, const char *source, const Program *p,
                            const TraceStep *step) {
    static const char *const status[] = {
        [TRACE_HELD] = "held", [TRACE_NOT_RUN] = "not_run", [TRACE_RAISED] = "raised"};
    static const char *const verdict[] = {
        [AGREE] = "agree", [FINDING] = "finding", [SKIP] = "skip"};
    Text t = {.arena = &s->arena};
    text_add(&t, "{\"type\":\"step\",\"schema_version\":1,\"file\":");
    text_json_string(&t, source);
    text_printf(&t, ",\"at\":\"%s\",\"statement\":",
                step->sid < 0 ? "inputs" : program_path(&s->arena, p, step->sid));
    text_json_string(&t, statement_of(&s->arena, p, step->sid));
    text_printf(&t, ",\"status\":\"%s\",\"verdict\":\"%s\",\"first\":%s", status[step->status],
                verdict[step->result.verdict],
                step->result.verdict == FINDING && !s->marked ? "true" : "false");
    s->marked |= step->result.verdict == FINDING;
    for (int side = 0; step->status == TRACE_RAISED && side < 2; side++) {
        text_printf(&t, ",\"%s\":", side ? "b" : "a");
        text_json_string(&t, raised_text(&s->arena, p, step->call[side]));
    }
    text_add(&t, ",\"values\":{");
    for (int k = 0; step->status == TRACE_HELD && k < step->shown.n; k++) {
        text_printf(&t, "%s\"%s\":{\"a\":", k ? "," : "", p->names[step->shown.name[k]]);
        json_value(&t, step, p, 0, k);
        text_add(&t, ",\"b\":");
        json_value(&t, step, p, 1, k);
        text_add(&t, "}");
    }
    text_add(&t, "}}");
    puts(t.v);
}

static void cmd_trace_each(void *user, const char *source, const Program *p) {
    TraceState *s = user;
    const Options *o = s->options;
    CheckResult out;
    Checker whole = s->checker;
    check_program(&whole, p, &s->arena, &out);
    Trace t;
    trace_begin(&t, &s->checker, p, out.verdict == FINDING ? out.finding.call : 0);
    s->code = worst(s->code, out.verdict == FINDING ? EXIT_FINDINGS : EXIT_AGREE);
    s->marked = false;
    if (o->dot) {
        Text text = {.arena = &s->arena};
        trace_dot(&t, &text);
        fwrite(text.v, 1, (size_t)text.n, stdout);
        trace_end(&t);
        return;
    }
    if (!o->json) {
        printf("%s, %s, call %d: ", title_of(&s->arena, source, p), s->checker.pair, t.call);
        if (out.verdict == FINDING) {
            check_locate(&whole, p, &out.finding, &s->arena);
            printf("%s\n", out.finding.signature);
        } else {
            puts(out.verdict == SKIP ? skip_name(out.skip) : "agree");
        }
    }
    TraceStep step;
    for (int sid = AT_UNKNOWN; trace_step(&t, &sid, &step);) {
        if (o->json) {
            print_step_json(s, source, p, &step);
        } else {
            print_step(s, p, &step);
        }
        if (step.status == TRACE_RAISED) {
            break;
        }
    }
    trace_end(&t);
    if (out.verdict == FINDING && !s->marked && !o->json) {
        printf("  no prefix differs: the difference needs the whole program (%s at %s: %s against "
               "%s)\n",
               oracle_name(out.finding.oracle), finding_location(&s->arena, p, &out.finding),
               out.finding.a, out.finding.b);
    }
}

int cmd_trace(const Options *o) {
    TraceState s = {.options = o, .arena = ARENA_EMPTY};
    return each_checked(o, &s.checker, &s.arena, &s.code, cmd_trace_each, &s);
}
