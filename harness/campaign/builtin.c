/* The builtin engine as a job of a campaign. A draw decides how the next program is made: by the
 * generator, or from a kept program that is mutated a few times. Programs that show a new feature
 * are kept, in memory as bytes and in CAMPAIGN/corpus/ as files named after their numbers, before
 * the ledger counts them: a resumed job checks the kept programs below its position again, which
 * restores its features. */
#include "harness/campaign/worker.h"

#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutate.h"
#include "harness/util/io.h"
#include "tensor/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_KEPT = 1 << 15,
    AGAIN_PERCENT = 50 /* after a mutation, one more */,
    RECENT = 64,
    MAX_ROUNDS = 5
};

typedef struct Builtin {
    Worker worker;
    Bytes *kept; /* programs that showed a new feature */
    int nkept;
    int64_t seeds;                /* the first programs of the stream: the seed corpus */
    char **seed;                  /* their paths */
    Arena arena, corpus, scratch; /* of a program; of the kept; of paths */
} Builtin;

static void die_of(bool ok, const char *message) {
    if (!ok) {
        die("%s", message);
    }
}

/* ---- the corpus ---- */

static const char *kept_prefix(Builtin *b) {
    return arena_printf(&b->scratch, "%s/corpus/%s-", b->worker.campaign, b->worker.name);
}

static bool is_json(Bytes bytes) { return bytes.n > 0 && bytes.v[0] == '{'; }

static void builtin_remember(Builtin *b, Bytes bytes) {
    if (b->nkept < MAX_KEPT && !is_json(bytes)) {
        b->kept[b->nkept++] = (Bytes){arena_copy(&b->corpus, bytes.v, bytes.n), bytes.n};
    }
}

/* A program that is too large to be mutated is kept as JSON: its bytes would decode to a smaller
 * one. */
static void builtin_keep(Builtin *b, const Program *p, int64_t number) {
    if (b->nkept == MAX_KEPT) {
        return;
    }
    Text text = {.arena = &b->arena};
    char message[1024];
    bool mutable = program_verify_within(p, &MUTATE_LIMITS, message, sizeof message);
    if (!mutable) {
        program_print(&text, p, false);
    }
    Bytes bytes = mutable ? codec_encode(&b->arena, p) : (Bytes){(uint8_t *)text.v, text.n};
    arena_reset(&b->scratch);
    const char *path = arena_printf(&b->scratch, "%s%012lld", kept_prefix(b), (long long)number);
    const char *aside =
        arena_printf(&b->scratch, "%s/%s/kept.tmp", b->worker.campaign, b->worker.name);
    die_of(io_put(path, aside, bytes.v, bytes.n, message, sizeof message), message);
    builtin_remember(b, bytes);
    b->worker.counts.corpus++;
}

static Bytes builtin_load(Builtin *b, const char *path) {
    char message[1024], *text = NULL;
    int64_t n = 0;
    die_of(io_read(&b->scratch, path, IO_MAX_BYTES, &text, &n, message, sizeof message) == IO_OK,
           message);
    return (Bytes){(uint8_t *)text, n};
}

/* The files of CAMPAIGN/corpus that begin with `prefix`, sorted. */
static int list_corpus(Builtin *b, const char *prefix, char ***out, Arena *arena) {
    const char *folder = arena_printf(&b->scratch, "%s/corpus", b->worker.campaign);
    return io_list(arena, folder, prefix, out);
}

/* Restores the features of an earlier process of the job from the programs that it kept. */
static void builtin_recall(Builtin *b) {
    Worker *w = &b->worker;
    memset(w->ledger->feature, 0, sizeof w->ledger->feature);
    w->counts.features = w->counts.corpus = 0;
    const char *prefix = arena_printf(&b->scratch, "%s-", w->name);
    char **path;
    Arena paths = ARENA_EMPTY;
    int n = list_corpus(b, prefix, &path, &paths);
    for (int i = 0; i < n; i++) {
        int64_t number = strtoll(strrchr(path[i], '-') + 1, NULL, 10);
        if (number >= w->counts.next) {
            continue;
        }
        arena_reset(&b->arena);
        arena_reset(&b->scratch);
        Bytes bytes = builtin_load(b, path[i]);
        char message[256];
        const Limits *limits = is_json(bytes) ? &w->checker.run.limits : &MUTATE_LIMITS;
        const Program *p =
            codec_decode(&b->arena, bytes.v, bytes.n, limits, message, sizeof message);
        if (p) {
            worker_recall(w, p, number, &b->arena);
        }
        w->counts.corpus++;
        builtin_remember(b, bytes);
    }
    arena_destroy(&paths);
    ledger_set(w->ledger, &w->counts);
}

