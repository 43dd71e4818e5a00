/* The Python surface: how the same program is written in Python. It does not change the result. */
#include "fuzz/generate/draw.h"

/* Draws call styles of statements that write in place, sometimes of other ops, and Python around
 * some of the calls. */
typedef struct Spell {
    Gen *g;
    PathChoices *choices;
    int capacity;
    int percent;   /* of the statements that write in place */
    int elsewhere; /* of the others */
    int (*draw)(Gen *g);
} Spell;

static int draw_call_style(Gen *g) {
    int r = draw_below(g, 100);
    return r < 35   ? STYLE_function
           : r < 70 ? STYLE_kwargs
           : r < 80 ? STYLE_method
           : r < 90 ? STYLE_operator
                    : STYLE_torch_ops;
}

static int draw_python_form(Gen *g) { return draw_below(g, FORM_COUNT); }

static void spell_block(Spell *x, const Block *block) {
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == STMT_WITH || s->kind == STMT_IF) {
            spell_block(x, &s->body);
            spell_block(x, &s->orelse);
        } else if (s->kind == STMT_OP) {
            bool writes = s->op->nparam > 0 && s->op->param[0].writes;
            if (x->choices->n < x->capacity &&
                draw_chance(x->g, writes ? x->percent : x->elsewhere)) {
                int at = x->choices->n++;
                x->choices->v[at].path = program_path(x->g->arena, x->g->p, s->sid);
                x->choices->v[at].choice = x->draw(x->g);
            }
        }
    }
}

static void draw_choices(Gen *g, PathChoices *choices, int percent, int elsewhere,
                         int (*draw)(Gen *g)) {
    Spell x = {g, choices, 24, percent, elsewhere, draw};
    choices->given = true;
    choices->v = arena_alloc(g->arena, (int64_t)sizeof choices->v[0] * x.capacity);
    spell_block(&x, &g->p->body);
}

void draw_surface(Gen *g) {
    Program *p = g->p;
    bool forms = draw_feature(g, g->w[W_forms]), leave = draw_feature(g, g->w[W_leave]);
    bool styles = g->want_call_style || draw_chance(g, g->w[W_shell]);
    if (!styles && !forms && !leave) {
        return;
    }
    PythonSurface *surface = arena_new(g->arena, PythonSurface);
    p->surface = surface;
    if (forms) {
        int percent = draw_between(g, 15, 60);
        draw_choices(g, &surface->forms, percent, percent, draw_python_form);
    }
    if (leave) {
        surface->leave_given = true;
        surface->leave = (Leave)draw_below(g, LEAVE_COUNT);
    }
    if (!styles) {
        return;
    }
    if (draw_chance(g, 30)) {
        surface->wrap_given = true;
        surface->wrap = (Wrap)draw_below(g, WRAP_COUNT);
    }
    if (p->ninputs > 0 && !p->args_given && draw_chance(g, 25)) {
        surface->bindings_given = true;
        surface->bindings =
            arena_alloc(g->arena, (int64_t)sizeof surface->bindings[0] * p->ninputs);
        for (int i = 0; i < p->ninputs; i++) {
            if (draw_chance(g, 50)) {
                const Input *in = &p->inputs[i];
                static const BindingKind plain[] = {BINDING_arg, BINDING_closure, BINDING_global,
                                                    BINDING_attr, BINDING_buffer};
                surface->bindings[surface->nbindings].name = in->name;
                surface->bindings[surface->nbindings++].binding =
                    in->requires_grad ? (draw_chance(g, 40) ? BINDING_parameter : BINDING_attr)
                                      : plain[draw_below(g, COUNT_OF(plain))];
            }
        }
    }
    if (g->want_call_style || draw_chance(g, 70)) {
        int percent = g->want_call_style ? 85 : 50;
        draw_choices(g, &surface->call_styles, percent, percent / 5, draw_call_style);
    }
    if (p->body.count > 2 && draw_chance(g, 8)) {
        int64_t from = draw_below(g, p->body.count - 1);
        surface->outline_given = true;
        surface->outline = arena_alloc(g->arena, (int64_t)sizeof surface->outline[0]);
        surface->noutline = 1;
        surface->outline[0].from = from;
        surface->outline[0].to = draw_between(g, from + 1, p->body.count);
    }
    if (draw_chance(g, 8)) {
        surface->instances_given = true;
        surface->instances = draw_between(g, 1, 3);
    }
}
