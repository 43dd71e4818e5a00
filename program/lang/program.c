/* A program as a tree: names, statement numbers and paths.
 *
 * Names are interned in an open-addressing hash table that doubles before it is half full.
 * Statement numbers are the preorder over `setup`, `body` and `after`. A path gives the same
 * position from the root, so both conversions are one walk of the tree. */
#include "program/lang/program.h"
#include "tensor/hash.h"

#include <stdio.h>
#include <string.h>

bool argument_is_default(const Param *param, const PArg *arg) {
    if (!arg->given || arg->is_none || !param->has_default || param->def.none) {
        return false;
    }
    switch (param->type) {
    case ARG_BOOL:
        return arg->b == param->def.b;
    case ARG_INT:
    case ARG_INT_OPT:
        return arg->i.size_of == NAME_NONE && arg->i.value == param->def.i;
    default:
        return false;
    }
}

/* ---- names ---- */

bool name_valid(const char *name) {
    int n = 0;
    for (; name[n]; n++) {
        char c = name[n];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        bool digit = c >= '0' && c <= '9';
        if (n >= 64 || (!letter && (!digit || n == 0))) {
            return false;
        }
    }
    return n > 0;
}

static uint32_t name_hash(const char *name) { return fnv32_text(FNV32_START, name); }

static void names_grow(Names *names) {
    int capacity = names->capacity ? names->capacity * 2 : 32;
    const char **v = arena_array(names->arena, const char *, capacity);
    if (names->n > 0) {
        memcpy(v, names->v, sizeof *v * (size_t)names->n);
    }
    names->v = v;
    names->capacity = capacity;
    names->nslot = capacity * 2;
    names->slot = arena_array(names->arena, int32_t, names->nslot);
    for (int i = 0; i < names->n; i++) {
        uint32_t at = name_hash(v[i]) & (uint32_t)(names->nslot - 1);
        while (names->slot[at]) {
            at = (at + 1) & (uint32_t)(names->nslot - 1);
        }
        names->slot[at] = i + 1;
    }
}

NameId names_intern(Names *names, const char *name) {
    if (names->n == names->capacity || !names->slot) {
        names_grow(names);
    }
    uint32_t at = name_hash(name) & (uint32_t)(names->nslot - 1);
    for (; names->slot[at]; at = (at + 1) & (uint32_t)(names->nslot - 1)) {
        if (strcmp(names->v[names->slot[at] - 1], name) == 0) {
            return names->slot[at] - 1;
        }
    }
    if (names->n == MAX_NAMES) {
        return NAME_NONE;
    }
    names->v[names->n] = arena_strdup(names->arena, name);
    names->slot[at] = ++names->n;
    return names->n - 1;
}

static const char *const probe_names[PROBE_COUNT] = {
    "requires_grad", "is_leaf",        "has_grad_fn", "is_contiguous", "size",
    "stride",        "storage_offset", "dtype",       "version",       "is_grad_enabled",
};

const char *probe_name(ProbeKind kind) {
    CHECK((unsigned)kind < PROBE_COUNT);
    return probe_names[kind];
}

bool probe_parse(const char *name, ProbeKind *kind) {
    for (int i = 0; i < PROBE_COUNT; i++) {
        if (strcmp(probe_names[i], name) == 0) {
            *kind = (ProbeKind)i;
            return true;
        }
    }
    return false;
}

/* ---- statements ---- */

Stmt *stmt_make(Arena *arena, StmtKind kind) {
    Stmt *s = arena_new(arena, Stmt);
    s->kind = kind;
    s->of = NAME_NONE;
    return s;
}

Stmt *stmt_make_op(Arena *arena, const OpInfo *op) {
    Stmt *s = stmt_make(arena, STMT_OP);
    s->op = op;
    s->arg = arena_array(arena, PArg, op->nparam);
    return s;
}

