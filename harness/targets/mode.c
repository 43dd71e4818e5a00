#include "harness/targets/mode.h"

#include <string.h>

const ModeRow MODES[MODE_ROWS] = {
#define MODE(name, compiles, keeps, backend, script) {#name, compiles, keeps, backend, script},
#include "harness/targets/modes.def"
#undef MODE
};

static const char *const SUFFIXES[] = {"_cuda", "_fullgraph", "_dynamic"}; /* the last one first */

static bool mode_ends(const char *name, size_t n, const char *end) {
    size_t m = strlen(end);
    return n > m && strncmp(name + n - m, end, m) == 0;
}

bool mode_is_cuda(const char *mode) { return mode_ends(mode, strlen(mode), "_cuda"); }

size_t mode_base_length(const char *mode) {
    size_t n = strlen(mode);
    for (int i = 0; i < COUNT_OF(SUFFIXES); i++) {
        n -= mode_ends(mode, n, SUFFIXES[i]) ? strlen(SUFFIXES[i]) : 0;
    }
    return n;
}

int mode_next(const char **at, const char **name) {
    *name = *at + strspn(*at, ",");
    int n = (int)strcspn(*name, ",");
    *at = *name + n;
    return n;
}

int mode_count(const char *list) {
    const char *name;
    int n = 0;
    while (mode_next(&list, &name) > 0) {
        n++;
    }
    return n;
}

const ModeRow *mode_row(const char *mode) {
    size_t n = mode_base_length(mode);
    for (int i = 0; i < MODE_ROWS; i++) {
        if (strlen(MODES[i].name) == n && strncmp(mode, MODES[i].name, n) == 0) {
            return &MODES[i];
        }
    }
    return NULL;
}

bool mode_is_fake(const char *mode) { return mode_row(mode) == &MODES[MODE_fake]; }

const char *mode_device(const char *mode) { return mode_is_cuda(mode) ? "_cuda" : ""; }

const char *mode_eager(const char *mode) { return mode_is_cuda(mode) ? "eager_cuda" : "eager"; }

const char *mode_of_script(Arena *arena, const char *mode) {
    const ModeRow *row = mode_row(mode);
    return row ? arena_printf(arena, "%s%s", row->script, mode + strlen(row->name)) : mode;
}

const char *mode_options(Arena *arena, const char *mode) {
    const ModeRow *row = mode_row(mode);
    size_t n = mode_base_length(mode);
    const char *base = row ? row->name : arena_printf(arena, "%.*s", (int)n, mode),
               *rest = mode + n;
    return arena_printf(arena, "backend=\"%s\"%s%s%s", row && row->backend[0] ? row->backend : base,
                        strcmp(base, "inductor_lite") == 0 ? ", mode=\"lite\"" : "",
                        strstr(rest, "_dynamic") ? ", dynamic=True" : "",
                        strstr(rest, "_fullgraph") ? ", fullgraph=True" : "");
}