/* ---- the next program ---- */

/* Half of the picks are among the latest. */
static const Program *builtin_pick(Builtin *b, Rng *rng) {
    int recent = b->nkept < RECENT ? b->nkept : RECENT;
    bool late = rng_chance(rng, 50);
    int at = late ? b->nkept - 1 - (int)rng_below(rng, recent) : (int)rng_below(rng, b->nkept);
    char message[256];
    return codec_decode(&b->arena, b->kept[at].v, b->kept[at].n, &MUTATE_LIMITS, message,
                        sizeof message);
}

static const Program *builtin_make(Builtin *b, int64_t number) {
    const CampaignOptions *o = b->worker.options;
    char message[1024];
    if (number < b->seeds) {
        arena_reset(&b->scratch);
        Bytes bytes = builtin_load(b, b->seed[number]);
        const Program *p =
            codec_decode(&b->arena, bytes.v, bytes.n, &MUTATE_LIMITS, message, sizeof message);
        return p ? p : codec_decode(&b->arena, NULL, 0, &MUTATE_LIMITS, message, sizeof message);
    }
    Rng rng = {o->seed ^ (uint64_t)number * UINT64_C(0xD1342543DE82EF95)};
    if (b->nkept == 0 || !rng_chance(&rng, (int)o->mutate)) {
        return generate_program_info(&b->arena, &o->generate, o->seed, (uint64_t)number, NULL);
    }
    const Program *p = builtin_pick(b, &rng), *other = builtin_pick(b, &rng);
    for (int round = 0; round == 0 || (round < MAX_ROUNDS && rng_chance(&rng, AGAIN_PERCENT));
         round++) {
        uint64_t own = rng_next(&rng);
        p = mutate_program(&b->arena, p, other, own, &MUTATE_LIMITS, NULL);
    }
    return p;
}

/* ---- the loop ---- */

int worker_builtin(const CampaignOptions *o, const char *campaign, int job, int jobs,
                   void (*on_program)(const Worker *w), char *message, size_t message_size) {
    Builtin *b = calloc(1, sizeof *b);
    if (!b || !(b->kept = calloc(MAX_KEPT, sizeof *b->kept))) {
        die("out of memory");
    }
    char name[32];
    snprintf(name, sizeof name, "builtin-%d", job);
    Worker *w = &b->worker;
    int code = worker_open(w, o, campaign, name, message, message_size);
    if (code == 0) {
        w->on_program = on_program;
        Arena seeds = ARENA_EMPTY;
        b->seeds = list_corpus(b, "seed-", &b->seed, &seeds);
        builtin_recall(b);
        int64_t end = o->runs > 0 ? o->runs : INT64_MAX;
        int64_t first = o->shard.index * jobs + job, step = o->shard.count * jobs;
        for (int64_t i = max_i64(w->counts.next, first); i < end; i += step) {
            arena_reset(&b->arena);
            ledger_begin(w->ledger, i);
            const Program *p = builtin_make(b, i);
            if (ledger_gives_up(w->ledger, i)) {
                worker_give_up(w, p, i);
            } else if (worker_check(w, p, i, &b->arena)) {
                builtin_keep(b, p, i);
            }
            w->counts.next = i + step;
            ledger_set(w->ledger, &w->counts);
        }
        arena_destroy(&seeds);
        worker_close(w);
    }
    arena_destroy(&b->arena);
    arena_destroy(&b->corpus);
    arena_destroy(&b->scratch);
    free(b->kept);
    free(b);
    return code;
}
