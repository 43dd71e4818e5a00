/* A cluster for each executor, a node for every value that a statement binds or writes, an edge to
 * each tensor that the statement reads. Solid: a gradient flows along it; dashed: none does;
 * dotted: the executor does not tell. After a write the old value cannot be observed, so the edge
 * to it is bold and makes no claim. Edges on which the executors differ are red. */
#include "harness/triage/trace.h"

#include "harness/triage/locate.h"
#include "program/print/print.h"
#include "program/lang/uses.h"

typedef struct TraceDotDrawing {
    Trace *t;
    Text *text;
    int *node; /* by NameId: the node of its latest value, or -1 */
    int nodes;
    NameSet read, made; /* of the current statement */
} TraceDotDrawing;

static void note_use(void *user, NameId *name, Use use) {
    TraceDotDrawing *d = user;
    if (use == USE_READ) {
        names_add(&d->read, *name);
    } else {
        names_add(&d->made, *name);
    }
}

static void trace_dot_label(Text *out, const char *text) {
    for (; *text; text++) {
        text_add(out, *text == '"' || *text == '\\' ? "\\" : "");
        text_addn(out, (unsigned char)*text < 0x20 ? " " : text, 1);
    }
}

static void draw_node(TraceDotDrawing *d, int side, const TraceStep *step, int index,
                      const char *what) {
    NameId name = step->shown.name[index];
    const ReturnRecord *r = step->value[side][index].record;
    d->node[name] = d->nodes++;
    text_printf(d->text, "    %c%d [label=\"%s\\n", "ab"[side], d -> node[name],
                d -> t -> program -> names[name]);
    trace_dot_label(d->text, what);
    if (r) {
        char size[160];
        ints_text(size, sizeof size, r->values.size, r->values.ndim);
        text_printf(d->text, "\\n%s %s", dtype_name(r->values.dtype), size);
    }
    text_printf(d->text, "\"%s];\n",
                r && r->requires_grad ? ", style=filled, fillcolor=lightyellow" : "");
}

static void draw_edges(TraceDotDrawing *d, int side, int sid, NameId made, int before) {
    static const char *const style[] = {
        [FLOW_NO] = "dashed", [FLOW_YES] = "solid", [FLOW_UNKNOWN] = "dotted"};
    Executor *both[2] = {&d->t->checker.a, &d->t->checker.b};
    if (before >= 0) {
        text_printf(d->text, "    %c%d -> %c%d [style=bold];\n", "ab"[side], d -> node[made],
                    "ab"[side], before);
    }
    for (int i = 0; i < d->read.n; i++) {
        NameId from = d->read.name[i];
        if (d->node[from] >= 0 && from != made) {
            Flow flow = trace_flow(d->t, both[side], sid, made, from),
                 other = trace_flow(d->t, both[1 - side], sid, made, from);
            text_printf(d->text, "    %c%d -> %c%d [style=%s%s];\n", "ab"[side], d -> node[made],
                        "ab"[side], d -> node[from], style[flow],
                        flow != other ? ", color=red" : "");
        }
    }
}

static void draw_side(Trace *t, int side, Text *text) {
    TraceDotDrawing d = {
        .t = t, .text = text, .node = arena_array(text->arena, int, t->program->nnames + 1)};
    for (int i = 0; i < t->program->nnames; i++) {
        d.node[i] = -1;
    }
    text_printf(text, "  subgraph cluster_%d {\n    label=\"", side);
    trace_dot_label(text, side ? t->checker.b.name : t->checker.a.name);
    text_add(text, "\";\n");
    t->names.n = 0;
    t->before[0] = t->before[1] = NULL;
    TraceStep step;
    for (int sid = AT_UNKNOWN; trace_step(t, &sid, &step) && step.status != TRACE_RAISED;) {
        if (step.status == TRACE_NOT_RUN) {
            continue;
        }
        d.read.n = d.made.n = 0;
        if (sid >= 0) {
            stmt_uses(program_stmt(t->program, sid), note_use, &d);
        }
        for (int k = 0; k < step.shown.n; k++) {
            NameId name = step.shown.name[k];
            if (sid < 0 || names_has(&d.made, name)) {
                const Stmt *s = sid < 0 ? NULL : program_stmt(t->program, sid);
                int before = d.node[name];
                draw_node(&d, side, &step, k, s ? locate_stmt_name(t->program, s) : "passed");
                draw_edges(&d, side, sid, name, before);
            }
        }
    }
    text_add(text, "  }\n");
}

void trace_dot(Trace *t, Text *text) {
    text_add(text, "digraph trace {\n  rankdir=BT;\n  node [shape=box, fontname=monospace];\n");
    draw_side(t, 0, text);
    draw_side(t, 1, text);
    text_add(text, "}\n");
}
