/* Control characters could move the cursor or hide text, so none reaches a terminal: neither the
 * ASCII ones nor those of C1 (U+0080 to U+009F), of which 0x9B begins a command as ESC [ does. C1
 * is recognized as UTF-8 (0xC2 0x80 to 0xC2 0x9F) and as a byte that is no part of a UTF-8
 * sequence. */
#include "harness/util/printable.h"

/* Bytes that continue the sequence which begins with `c`. */
static int continuation(unsigned char c) {
    return c < 0xC2 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : 0;
}

const char *printable(Arena *arena, const char *text) {
    char *out = arena_strdup(arena, text);
    for (unsigned char *c = (unsigned char *)out; *c; c++) {
        int more = continuation(*c), n = 0;
        while (n < more && (c[n + 1] & 0xC0) == 0x80) {
            n++;
        }
        bool whole = n == more, c1 = c[0] == 0xC2 && c[1] < 0xA0;
        if (*c >= 0x20 && *c != 0x7f && (*c < 0x80 || (more > 0 && whole && !c1))) {
            c += n;
            continue;
        }
        for (int i = 0; i <= (whole ? n : 0); i++) {
            c[i] = '?';
        }
        c += whole ? n : 0;
    }
    return (const char *)out;
}
