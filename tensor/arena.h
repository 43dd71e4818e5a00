/* The memory of one run: a bump allocator.
 *
 * Ownership law: whatever is allocated from an arena lives until the arena is reset or destroyed; nobody frees one object.
 * In sanitizer builds every allocation is a malloc of its own, so that an overflow cannot hide inside a block.
 *
 *      blocks:  [ used ......|free ]  [ used |free   ]  ...      a reset keeps the blocks and starts at the first again
 */
#ifndef TENSOR_ARENA_H
#define TENSOR_ARENA_H

#include "tensor/base.h"

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *first;   /* all blocks, in order of use */
    ArenaBlock *current; /* the block allocation goes on in */
    int64_t bytes;       /* handed out since the last reset */
} Arena;

/* A zeroed Arena is an empty one. */
#define ARENA_EMPTY ((Arena){0})

/* `bytes` >= 0 zeroed bytes, aligned to 16; dies (exit 3) when the machine has no memory. Zero bytes give a valid pointer. */
void *arena_alloc(Arena *arena, int64_t bytes);
/* As arena_alloc, but the contents are indeterminate: for what is written whole at once. */
void *arena_alloc_raw(Arena *arena, int64_t bytes);
/* A copy of the NUL-terminated `text`. */
char *arena_strdup(Arena *arena, const char *text);
/* A copy of `bytes` bytes at `from`. */
void *arena_copy(Arena *arena, const void *from, int64_t bytes);
/* printf into a fresh string. */
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
/* Forgets every allocation, keeping at most a few blocks for reuse. */
void arena_reset(Arena *arena);
/* Returns all memory; the arena is empty and usable again. */
void arena_destroy(Arena *arena);

#define arena_new(arena, Type) ((Type *)arena_alloc((arena), (int64_t)sizeof(Type)))
#define arena_array(arena, Type, count) ((Type *)arena_alloc((arena), (int64_t)sizeof(Type) * (int64_t)(count)))

#endif
