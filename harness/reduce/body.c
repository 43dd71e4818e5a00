/* Reducers of statements: what runs, in what wrapping, and what is returned. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"
#include "program/lang/uses.h"

Step reduce_text(Program *p, int k) {
    switch (k) {
    case 0:
        if (!p->expect) {
            return STEP_NOTHING;
        }
        p->expect = NULL;
        return STEP_MADE;
    case 1:
        if (!p->name && !p->note && !p->extra) {
            return STEP_NOTHING;
        }
        p->name = p->note = p->extra = NULL;
        return STEP_MADE;
    case 2:
        if (!p->surface) {
            return STEP_NOTHING;
        }
        p->surface = NULL;
        return STEP_MADE;
    default:
        return STEP_END;
    }
}

static void drop_choice(PathChoices *choices, int k) {
    choices->v[k] = choices->v[choices->n - 1];
    choices->given = --choices->n > 0;
}

Step reduce_shell(Program *p, int k) {
    PythonSurface *s = p->surface;
    if (!s || k >= 4 + s->nbindings + s->call_styles.n + s->forms.n) {
        return STEP_END;
    }
    if (k == 0 && s->wrap_given) {
        s->wrap_given = false;
    } else if (k == 1 && s->outline_given) {
        s->outline_given = false;
        s->noutline = 0;
    } else if (k == 2 && s->instances_given) {
        s->instances_given = false;
    } else if (k == 3 && s->leave_given) {
        s->leave_given = false;
    } else if (k < 4) {
        return STEP_NOTHING;
    } else if (k - 4 < s->nbindings) {
        s->bindings[k - 4] = s->bindings[s->nbindings - 1];
        s->bindings_given = --s->nbindings > 0;
    } else {
        k -= 4 + s->nbindings;
        bool style = k < s->call_styles.n;
        drop_choice(style ? &s->call_styles : &s->forms, style ? k : k - s->call_styles.n);
    }
    return STEP_MADE;
}

/* Candidates: all recalls, the halves of them, .., down to each. */
Step reduce_recall(Program *p, int k) {
    if (k == 0 && p->nrecalls == 0 && p->recalls_given) {
        p->recalls_given = false;
        return STEP_MADE;
    }
    for (int n = p->nrecalls, size = n; size >= 1; size /= 2) {
        int count = (n + size - 1) / size;
        if (k < count) {
            int from = k * size, to = from + size < n ? from + size : n;
            memmove(&p->recalls[from], &p->recalls[to], sizeof *p->recalls * (size_t)(n - to));
            p->nrecalls -= to - from;
            return STEP_MADE;
        }
        k -= count;
    }
    return STEP_END;
}

/* Candidates: all chunks of n/2 statements, then of n/4, .., down to 2, by sid. */
Step reduce_chunk(Program *p, int k) {
    for (int size = p->nstmts / 2; size >= 2; size /= 2) {
        int count = (p->nstmts + size - 1) / size;
        if (k < count) {
            bool *drop = arena_array(p->arena, bool, p->nstmts);
            for (int sid = k * size; sid < (k + 1) * size && sid < p->nstmts; sid++) {
                drop[sid] = true;
            }
            edit_drop(p, drop);
            return STEP_MADE;
        }
        k -= count;
    }
    return STEP_END;
}

/* The last statement first: what it makes is used least. */
Step reduce_statement(Program *p, int k) {
    if (k >= p->nstmts) {
        return STEP_END;
    }
    bool *drop = arena_array(p->arena, bool, p->nstmts);
    drop[p->nstmts - 1 - k] = true;
    edit_drop(p, drop);
    return STEP_MADE;
}

typedef struct Rename {
    NameId from, to;
    bool rebound;
} Rename;

static void rename_use(void *user, NameId *name, Use use) {
    Rename *r = user;
    if (*name != r->from || r->rebound) {
        return;
    }
    if (use == USE_BIND) {
        r->rebound = true;
    } else {
        *name = r->to;
    }
}

enum { OPERANDS = 3 };

typedef struct BodyOperands {
    NameId name[OPERANDS];
    int n;
} BodyOperands;

static void note_operand(void *user, NameId *name, Use use) {
    BodyOperands *o = user;
    bool known = use == USE_BIND || o->n == OPERANDS;
    for (int i = 0; i < o->n; i++) {
        known |= o->name[i] == *name;
    }
    if (!known) {
        o->name[o->n++] = *name;
    }
}

Step reduce_bypass(Program *p, int candidate) {
    int k = candidate / OPERANDS;
    if (k >= p->nstmts) {
        return STEP_END;
    }
    Stmt **stmts = edit_statements(p->arena, p);
    Stmt *s = stmts[k];
    BodyOperands operands = {.n = 0};
    if (s->kind == STMT_OP && s->nout == 1) {
        stmt_uses(s, note_operand, &operands);
    }
    if (candidate % OPERANDS >= operands.n) {
        return STEP_NOTHING;
    }
    Rename r = {.from = s->out[0], .to = operands.name[candidate % OPERANDS]};
    for (int sid = k + 1; sid < p->nstmts; sid++) {
        stmt_uses(stmts[sid], rename_use, &r);
    }
    for (int i = 0; i < p->nreturns && !r.rebound; i++) {
        p->returns[i] = p->returns[i] == r.from ? r.to : p->returns[i];
    }
    for (int i = 0; i < p->nargs; i++) {
        p->args[i] = p->args[i] == r.from ? r.to : p->args[i];
    }
    for (int i = 0; i < p->nrecalls; i++) {
        for (int j = 0; j < p->recalls[i].nset; j++) {
            NameId *name = &p->recalls[i].set[j].name;
            *name = *name == r.from ? r.to : *name;
        }
    }
    bool *drop = arena_array(p->arena, bool, p->nstmts);
    drop[k] = true;
    edit_drop(p, drop);
    return STEP_MADE;
}

