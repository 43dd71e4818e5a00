/* What blocks run in, by the table contexts.def. */
#include "program/lang/program.h"

#include <string.h>

enum { AROUND = false, FUNCTION = true };
typedef enum ContextValues { OTHER, SAME, COPIES } ContextValues;

static const struct {
    const char *name, *code;
    bool function;
    ContextValues values;
} CONTEXTS[CONTEXT_COUNT] = {
    [CONTEXT_grad_mode] = {"grad_mode", NULL, AROUND, SAME},
    [CONTEXT_autocast] = {"autocast", NULL, AROUND, OTHER},
    [CONTEXT_checkpoint] = {"checkpoint", "torch.utils.checkpoint.checkpoint", FUNCTION, SAME},
#define CONTEXT(name, group, kind, values, code) [CONTEXT_##name] = {#name, code, kind, values},
#include "program/lang/contexts.def"
};

const char *context_name(BlockContext context) { return CONTEXTS[context].name; }

bool context_parse(const char *name, BlockContext *context) {
    for (int i = CONTEXT_autocast; i < CONTEXT_COUNT; i++) {
        if (strcmp(CONTEXTS[i].name, name) == 0) {
            *context = (BlockContext)i;
            return true;
        }
    }
    return false;
}

bool context_is_function(BlockContext context, const char **code) {
    if (code) {
        *code = CONTEXTS[context].code;
    }
    return CONTEXTS[context].function;
}

static bool block_writes(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_OP && (s->op->param[0].writes || s->op->kind == KIND_INPLACE_VIEW)) {
            return true;
        }
    }
    return false;
}

bool context_keeps_values(const Stmt *with) {
    ContextValues values = CONTEXTS[with->context].values;
    return values == SAME || (values == COPIES && !block_writes(&with->body));
}

/* ---- of a program ---- */

typedef uint32_t ContextSet; /* bit i: context i */
_Static_assert(CONTEXT_COUNT <= 32, "a bit each");

static ContextSet block_contexts(const Block *block) {
    ContextSet set = 0;
    for (const Stmt *s = block->first; s; s = s->next) {
        set |= s->kind == STMT_WITH ? (ContextSet)1 << s->context : 0;
        set |= block_contexts(&s->body) | block_contexts(&s->orelse);
    }
    return set;
}

static ContextSet program_contexts(const Program *p) {
    ContextSet set =
        block_contexts(&p->setup) | block_contexts(&p->body) | block_contexts(&p->after);
    for (int i = 0; i < p->nfunctions; i++) {
        set |= block_contexts(&p->functions[i].forward) | block_contexts(&p->functions[i].backward);
    }
    return set;
}

/* Of all blocks below this one, also if it only copies what it would write. */
static bool block_keeps_values(const Block *block) {
    bool keeps = true;
    for (const Stmt *s = block->first; s && keeps; s = s->next) {
        keeps = (s->kind != STMT_WITH || context_keeps_values(s)) && block_keeps_values(&s->body) &&
                block_keeps_values(&s->orelse);
    }
    return keeps;
}

bool program_contexts_keep_values(const Program *p) {
    return block_keeps_values(&p->setup) && block_keeps_values(&p->body) &&
           block_keeps_values(&p->after);
}

static bool block_differentiates(const Block *block) {
    bool any = false;
    for (const Stmt *s = block->first; s && !any; s = s->next) {
        any = s->kind == STMT_GRAD || s->kind == STMT_DOT_GRAD || block_differentiates(&s->body) ||
              block_differentiates(&s->orelse);
    }
    return any;
}

bool context_changes_results_only(const Program *p, const Stmt *with) {
    return !block_writes(&with->body) && !block_differentiates(&p->body) &&
           !block_differentiates(&p->after);
}

static bool block_is_reentrant(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if ((s->kind == STMT_WITH && s->context == CONTEXT_checkpoint && s->reentrant) ||
            block_is_reentrant(&s->body) || block_is_reentrant(&s->orelse)) {
            return true;
        }
    }
    return false;
}

bool program_is_reentrant(const Program *p) {
    return block_is_reentrant(&p->setup) || block_is_reentrant(&p->body) ||
           block_is_reentrant(&p->after);
}

bool program_has_context(const Program *p, BlockContext context) {
    return program_contexts(p) >> context & 1;
}

bool program_has_context_block(const Program *p) {
    return (program_contexts(p) & ~((ContextSet)1 << CONTEXT_grad_mode)) != 0;
}
