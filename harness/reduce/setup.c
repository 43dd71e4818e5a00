/* Reducers of what happens outside the function: the setup, what follows the call, and calls that
 * reuse tensors. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"

/* Candidates: no setup; its statements at the start of the body (then nothing that it makes is
 * passed); no empty setup. */
Step reduce_setup(Program *p, int k) {
    if (!p->setup_given || k > 2) {
        return STEP_END;
    }
    if (k == 2) {
        if (p->setup.count > 0) {
            return STEP_NOTHING;
        }
        p->setup_given = false;
        return STEP_MADE;
    }
    if (!p->setup.first) {
        return STEP_NOTHING;
    }
    Block setup = p->setup;
    p->setup = (Block){NULL, 0};
    p->setup_given = false;
    if (k == 1) {
        Stmt *tail = setup.first;
        while (tail->next) {
            tail = tail->next;
        }
        tail->next = p->body.first;
        p->body = (Block){setup.first, p->body.count + setup.count};
        p->args_given = false;
        p->nargs = 0;
    }
    p->surface = NULL; /* its paths name other statements now */
    program_number(p);
    edit_forget(p);
    return STEP_MADE;
}

/* Candidates: no `after`; its statements at the end of the body; .grad cleared before one more
 * call. */
Step reduce_after(Program *p, int k) {
    if (k >= 2) {
        if (k - 2 >= p->nrecalls) {
            return STEP_END;
        }
        Recall *r = &p->recalls[k - 2];
        Step step = r->keep_grads ? STEP_MADE : STEP_NOTHING;
        r->keep_grads = false;
        return step;
    }
    Block after = p->after;
    if (!p->after_given && !after.first) {
        return STEP_NOTHING;
    }
    if (k == 1 && after.first) {
        Stmt **end = &p->body.first;
        while (*end) {
            end = &(*end)->next;
        }
        *end = after.first;
        p->body.count += after.count;
    }
    p->after = (Block){NULL, 0};
    p->after_given = false;
    program_number(p);
    return STEP_MADE;
}

/* Candidates: no settings of the compiler at all; dynamic and fullgraph as they are by default; one
 * setting less, one argument less with dims that are marked. */
Step reduce_compile(Program *p, int k) {
    CompileSettings *c = p->compile;
    if (!c || k >= 3 + c->nconfig + c->nmarks) {
        return STEP_END;
    }
    if (k == 0) {
        p->compile = NULL;
    } else if (k == 1 && c->dynamic_given) {
        c->dynamic_given = false;
    } else if (k == 2 && c->fullgraph_given) {
        c->fullgraph_given = false;
    } else if (k >= 3 + c->nconfig) {
        c->marks[k - 3 - c->nconfig] = c->marks[c->nmarks - 1];
        c->marks_given = --c->nmarks > 0;
    } else if (k >= 3) {
        for (int i = k - 3; i + 1 < c->nconfig; i++) {
            c->config[i] = c->config[i + 1];
        }
        c->nconfig--;
        c->config_given = c->nconfig > 0;
    } else {
        return STEP_NOTHING;
    }
    return STEP_MADE;
}

/* Of a recall that reuses tensors: pass the first call's inputs instead, drop its grad mode, drop
 * one name that it sets. */
Step reduce_keep(Program *p, int k) {
    for (int i = 0; i < p->nrecalls; i++) {
        Recall *r = &p->recalls[i];
        if (!r->keep) {
            continue;
        }
        if (k == 0) {
            r->keep = false;
            r->set = NULL;
            r->nset = 0;
            r->inputs = arena_copy(p->arena, p->inputs, (int64_t)sizeof *p->inputs * p->ninputs);
            r->ninputs = p->ninputs;
            return STEP_MADE;
        }
        if (k == 1) {
            if (!r->grad_mode_given) {
                return STEP_NOTHING;
            }
            r->grad_mode_given = false;
            return STEP_MADE;
        }
        k -= 2;
        if (k < r->nset) {
            for (int j = k; j + 1 < r->nset; j++) {
                r->set[j] = r->set[j + 1];
            }
            r->set = --r->nset > 0 ? r->set : NULL;
            return STEP_MADE;
        }
        k -= r->nset;
    }
    return STEP_END;
}
