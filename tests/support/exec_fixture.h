/* An executing Emit with an arena and an error of its own. */
#ifndef TESTS_EXEC_FIXTURE_H
#define TESTS_EXEC_FIXTURE_H

#include "tests/support/exec_emit.h"

typedef struct Fixture {
    Arena arena;
    Error err;
    ExecEmit exec;
} Fixture;

static inline Emit *setup(Fixture *f) {
    op_table_init();
    f->arena = ARENA_EMPTY;
    f->err = (Error){0};
    f->exec = exec_emit(&f->arena, &f->err);
    return &f->exec.emit;
}

static inline void forget_error(Fixture *f) { f->err = (Error){0}; }

#endif
