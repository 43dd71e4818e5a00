/* Which groups are of one bug: those that share an op, at which their findings begin or which all
 * of their programs have. */
#include "harness/triage/group.h"

#include "harness/triage/locate.h"
#include "tensor/array.h"

#include <stdio.h>
#include <string.h>

/* ---- the ops of a group ---- */

static int64_t count_of_op(const GroupOps *ops, const char *name) {
    for (int i = 0; i < ops->n; i++) {
        if (strcmp(ops->v[i].name, name) == 0) {
            return ops->v[i].count;
        }
    }
    return 0;
}

static void note_op(Arena *arena, GroupOps *ops, const char *name, int64_t count) {
    for (int i = 0; i < ops->n; i++) {
        if (strcmp(ops->v[i].name, name) == 0) {
            ops->v[i].count += count;
            return;
        }
    }
    enum { FIRST = 4 };
    ops->v = array_reserve(arena, ops->v, ops->n, &ops->capacity, FIRST, sizeof *ops->v);
    ops->v[ops->n++] = (GroupOp){arena_strdup(arena, name), count};
}

/* Takes the underscore of an in-place op away. */
static void strip_underscore(char *op) {
    size_t length = strlen(op);
    if (length > 1 && op[length - 1] == '_') {
        op[length - 1] = '\0';
    }
}

void group_plain_op(char *op, size_t size, const char *name, int n) {
    snprintf(op, size, "%.*s", n, name);
    char *dot = strstr(op, ".out");
    if (dot) {
        *dot = '\0';
    }
    strip_underscore(op);
}

/* Calls with out= and _foreach ops are mechanisms, which count as one op each. NULL: neither. */
static const char *mechanism(bool out, bool foreach) {
    return out ? "out" : foreach ? "_foreach" : NULL;
}

static const char *mechanism_of_name(const char *name, int n) {
    enum { OUT = 4 };
    return mechanism(n > OUT && strncmp(name + n - OUT, ".out", OUT) == 0,
                     strncmp(name, "_foreach_", 9) == 0);
}

static const char *mechanism_of_stmt(const Stmt *s) {
    return s->kind == STMT_OP ? mechanism(s->op->out_dtype != OUT_NOT, s->op->foreach) : NULL;
}

/* Does the name stand for an op? A return and the setup do not; the gradient functions and the
 * functions of the program do. */
static bool names_an_op(const char *op) {
    char in_place[sizeof((Group *)0)->key + 1];
    const OpInfo *first;
    snprintf(in_place, sizeof in_place, "%s_", op);
    return op_overloads(op, &first) > 0 || op_overloads(in_place, &first) > 0 ||
           strcmp(op, "grad") == 0 || strcmp(op, "apply") == 0;
}

/* Does a statement compute, write or differentiate? Names of others say little of a program. */
static bool has_group_op(const Stmt *s) {
    return s->kind == STMT_OP || s->kind == STMT_APPLY || s->kind == STMT_GRAD ||
           s->kind == STMT_DOT_GRAD;
}

const char *group_ops(Arena *arena, const Program *p) {
    GroupOps ops = {0};
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        if (!has_group_op(s)) {
            continue;
        }
        const char *name = locate_stmt_name(p, s);
        char op[sizeof((Group *)0)->key];
        group_plain_op(op, sizeof op, name, (int)strlen(name));
        note_op(arena, &ops, op, 1);
        if (mechanism_of_stmt(s)) {
            note_op(arena, &ops, mechanism_of_stmt(s), 1);
        }
    }
    Text text = {.arena = arena};
    text_add(&text, "");
    for (int i = 0; i < ops.n; i++) {
        text_printf(&text, "%s%s", i > 0 ? " " : "", ops.v[i].name);
    }
    return text.v;
}

void group_note_ops(Groups *groups, Group *g, const GroupFinding *finding) {
    char op[sizeof g->key];
    int length;
    const char *name = signature_op(finding->signature, &length),
               *way = mechanism_of_name(name, length);
    group_plain_op(op, sizeof op, name, length);
    if (names_an_op(op)) {
        note_op(groups->arena, &g->begins, op, finding->count);
    }
    if (way) {
        note_op(groups->arena, &g->begins, way, finding->count);
    }
    if (!finding->ops) {
        return;
    }
    g->programs++;
    for (const char *at = finding->ops; *at;) {
        int n = (int)strcspn(at, " ");
        snprintf(op, sizeof op, "%.*s", n, at);
        note_op(groups->arena, &g->has, op, 1);
        at += n + (at[n] == ' ');
    }
}

/* ---- joining ---- */

/* Is the stage one to which findings are attributed by what differs? */
static bool is_attributed(const char *key) {
    static const char *const stages[] = {"capture", "joint", "epilogue"};
    for (int i = 0; i < COUNT_OF(stages); i++) {
        size_t length = strlen(stages[i]);
        if (strncmp(key, stages[i], length) == 0 && (key[length] == '\0' || key[length] == '/')) {
            return true;
        }
    }
    return false;
}

/* Do most findings of both begin at one op, or do they share one where they begin at few? */
static bool begin_at_one_op(const Group *a, const Group *b) {
    enum { FEW = 4 };
    int shared = 0;
    for (int i = 0; i < a->begins.n; i++) {
        const GroupOp *op = &a->begins.v[i];
        int64_t there = count_of_op(&b->begins, op->name);
        if (2 * op->count > group_count(a) && 2 * there > group_count(b)) {
            return true;
        }
        shared += there > 0;
    }
    return shared > 0 && a->begins.n + b->begins.n - shared <= FEW;
}

/* Does one op occur in nearly every program of `many` and in every program of `few`? Eight random
 * programs hardly share an op by chance, so `many` has at least that many. */
static bool have_one_op(const Group *many, const Group *few) {
    enum { LEAST = 8, OF = 20 };
    if (many->programs < LEAST || few->programs == 0 || few->programs > many->programs) {
        return false;
    }
    for (int i = 0; i < many->has.n; i++) {
        const GroupOp *op = &many->has.v[i];
        if (OF * op->count >= (OF - 1) * many->programs &&
            count_of_op(&few->has, op->name) == few->programs) {
            return true;
        }
    }
    return false;
}

static bool are_of_one_bug(const Group *a, const Group *b) {
    return is_attributed(a->key) && is_attributed(b->key) && !a->issue && !b->issue &&
           (begin_at_one_op(a, b) || have_one_op(a, b) || have_one_op(b, a));
}

static int group_leader(const Groups *groups, int i) {
    while (groups->group[i].with >= 0) {
        i = groups->group[i].with;
    }
    return i;
}

void groups_join(Groups *groups) {
    for (int i = 0; i < groups->n; i++) {
        groups->group[i].with = -1;
    }
    for (int i = 0; i < groups->n; i++) {
        for (int k = 0; k < i; k++) {
            int a = group_leader(groups, k), b = group_leader(groups, i);
            if (a != b && are_of_one_bug(&groups->group[k], &groups->group[i])) {
                groups->group[a > b ? a : b].with = a > b ? b : a;
            }
        }
    }
    for (int i = 0; i < groups->n; i++) {
        int leader = group_leader(groups, i);
        groups->group[i].with = leader == i ? -1 : leader;
    }
}
