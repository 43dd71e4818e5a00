/* Mutators of what is called how often, and of what is compared. */
#include "fuzz/mutate/mutant.h"

#include <string.h>

bool mutator_change_returns(Mutant *m) {
    Program *p = m->p;
    int n = p->nreturns, kind = mutant_below(m, 4);
    NameId name = mutant_bound(m, NULL);
    if (kind == 0 && n > 0) {
        int at = mutant_below(m, n);
        memmove(p->returns + at, p->returns + at + 1, sizeof *p->returns * (size_t)(n - at - 1));
        p->nreturns--;
        return true;
    }
    if (name == NAME_NONE || n >= 16) {
        return false;
    }
    NameId *v = arena_array(m->arena, NameId, n + 1);
    if (n > 0) {
        memcpy(v, p->returns, sizeof *v * (size_t)n);
    }
    int at = mutant_below(m, n + 1);
    v[at] = kind == 1 && n > 0 ? p->returns[mutant_below(m, n)] : name;
    p->nreturns = at == n ? n + 1 : n;
    p->returns = v;
    return true;
}

bool mutator_change_backward(Mutant *m) {
    Backward *b = &m->p->backward;
    if (!b->given || mutant_chance(m, 20)) {
        bool given = !b->given;
        *b = (Backward){.given = given,
                        .fill = FILL_dyadic,
                        .seed = (uint64_t)mutant_below(m, 1000),
                        .nof = -1};
        return true;
    }
    if (mutant_chance(m, 50) || m->p->nreturns < 2) {
        b->fill = (FillKind)mutant_below(m, FILL_COUNT);
        return true;
    }
    b->of = arena_array(m->arena, int, m->p->nreturns);
    b->nof = 0;
    for (int k = 0; k < m->p->nreturns; k++) {
        if (mutant_chance(m, 50)) {
            b->of[b->nof++] = k;
        }
    }
    return true;
}

bool mutator_add_recall(Mutant *m) {
    Program *p = m->p;
    if (p->nrecalls >= 6) {
        return false;
    }
    Recall *r = &p->recalls[p->nrecalls++];
    *r = (Recall){.grad_mode = true, .ninputs = p->ninputs};
    r->inputs = arena_array(m->arena, Input, p->ninputs);
    if (p->ninputs > 0) {
        memcpy(r->inputs, p->inputs, sizeof *r->inputs * (size_t)p->ninputs);
    }
    p->recalls_given = true;
    if (mutant_chance(m, 25)) {
        r->object_form = r->grad_mode_given = true;
        r->grad_mode = !p->grad_mode;
        return true;
    }
    Input *own = p->inputs; /* the mutators of inputs change one property, of the recall's inputs */
    p->inputs = r->inputs;
    bool changed = mutant_chance(m, 40)   ? mutator_turn_requires_grad(m)
                   : mutant_chance(m, 50) ? mutator_change_data(m)
                                          : mutator_change_input_size(m);
    p->inputs = own;
    return changed || mutant_chance(m, 50);
}

bool mutator_drop_recall(Mutant *m) {
    Program *p = m->p;
    if (p->nrecalls == 0) {
        return false;
    }
    int at = mutant_below(m, p->nrecalls);
    memmove(p->recalls + at, p->recalls + at + 1,
            sizeof *p->recalls * (size_t)(p->nrecalls - at - 1));
    p->nrecalls--;
    return true;
}

bool mutator_keep_recall(Mutant *m) {
    Program *p = m->p;
    if (p->nrecalls >= 6 || p->ninputs == 0) {
        return false;
    }
    Recall *r = &p->recalls[p->nrecalls++];
    *r = (Recall){.keep = true, .object_form = true, .grad_mode = true, .nset = mutant_below(m, 2)};
    r->set = arena_alloc(m->arena, (int64_t)sizeof *r->set);
    r->set[0].name = p->nargs > 0 ? p->args[mutant_below(m, p->nargs)]
                                  : p->inputs[mutant_below(m, p->ninputs)].name;
    r->set[0].requires_grad = mutant_chance(m, 50);
    if (mutant_chance(m, 20)) {
        r->grad_mode_given = true;
        r->grad_mode = false;
    }
    p->recalls_given = true;
    return true;
}

bool mutator_turn_grad_mode(Mutant *m) {
    m->p->grad_mode = !m->p->grad_mode;
    m->p->grad_mode_given = true;
    return true;
}

bool mutator_repeat_recalls(Mutant *m) {
    enum { MOST = 16 };
    Program *p = m->p;
    int ncalls = p->nrecalls + 1;
    if (p->nrecalls == 0 || p->nrecalls + ncalls > MOST) {
        return false;
    }
    Recall first = {.inputs = p->inputs,
                    .ninputs = p->ninputs,
                    .grad_mode = p->grad_mode,
                    .grad_mode_given = !p->grad_mode,
                    .object_form = !p->grad_mode};
    Recall *v = arena_array(m->arena, Recall, p->nrecalls + ncalls);
    memcpy(v, p->recalls, sizeof *v * (size_t)p->nrecalls);
    bool back = mutant_chance(m, 40);
    for (int i = 0; i < ncalls; i++) {
        int call = back ? ncalls - 1 - i : i; /* 0: the first call */
        v[p->nrecalls + i] = call == 0 ? first : p->recalls[call - 1];
    }
    p->recalls = v;
    p->nrecalls += ncalls;
    return true;
}
