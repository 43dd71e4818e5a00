/* A list of blocks. Allocation advances a pointer in the current block and moves to the next block
 * (or a new one) when it is full. A request larger than a quarter block gets a block of its own
 * size. A reset returns to the first block and frees what exceeds KEEP_BYTES, so one very large
 * program does not hold its memory for the rest of a campaign. */
#include "tensor/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 * 1024, KEEP_BYTES = 8 * 1024 * 1024 };

struct ArenaBlock {
    ArenaBlock *next;
    int64_t size; /* bytes in data, a multiple of ARENA_ALIGN unless ARENA_SEPARATE */
    _Alignas(ARENA_ALIGN) char data[];
};

static ArenaBlock *block_new(int64_t size) {
    ArenaBlock *block = malloc(sizeof *block + (size_t)size);
    if (!block) {
        die("out of memory: %lld more bytes were needed", (long long)size);
    }
    block->next = NULL;
    block->size = size;
    return block;
}

/* Makes the block after the current one the current one, with room for `bytes`. */
static ArenaBlock *block_advance(Arena *arena, int64_t bytes) {
    ArenaBlock *current = arena->current;
    ArenaBlock *next = current ? current->next : arena->first;
    if (ARENA_SEPARATE || !next || next->size < bytes) {
        int64_t size = ARENA_SEPARATE || bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
        ArenaBlock *fresh = block_new(size);
        arena->held += size;
        fresh->next = next;
        if (current) {
            current->next = fresh;
        } else {
            arena->first = fresh;
        }
        next = fresh;
    }
    arena->current = next;
    return next;
}

void *arena_alloc_more(Arena *arena, int64_t bytes) {
    CHECK(bytes >= 0 && bytes < INT64_MAX / 2);
    int64_t rounded = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    arena->bytes += rounded;
    if (!ARENA_SEPARATE && arena->end - arena->at >= rounded &&
        arena->at) { /* at the end of the block */
        arena->at += rounded;
        return arena->at - rounded;
    }
    ArenaBlock *block = block_advance(arena, ARENA_SEPARATE ? bytes : rounded);
    if (!ARENA_SEPARATE) {
        arena->at = block->data + rounded;
        arena->end = block->data + block->size;
    }
    return block->data;
}

char *arena_strdup(Arena *arena, const char *text) {
    return arena_copy(arena, text, (int64_t)strlen(text) + 1);
}

char *arena_printf(Arena *arena, const char *format, ...) {
    char small[128]; /* most strings fit, and are then formatted only once */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    CHECK(length >= 0);
    char *text = arena_alloc_raw(arena, (int64_t)length + 1);
    if (length < (int)sizeof small) {
        memcpy(text, small, (size_t)length + 1);
    } else {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

/* Frees the blocks beyond the first KEEP_BYTES. */
static void free_excess(Arena *arena) {
    int64_t kept = 0;
    ArenaBlock **link = &arena->first;
    while (*link) {
        ArenaBlock *block = *link;
        if (ARENA_SEPARATE || kept + block->size > KEEP_BYTES) {
            *link = block->next;
            free(block);
        } else {
            kept += block->size;
            link = &block->next;
        }
    }
    arena->held = kept;
}

void arena_reset(Arena *arena) {
    if (ARENA_SEPARATE ||
        arena->held >
            KEEP_BYTES) { /* otherwise the blocks are not touched: they may not be in the cache */
        free_excess(arena);
    }
    arena->current = arena->first;
    arena->at = arena->first ? arena->first->data : NULL;
    arena->end = arena->first ? arena->first->data + arena->first->size : NULL;
    arena->bytes = 0;
}

void arena_destroy(Arena *arena) {
    while (arena->first) {
        ArenaBlock *next = arena->first->next;
        free(arena->first);
        arena->first = next;
    }
    *arena = ARENA_EMPTY;
}
