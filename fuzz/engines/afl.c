/* The mutator core as AFL++'s (custom mutator API of 4.04: afl_custom_init, _fuzz, _deinit;
 * AFL_CUSTOM_MUTATOR_LIBRARY). The seed of a mutant is the next number of one stream that
 * afl-fuzz's seed starts. */
#include "fuzz/mutate/mutate.h"
#include "tensor/rng.h"

#include <stdlib.h>

typedef struct AflState {
    Rng rng;
    Arena arena;
    uint8_t *out;
    size_t room;
} AflState;

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *in, size_t n, uint8_t **out, uint8_t *add, size_t nadd,
                       size_t most);
void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned seed) {
    (void)afl; /* its layout changes from release to release */
    op_table_init();
    AflState *s = calloc(1, sizeof *s);
    if (!s) {
        die("no memory");
    }
    s->rng.state = seed;
    return s;
}

/* The bytes stay the mutator's own until the next call. */
size_t afl_custom_fuzz(void *data, uint8_t *in, size_t n, uint8_t **out, uint8_t *add, size_t nadd,
                       size_t most) {
    AflState *s = data;
    if (s->room < most) {
        free(s->out);
        s->out = malloc(most);
        s->room = most;
        if (!s->out) {
            die("no memory");
        }
    }
    uint64_t seed = rng_next(&s->rng);
    *out = s->out;
    arena_reset(&s->arena);
    return (size_t)breed_bytes(&s->arena, in, (int64_t)n, add, (int64_t)nadd, s->out, (int64_t)most,
                               seed);
}

void afl_custom_deinit(void *data) {
    AflState *s = data;
    arena_destroy(&s->arena);
    free(s->out);
    free(s);
}
