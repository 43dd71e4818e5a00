/* Text from outside (file names, messages of other processes) for a terminal. */
#ifndef HARNESS_PRINTABLE_H
#define HARNESS_PRINTABLE_H

#include "tensor/arena.h"

/* A copy of `text` in `arena` with `?` for each control character. */
const char *printable(Arena *arena, const char *text);

#endif
