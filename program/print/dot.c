/* Prints a program as Graphviz: one node for each statement, and an edge from the statement that
 * last bound or wrote a name to each statement that uses it; statements that write are red. Blocks
 * are visited in text order, so an edge into a branch starts at the last statement before it in the
 * text. */
#include "program/print/print.h"
#include "program/lang/uses.h"

#include <string.h>

typedef struct Dot {
    Text *t;
    const Program *p;
    int *last; /* by NameId: node that last bound or wrote it, or -1 */
    int node;  /* the current statement */
    bool writes;
} Dot;

/* Appends a label in double quotes. */
static void add_print_label(Text *t, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            text_add(t, "\\");
        }
        text_addn(t, (unsigned char)*c < 0x20 ? " " : c, 1);
    }
}

static void edges(void *user, NameId *name, Use use) {
    Dot *d = user;
    if (use != USE_BIND && d->last[*name] >= 0) {
        text_printf(d->t, "  n%d -> n%d [label=\"%s\"%s];\n", d->last[*name], d->node,
                    d->p->names[*name], use == USE_WRITE ? ", color=red" : "");
    }
    if (use != USE_READ) {
        d->last[*name] = d->node;
    }
    d->writes |= use == USE_WRITE;
}

static void add_block(Dot *d, const Block *block) {
    for (Stmt *s = block->first; s; s = s->next) {
        d->node = s->sid;
        d->writes = false;
        stmt_uses(s, edges, d);
        Text label = {.arena = d->t->arena};
        text_printf(&label, "%s: ", program_path(d->t->arena, d->p, s->sid));
        stmt_print_text(&label, d->p, s);
        text_printf(d->t, "  n%d [label=\"", s->sid);
        add_print_label(d->t, label.v);
        text_printf(d->t, "\"%s];\n", d->writes ? ", color=red" : "");
        add_block(d, &s->body);
        add_block(d, &s->orelse);
    }
}

void program_print_dot(Text *text, const Program *p) {
    Dot d = {.t = text, .p = p, .last = arena_array(text->arena, int, p->nnames + 1)};
    memset(d.last, -1, sizeof(int) * (size_t)(p->nnames + 1));
    text_add(text, "digraph program {\n  node [shape=box, fontname=monospace];\n");
    for (int i = 0; i < p->ninputs; i++) {
        int node = p->nstmts + i;
        d.last[p->inputs[i].name] = node;
        text_printf(text, "  n%d [label=\"%s: %s\", shape=ellipse];\n", node,
                    p->names[p->inputs[i].name], dtype_name(p->inputs[i].dtype));
    }
    add_block(&d, &p->setup);
    add_block(&d, &p->body);
    for (int i = 0; i < p->nreturns; i++) {
        text_printf(text, "  r%d [label=\"return[%d]\", shape=ellipse];\n", i, i);
        if (d.last[p->returns[i]] >= 0) {
            text_printf(text, "  n%d -> r%d [label=\"%s\"];\n", d.last[p->returns[i]], i,
                        p->names[p->returns[i]]);
        }
    }
    text_add(text, "}\n");
}
