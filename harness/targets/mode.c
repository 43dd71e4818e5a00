#include "harness/targets/mode.h"

#include <string.h>

static const char *const SUFFIXES[] = {"_cuda", "_fullgraph", "_dynamic"}; /* the last one first */

static bool mode_ends(const char *name, size_t n, const char *end) {
    size_t m = strlen(end);
    return n > m && strncmp(name + n - m, end, m) == 0;
}

bool mode_is_cuda(const char *mode) { return mode_ends(mode, strlen(mode), "_cuda"); }

bool mode_is_fake(const char *mode) {
    return mode_base_length(mode) == strlen("fake") && strncmp(mode, "fake", strlen("fake")) == 0;
}

size_t mode_base_length(const char *mode) {
    size_t n = strlen(mode);
    for (int i = 0; i < COUNT_OF(SUFFIXES); i++) {
        n -= mode_ends(mode, n, SUFFIXES[i]) ? strlen(SUFFIXES[i]) : 0;
    }
    return n;
}

const char *mode_device(const char *mode) { return mode_is_cuda(mode) ? "_cuda" : ""; }

const char *mode_eager(const char *mode) { return mode_is_cuda(mode) ? "eager_cuda" : "eager"; }

const char *mode_of_script(Arena *arena, const char *mode) {
    static const char part[] = "_passes";
    size_t n = mode_base_length(mode), rest = n;
    n -= mode_ends(mode, n, part) ? strlen(part) : 0;
    return arena_printf(arena, "%.*s%s", (int)n, mode, mode + rest);
}

const char *mode_options(Arena *arena, const char *mode) {
    static const struct {
        const char *base, *backend;
    } rows[] = {
        {"dynamo", "eager"},
        {"aot", "aot_eager"},
        {"aot_decomp", "aot_eager_decomp_partition"},
        {"inductor_lite", "inductor"},
        {"inductor_passes", "inductor"},
    };
    const char *base = arena_printf(arena, "%.*s", (int)mode_base_length(mode), mode);
    const char *backend = base, *rest = mode + strlen(base);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        backend = strcmp(base, rows[i].base) == 0 ? rows[i].backend : backend;
    }
    return arena_printf(arena, "backend=\"%s\"%s%s%s", backend,
                        strcmp(base, "inductor_lite") == 0 ? ", mode=\"lite\"" : "",
                        strstr(rest, "_dynamic") ? ", dynamic=True" : "",
                        strstr(rest, "_fullgraph") ? ", fullgraph=True" : "");
}
