/* The shell: how the same program is written in Python. It means nothing to the result. */
#include "fuzz/generate/draw.h"

/* Spells statements that write in place; other ops now and then. */
typedef struct Spell {
    Gen *g;
    Shell *shell;
    int capacity;
    int percent;
} Spell;

static void spell_block(Spell *x, const Block *block) {
    for (const Stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == STMT_WITH || s->kind == STMT_IF) {
            spell_block(x, &s->body);
            spell_block(x, &s->orelse);
        } else if (s->kind == STMT_OP) {
            bool writes = s->op->nparam > 0 && s->op->param[0].writes;
            if (x->shell->nspelling < x->capacity && draw_chance(x->g, writes ? x->percent : x->percent / 5)) {
                int r = draw_below(x->g, 100);
                int at = x->shell->nspelling++;
                x->shell->spelling[at].path = program_path(x->g->arena, x->g->p, s->sid);
                x->shell->spelling[at].spelling = r < 35 ? SPELL_function : r < 70 ? SPELL_kwargs : r < 80 ? SPELL_method : r < 90 ? SPELL_operator : SPELL_torch_ops;
            }
        }
    }
}

void draw_shell(Gen *g) {
    Program *p = g->p;
    if (!g->want_spelling && !draw_chance(g, g->w[W_shell])) {
        return;
    }
    Shell *shell = arena_new(g->arena, Shell);
    p->shell = shell;
    if (draw_chance(g, 30)) {
        shell->wrap_given = true;
        shell->wrap = (Wrap)draw_below(g, WRAP_COUNT);
    }
    if (p->ninputs > 0 && !p->args_given && draw_chance(g, 25)) {
        shell->roles_given = true;
        shell->roles = arena_alloc(g->arena, (int64_t)sizeof shell->roles[0] * p->ninputs);
        for (int i = 0; i < p->ninputs; i++) {
            if (draw_chance(g, 50)) {
                const Input *in = &p->inputs[i];
                static const Role plain[] = {ROLE_arg, ROLE_closure, ROLE_global, ROLE_attr, ROLE_buffer};
                shell->roles[shell->nroles].name = in->name;
                shell->roles[shell->nroles++].role = in->requires_grad ? (draw_chance(g, 40) ? ROLE_parameter : ROLE_attr) : plain[draw_below(g, COUNT_OF(plain))];
            }
        }
    }
    if (g->want_spelling || draw_chance(g, 70)) {
        Spell x = {g, shell, 24, g->want_spelling ? 85 : 50};
        shell->spelling_given = true;
        shell->spelling = arena_alloc(g->arena, (int64_t)sizeof shell->spelling[0] * x.capacity);
        spell_block(&x, &p->body);
    }
    if (p->body.count > 2 && draw_chance(g, 8)) {
        int64_t from = draw_below(g, p->body.count - 1);
        shell->outline_given = true;
        shell->outline = arena_alloc(g->arena, (int64_t)sizeof shell->outline[0]);
        shell->noutline = 1;
        shell->outline[0].from = from;
        shell->outline[0].to = draw_between(g, from + 1, p->body.count);
    }
    if (draw_chance(g, 8)) {
        shell->instances_given = true;
        shell->instances = draw_between(g, 1, 3);
    }
}
