/* Batches: pending plans become one file of C, one run of the compiler, and one shared object.
 *
 * A plan is identified by the hash of its text, so equal plans share their functions. */
#include "compiled/native/compiler.h"
#include "compiled/native/native.h"
#include "tensor/array.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_BATCHES = 100, /* that stay loaded between programs */
    MAX_PENDING = 128, /* plans of one batch */
    TABLE = 4096
};

/* A plan whose functions are loaded or pending. */
typedef struct BuildEntry {
    struct BuildEntry *next;
    TextHash hash;
    int nloop;
    const NativeFn *functions; /* NULL: pending */
} BuildEntry;

typedef struct Batch {
    void *handle;
    Arena arena; /* holds its entries and tables */
    BuildEntry **entry;
    int n;
} Batch;

struct Native {
    NativeCompiler compiler;
    Arena work;   /* of the batch being built */
    Text pending; /* functions of the pending plans */
    NativeNeeds needs;
    Arena pending_arena;
    BuildEntry *first_pending;
    int npending;
    BuildEntry *table[TABLE];
    Batch *batch; /* loaded, oldest first */
    int nbatch, capacity;
    Arena scratch; /* of one call */
};

/* ---- opening ---- */

Native *native_open(const NativeSettings *settings, char *message, size_t message_size) {
    Native *n = calloc(1, sizeof *n);
    CHECK(n);
    n->pending.arena = &n->work;
    if (!compiler_open(&n->compiler, settings, message, message_size)) {
        native_close(n);
        return NULL;
    }
    return n;
}

static void drop_batch(Native *n, Batch *b) {
    for (int k = 0; k < b->n; k++) {
        BuildEntry **link = &n->table[b->entry[k]->hash.b % TABLE];
        while (*link != b->entry[k]) {
            link = &(*link)->next;
        }
        *link = b->entry[k]->next;
    }
    if (b->handle) {
        dlclose(b->handle);
    }
    arena_destroy(&b->arena);
    *b = (Batch){0};
}

void native_close(Native *n) {
    if (!n) {
        return;
    }
    for (int k = 0; k < n->nbatch; k++) {
        drop_batch(n, &n->batch[k]);
    }
    free(n->batch);
    compiler_close(&n->compiler);
    arena_destroy(&n->work);
    arena_destroy(&n->pending_arena);
    arena_destroy(&n->scratch);
    free(n);
}

void native_trim(Native *n) {
    int gone = n->nbatch > MAX_BATCHES ? n->nbatch - MAX_BATCHES : 0;
    for (int k = 0; k < gone; k++) {
        drop_batch(n, &n->batch[k]);
    }
    if (gone > 0) {
        n->nbatch -= gone;
        memmove(n->batch, n->batch + gone, sizeof *n->batch * (size_t)n->nbatch);
    }
}

/* ---- plans ---- */

static BuildEntry *find_entry(BuildEntry *list, TextHash hash) {
    while (list && (list->hash.a != hash.a || list->hash.b != hash.b)) {
        list = list->next;
    }
    return list;
}

/* Builds all pending plans as one file. If the compiler, which worked when the session was opened,
 * fails now, the process ends: there is no result to give. */
static void build_batch(Native *n) {
    n->batch =
        array_reserve_heap(n->batch, n->nbatch, &n->capacity, MAX_BATCHES * 2, sizeof *n->batch);
    Batch *b = &n->batch[n->nbatch++];
    *b = (Batch){0};
    Text file = {.arena = &n->work};
    char message[512], name[64];
    native_prelude(&file, &n->needs);
    text_addn(&file, n->pending.v, n->pending.n);
    b->handle = compiler_load(&n->compiler, file.v, file.n, message, sizeof message);
    if (!b->handle) {
        die("%s", message);
    }
    b->entry = arena_alloc(&b->arena, (int64_t)sizeof *b->entry * n->npending);
    for (BuildEntry *w = n->first_pending; w; w = w->next) {
        BuildEntry *e = arena_new(&b->arena, BuildEntry);
        *e = *w;
        NativeFn *functions = arena_alloc(&b->arena, (int64_t)sizeof *functions * (w->nloop + 1));
        char hash[33];
        text_hash_name(w->hash, hash);
        snprintf(name, sizeof name, "p%s_loops", hash);
        const void *table = dlsym(b->handle, name);
        CHECK(table);
        memcpy(functions, table, sizeof *functions * (size_t)w->nloop);
        e->functions = functions;
        e->next = n->table[e->hash.b % TABLE];
        n->table[e->hash.b % TABLE] = e;
        b->entry[b->n++] = e;
    }
    arena_reset(&n->work);
    arena_reset(&n->pending_arena);
    n->pending = (Text){.arena = &n->work};
    n->needs = (NativeNeeds){0};
    n->first_pending = NULL;
    n->npending = 0;
}

const NativeFn *native_functions(Native *n, const Plan *plan, bool collect) {
    if (plan->nloop == 0) {
        return NULL;
    }
    arena_reset(&n->scratch);
    Text text = {.arena = &n->scratch};
    NativeNeeds needs = {0};
    native_print(&text, plan, "", &needs);
    TextHash hash = text_hash_add(text_hash_start(), text.v, (size_t)text.n);
    BuildEntry *e = find_entry(n->table[hash.b % TABLE], hash);
    if (!e && !find_entry(n->first_pending, hash)) {
        BuildEntry *w = arena_new(&n->pending_arena, BuildEntry);
        *w = (BuildEntry){n->first_pending, hash, plan->nloop, NULL};
        n->first_pending = w;
        n->npending++;
        char name[33], prefix[40];
        text_hash_name(hash, name);
        snprintf(prefix, sizeof prefix, "p%s_", name);
        native_print(&n->pending, plan, prefix, &n->needs);
    }
    if (!e && (!collect || n->npending >= MAX_PENDING)) {
        build_batch(n);
        e = find_entry(n->table[hash.b % TABLE], hash);
    }
    return e ? e->functions : NULL;
}