void block_append(Block *block, Stmt *stmt, Stmt **tail) {
    stmt->next = NULL;
    if (!*tail) {
        *tail = block->first;
        while (*tail && (*tail)->next) {
            *tail = (*tail)->next;
        }
    }
    if (*tail) {
        (*tail)->next = stmt;
    } else {
        block->first = stmt;
    }
    *tail = stmt;
    block->count++;
}

/* Numbers the statements of a block from `sid` on, updates its count, and returns the next free
 * number. Nesting is at most MAX_NESTING deep. */
static int block_number(Block *block, int sid) {
    block->count = 0;
    for (Stmt *s = block->first; s; s = s->next) {
        s->sid = sid++;
        block->count++;
        sid = block_number(&s->body, sid);
        sid = block_number(&s->orelse, sid);
    }
    return sid;
}

/* Statements of functions have no number. */
static void block_unnumber(Block *block) {
    block->count = 0;
    for (Stmt *s = block->first; s; s = s->next) {
        s->sid = -1;
        block->count++;
        block_unnumber(&s->body);
        block_unnumber(&s->orelse);
    }
}

void program_number(Program *p) {
    p->nstmts = block_number(&p->after, block_number(&p->body, block_number(&p->setup, 0)));
    for (int i = 0; i < p->nfunctions; i++) {
        block_unnumber(&p->functions[i].forward);
        block_unnumber(&p->functions[i].backward);
    }
}

bool function_takes(const OpInfo *op) {
    return op->kind != KIND_INPLACE_VIEW && op->kind != KIND_STORAGE &&
           (op->kind != KIND_META || op->id == OP_detach);
}

/* Has the block a statement that version 1 lacks? */
static bool block_is_new(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_DOT_GRAD || (s->kind == STMT_GRAD && s->grad->accumulates) ||
            block_is_new(&s->body) || block_is_new(&s->orelse)) {
            return true;
        }
    }
    return false;
}

bool program_touches_grads(const Program *p) {
    return block_is_new(&p->body) || block_is_new(&p->setup) || block_is_new(&p->after);
}

bool program_sees_grads(const Program *p) {
    bool sees = program_touches_grads(p);
    for (int i = 0; i < p->nrecalls; i++) {
        sees |= p->recalls[i].keep_grads;
    }
    return sees;
}

static bool block_is_random(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if ((s->kind == STMT_OP && s->op->random) || block_is_random(&s->body) ||
            block_is_random(&s->orelse)) {
            return true;
        }
    }
    return false;
}

bool program_is_random(const Program *p) {
    bool is = block_is_random(&p->setup) || block_is_random(&p->body) || block_is_random(&p->after);
    for (int i = 0; i < p->nfunctions; i++) {
        is |=
            block_is_random(&p->functions[i].forward) || block_is_random(&p->functions[i].backward);
    }
    return is;
}

int choice_at(const PathChoices *choices, const char *path) {
    for (int i = 0; i < choices->n; i++) {
        if (strcmp(choices->v[i].path, path) == 0) {
            return choices->v[i].choice;
        }
    }
    return -1;
}

int program_format(const Program *p) {
    bool forms = p->surface && (p->surface->forms.given || p->surface->leave_given);
    bool is_new = p->nfunctions > 0 || p->after_given || p->after.first || program_sees_grads(p);
    bool marks = p->compile && p->compile->marks_given;
    bool random = p->seed_given || program_is_random(p);
    return is_new || forms || program_has_context_block(p) || marks || random ? 2 : 1;
}

static int block_size(const Block *block) {
    int n = 0;
    for (const Stmt *s = block->first; s; s = s->next) {
        n += 1 + block_size(&s->body) + block_size(&s->orelse);
    }
    return n;
}

int program_size(const Program *p) { return block_size(&p->body); }

/* The statement with number `sid`: it is in the last sibling whose number is not greater. */
static Stmt *block_find(const Block *block, int sid) {
    Stmt *at = NULL;
    for (Stmt *s = block->first; s && s->sid <= sid; s = s->next) {
        at = s;
    }
    if (!at || at->sid == sid) {
        return at;
    }
    bool in_else = at->orelse.first && at->orelse.first->sid <= sid;
    return block_find(in_else ? &at->orelse : &at->body, sid);
}

