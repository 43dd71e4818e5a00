/* A list in an arena, in the order of the corpus. */
#include "harness/search/seeds.h"

#include "fuzz/codec/codec.h"
#include "fuzz/mutate/mutate.h"
#include "harness/util/status.h"
#include "program/json/json.h"
#include "tensor/array.h"

#include <stdio.h>

typedef struct SeedsReading {
    SearchSeeds *seeds;
    Arena *home;
    const RunOptions *run;
    const char *path;
    char *message;
    size_t message_size;
    int code;
} SeedsReading;

static void search_seed_of(void *user, const Source *source) {
    SeedsReading *r = user;
    SearchSeeds *seeds = r->seeds;
    if (r->code != 0) {
        return;
    }
    if (source->status != IO_OK) {
        r->code = source->status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
        snprintf(r->message, r->message_size, "%s", source->message);
        return;
    }
    char why[512];
    Program *p = NULL;
    bool ok = true;
    if (source_is_neither(source, r->path)) {
        ok = false;
        snprintf(why, sizeof why, "neither JSON nor named .bytes");
    } else if (source_is_bytes(source)) {
        p = codec_decode(r->home, (const uint8_t *)source->text, source->length, &MUTATE_LIMITS,
                         why, sizeof why);
    } else {
        ok = program_parse_within(r->home, source->text, (size_t)source->length, &r->run->limits,
                                  &p, why, sizeof why) == PARSE_OK &&
             program_verify_within(p, &r->run->limits, why, sizeof why);
    }
    if (!p || !ok) {
        r->code = EXIT_BAD_INPUT;
        snprintf(r->message, r->message_size, "%.300s: %s", source->name, why);
        return;
    }
    p->semantics = run_semantics(p, r->run);
    seeds->v = array_reserve(r->home, seeds->v, seeds->n, &seeds->capacity, 64, sizeof *seeds->v);
    seeds->v[seeds->n++] = (SearchSeed){p, arena_strdup(r->home, source->name)};
}

int search_seeds_read(SearchSeeds *seeds, Arena *home, const char *path, const RunOptions *run,
                      char *message, size_t message_size) {
    SeedsReading r = {.seeds = seeds,
                      .home = home,
                      .run = run,
                      .path = path,
                      .message = message,
                      .message_size = message_size};
    *seeds = (SearchSeeds){.n = 0};
    if (!path) {
        return EXIT_AGREE;
    }
    io_each_corpus(path, search_seed_of, &r);
    if (r.code == EXIT_AGREE && seeds->n == 0) {
        snprintf(message, message_size, "there is no program in '%.200s'", path);
        return EXIT_BAD_INPUT;
    }
    return r.code;
}
