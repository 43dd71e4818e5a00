/* Arena: the memory of one run, a bump allocator.
 *
 * Ownership: an allocation lives until the arena is reset or destroyed; single objects are never
 * freed. In sanitizer builds every allocation is a separate malloc, so that an overflow is
 * detected.
 *
 *      blocks:  [ used ......|free ]  [ used |free   ]  ...
 *
 * A reset keeps the blocks and starts again at the first. */
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
    ArenaBlock *current; /* the block that is being filled */
    char *at, *end;      /* its free part, aligned; empty in sanitizer builds */
    int64_t bytes;       /* allocated since the last reset */
    int64_t held;        /* total size of all blocks */
} Arena;

/* A zeroed Arena is an empty one. */
#define ARENA_EMPTY ((Arena){0})

enum { ARENA_ALIGN = 16 };
/* The slow path of arena_alloc_raw: the current block has no room. */
void *arena_alloc_more(Arena *arena, int64_t bytes);
/* `bytes` >= 0 bytes of indeterminate contents, aligned to 16. Exits with code 3 if the system has
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
/* printf into a new string. */
char *arena_printf(Arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
/* Frees all allocations and keeps a few blocks for reuse. */
void arena_reset(Arena *arena);
/* Frees all memory; the arena is empty and usable again. */
void arena_destroy(Arena *arena);

#define arena_new(arena, Type) ((Type *)arena_alloc((arena), (int64_t)sizeof(Type)))
#define arena_array(arena, Type, count)                                                            \
    ((Type *)arena_alloc((arena), (int64_t)sizeof(Type) * (int64_t)(count)))

#endif
