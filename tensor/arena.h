/* The memory of one run: a bump allocator.
 *
 * Ownership law: whatever is allocated from an arena lives until the arena is reset or destroyed;
 * nobody frees one object. In sanitizer builds every allocation is a malloc of its own, so that an
 * overflow cannot hide inside a block.
 *
 *      blocks:  [ used ......|free ]  [ used |free   ]  ...      a reset keeps the blocks and
 *               starts at the first again
 * */
#ifndef TENSOR_ARENA_H
#define TENSOR_ARENA_H

#include "tensor/base.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_SEPARATE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define ARENA_SEPARATE 1
#endif
#endif
#ifndef ARENA_SEPARATE
#define ARENA_SEPARATE 0
#endif

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *first;   /* all blocks, in order of use */
    ArenaBlock *current; /* the block allocation goes on in */
    char *at, *end;      /* what is free of it, aligned; nothing in sanitizer builds */
    int64_t bytes;       /* handed out since the last reset */
    int64_t held;        /* of all blocks */
} Arena;

/* A zeroed Arena is an empty one. */
#define ARENA_EMPTY ((Arena){0})

enum { ARENA_ALIGN = 16 };
/* Where the current block has no room. */
void *arena_alloc_more(Arena *arena, int64_t bytes);
/* `bytes` >= 0 bytes of indeterminate contents, aligned to 16; dies (exit 3) when the machine has
 * no memory. Zero bytes give a valid pointer. */
static inline void *arena_alloc_raw(Arena *arena, int64_t bytes) {
    if ((uint64_t)bytes >= (uint64_t)(arena->end - arena->at)) {
        return arena_alloc_more(arena, bytes);
    }
    int64_t rounded = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    void *result = arena->at;
    arena->at += rounded;
    arena->bytes += rounded;
    return result;
}
/* As arena_alloc_raw, zeroed. */
static inline void *arena_alloc(Arena *arena, int64_t bytes) {
    return memset(arena_alloc_raw(arena, bytes), 0, (size_t)bytes);
}
/* A copy of `bytes` bytes at `from`. */
static inline void *arena_copy(Arena *arena, const void *from, int64_t bytes) {
    void *result = arena_alloc_raw(arena, bytes);
    if (bytes > 0) {
        memcpy(result, from, (size_t)bytes);
    }
    return result;
}
/* A copy of the NUL-terminated `text`. */
char *arena_strdup(Arena *arena, const char *text);
/* printf into a fresh string. */
char *arena_printf(Arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
/* Forgets every allocation, keeping at most a few blocks for reuse. */
void arena_reset(Arena *arena);
/* Returns all memory; the arena is empty and usable again. */
void arena_destroy(Arena *arena);

#define arena_new(arena, Type) ((Type *)arena_alloc((arena), (int64_t)sizeof(Type)))
#define arena_array(arena, Type, count)                                                            \
    ((Type *)arena_alloc((arena), (int64_t)sizeof(Type) * (int64_t)(count)))

#endif
