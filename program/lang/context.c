/* What blocks run in, by the table contexts.def. */
#include "program/lang/program.h"

#include <string.h>

enum { AROUND = false, FUNCTION = true };

static const struct {
    const char *name, *code;
    bool function;
} CONTEXTS[CONTEXT_COUNT] = {
    [CONTEXT_grad_mode] = {"grad_mode", NULL, AROUND},
    [CONTEXT_autocast] = {"autocast", NULL, AROUND},
    [CONTEXT_checkpoint] = {"checkpoint", "torch.utils.checkpoint.checkpoint", FUNCTION},
#define CONTEXT(name, group, kind, code) [CONTEXT_##name] = {#name, code, kind},
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
