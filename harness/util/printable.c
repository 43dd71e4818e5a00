/* Control characters could move the cursor or hide text, so none reaches a terminal. */
#include "harness/util/printable.h"

const char *printable(Arena *arena, const char *text) {
    char *out = arena_strdup(arena, text);
    for (char *c = out; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    return out;
}