Step reduce_inline_block(Program *p, int k) {
    if (k >= p->nstmts) {
        return STEP_END;
    }
    Stmt *s = edit_statements(p->arena, p)[k];
    if (s->kind != STMT_WITH && s->kind != STMT_IF) {
        return STEP_NOTHING;
    }
    edit_inline(p, s, &s->body);
    return STEP_MADE;
}

Step reduce_inline_else(Program *p, int k) {
    if (k >= p->nstmts) {
        return STEP_END;
    }
    Stmt *s = edit_statements(p->arena, p)[k];
    if (s->kind != STMT_IF || s->orelse.count == 0) {
        return STEP_NOTHING;
    }
    edit_inline(p, s, &s->orelse);
    return STEP_MADE;
}

Step reduce_probes(Program *p, int k) {
    if (k > 0) {
        return STEP_END;
    }
    if (!edit_has_probes(p)) {
        return STEP_NOTHING;
    }
    edit_drop_probes(p);
    return STEP_MADE;
}

Step reduce_question(Program *p, int k) {
    static const int probe_of[] = {[PRED_requires_grad] = PROBE_requires_grad,
                                   [PRED_is_leaf] = PROBE_is_leaf,
                                   [PRED_has_grad_fn] = PROBE_has_grad_fn,
                                   [PRED_is_contiguous] = PROBE_is_contiguous,
                                   [PRED_is_grad_enabled] = PROBE_is_grad_enabled,
                                   [PRED_dtype] = PROBE_dtype,
                                   [PRED_dim] = PROBE_size};
    if (k >= p->nstmts) {
        return STEP_END;
    }
    Stmt *s = edit_statements(p->arena, p)[k];
    if (s->kind != STMT_IF && s->kind != STMT_ASSERT) {
        return STEP_NOTHING;
    }
    const Predicate *predicate = &s->predicate;
    while (predicate->kind == PRED_not) {
        predicate = predicate->inner;
    }
    *s = (Stmt){.next = s->next,
                .kind = STMT_PROBE,
                .probe = (ProbeKind)probe_of[predicate->kind],
                .of = predicate->kind == PRED_is_grad_enabled ? NAME_NONE : predicate->of};
    program_number(p);
    return STEP_MADE;
}

Step reduce_return_value(Program *p, int k) {
    if (k >= p->nreturns) {
        return STEP_END;
    }
    for (int i = k; i + 1 < p->nreturns; i++) {
        p->returns[i] = p->returns[i + 1];
    }
    p->nreturns--;
    int n = 0;
    for (int i = 0; i < p->backward.nof; i++) {
        int index = p->backward.of[i];
        if (index != k) {
            p->backward.of[n++] = index - (index > k);
        }
    }
    p->backward.nof = p->backward.nof < 0 ? -1 : n;
    return STEP_MADE;
}

Step reduce_backward(Program *p, int k) {
    Backward *b = &p->backward;
    if (!b->given) {
        return STEP_END;
    }
    switch (k) {
    case 0:
        *b = (Backward){.given = false};
        return STEP_MADE;
    case 1:
        if (b->nof < 0) {
            return STEP_NOTHING;
        }
        b->nof = -1;
        return STEP_MADE;
    case 2:
        if (b->fill == FILL_ones) {
            return STEP_NOTHING;
        }
        b->fill = FILL_ones;
        b->seed = 0;
        return STEP_MADE;
    default:
        return STEP_END;
    }
}

Step reduce_seed(Program *p, int k) {
    if (k > 0 || !p->seed_given) {
        return STEP_END;
    }
    bool random = program_is_random(p);
    if (random && p->seed == 0) {
        return STEP_NOTHING;
    }
    p->seed_given = random;
    p->seed = 0;
    return STEP_MADE;
}

Step reduce_argument(Program *p, int k) {
    if (k == 0) {
        if (!p->args_given) {
            return STEP_NOTHING;
        }
        p->args_given = false;
        p->nargs = 0;
        return STEP_MADE;
    }
    if (k == 1) {
        if (!p->grad_mode_given || p->grad_mode) {
            return STEP_NOTHING;
        }
        p->grad_mode = true;
        p->grad_mode_given = false;
        return STEP_MADE;
    }
    k -= 2;
    if (k >= p->nargs) {
        return STEP_END;
    }
    for (int i = k; i + 1 < p->nargs; i++) {
        p->args[i] = p->args[i + 1];
    }
    p->nargs--;
    return STEP_MADE;
}