bool program_is_after(const Program *p, int sid) {
    return p->after.first && p->after.first->sid <= sid;
}

static const char *const root_labels[] = {"body", "setup", "after", NULL};

/* The block at the root in which statement `sid` is: its index in root_labels. */
static int root_index(const Program *p, int sid) {
    return program_is_after(p, sid) ? 2 : p->body.first && p->body.first->sid <= sid ? 0 : 1;
}

static const Block *root_block(const Program *p, int root) {
    return root == 0 ? &p->body : root == 1 ? &p->setup : root == 2 ? &p->after : NULL;
}

Stmt *program_stmt(const Program *p, int sid) {
    if (sid < 0 || sid >= p->nstmts) {
        return NULL;
    }
    return block_find(root_block(p, root_index(p, sid)), sid);
}

/* ---- paths ---- */

const char *program_path(Arena *arena, const Program *p, int sid) {
    CHECK(sid >= 0 && sid < p->nstmts);
    char text[MAX_NESTING * 24 + 64];
    size_t n = 0;
    const Block *block = root_block(p, root_index(p, sid));
    const char *label = root_labels[root_index(p, sid)];
    for (;;) {
        int number = 0;
        const Stmt *s = block->first;
        CHECK(s && s->sid <= sid);
        for (; s->next && s->next->sid <= sid; s = s->next) {
            number++;
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s[%d]", n ? "." : "", label, number);
        CHECK(n < sizeof text);
        if (s->sid == sid) {
            return arena_strdup(arena, text);
        }
        bool in_else = s->orelse.first && s->orelse.first->sid <= sid;
        block = in_else ? &s->orelse : &s->body;
        label = in_else ? "else" : s->kind == STMT_IF ? "then" : "body";
    }
}

/* Parses one step `label[N]` of a path and advances *path. Returns the index of the label in the
 * NULL-terminated list, or -1 if the step is malformed. */
static int path_step(const char **path, const char *const *labels, int *number) {
    for (int k = 0; labels[k]; k++) {
        size_t length = strlen(labels[k]);
        const char *c = *path;
        if (strncmp(c, labels[k], length) != 0 || c[length] != '[') {
            continue;
        }
        c += length + 1;
        const char *digits = c;
        int n = 0;
        for (; *c >= '0' && *c <= '9' && c - digits < 9; c++) {
            n = n * 10 + (*c - '0');
        }
        if (c == digits || *c != ']' || (*digits == '0' && c - digits > 1)) {
            return -1;
        }
        *path = c + 1;
        *number = n;
        return k;
    }
    return -1;
}

static const char *const inner_labels[] = {"body", "then", "else", NULL};

bool path_valid(const char *path) {
    int number;
    if (path_step(&path, root_labels, &number) < 0) {
        return false;
    }
    while (*path == '.') {
        path++;
        if (path_step(&path, inner_labels, &number) < 0) {
            return false;
        }
    }
    return *path == '\0';
}

int program_find(const Program *p, const char *path) {
    int number;
    int label = path_step(&path, root_labels, &number);
    const Block *block = root_block(p, label);
    while (block) {
        const Stmt *s = block->first;
        for (; s && number > 0; number--) {
            s = s->next;
        }
        if (!s) {
            return -1;
        }
        if (*path == '\0') {
            return s->sid;
        }
        if (*path++ != '.') {
            return -1;
        }
        label = path_step(&path, inner_labels, &number);
        block = NULL;
        if (label == 0 && s->kind == STMT_WITH) {
            block = &s->body;
        } else if (label == 1 && s->kind == STMT_IF) {
            block = &s->body;
        } else if (label == 2 && s->kind == STMT_IF) {
            block = &s->orelse;
        }
    }
    return -1;
}

const char *program_hook_name(const Program *p, const HookStmt *h) {
    return h->remove                                ? "remove_hook"
           : p->functions[h->function].nparams == 1 ? "register_hook"
                                                    : "register_post_accumulate_grad_hook";
}
