/* What an error that a compiling target raises is grouped by: its code, the function of the
 * compiler that raised it or else the first words of its message, whatever op it is about, and
 * however eager mode ends behind it. */
#include "harness/search/stage.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 5 };

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Behind " at ": where the error is; behind the place, what the target said. */
static const char *place_in(const char *answer) {
    const char *at = strstr(answer, " at ");
    return at ? at + strlen(" at ") : "";
}

/* The message without the code, the place, and the names of the exceptions that wrap one another:
 * "internal at ..: BackendCompilerFailed: backend=.. raised:\nRuntimeError: message", "..: Dynamo
 * failed to run FX node ..: got RuntimeError('message')". */
static const char *innermost_message(const char *answer) {
    static const char raised[] = " raised:\n", got[] = " got ";
    const char *text = strstr(answer, ": "), *inner;
    text = text ? text + 2 : answer;
    inner = strstr(text, raised);
    text = inner ? inner + strlen(raised) : text;
    inner = strstr(text, got);
    inner = inner ? strchr(inner, '(') : NULL;
    text = inner ? inner + 1 : text;
    for (const char *end = text + strcspn(text, " \n:"); begins(end, ": ");
         end = text + strcspn(text, " \n:")) {
        text = end + 2;
    }
    return text;
}

/* Appends the word without quotes and brackets around it; nothing if it has a digit, which is of
 * the program, or no letter. */
static bool add_word(Text *t, const char *word, size_t n) {
    bool letter = false, digit = false;
    while (n > 0 && !isalnum((unsigned char)*word)) {
        word++;
        n--;
    }
    while (n > 0 && !isalnum((unsigned char)word[n - 1]) && word[n - 1] != '+') {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        letter |= isalpha((unsigned char)word[i]) != 0;
        digit |= isdigit((unsigned char)word[i]) != 0;
    }
    if (letter && !digit) {
        text_printf(t, "%s%.*s", t->n > 0 ? " " : "", (int)n, word);
    }
    return letter && !digit;
}

/* The first words of the message's first line; the answer may be cut off in the last one. */
static const char *first_words(Arena *arena, const char *message) {
    Text t = {.arena = arena};
    int words = 0;
    text_add(&t, "");
    for (const char *at = message; *at && *at != '\n' && words < MOST_WORDS;) {
        const size_t n = strcspn(at, " \n");
        words += at[n] != '\0' && add_word(&t, at, n);
        at += n + (at[n] == ' ');
    }
    return words > 1 ? t.v : "";
}

/* Does the compiler raise an error that eager mode does not, whatever comes behind it? It has no
 * place while a function is traced; one in the function is in front of the returns and of a
 * backward. */
static bool raises_first(const Finding *f) {
    const char *a = place_in(f->a), *b = place_in(f->b);
    const bool late = begins(a, "return") || begins(a, "backward") || begins(a, "after[");
    return begins(b, "an unknown statement") || (late && begins(b, "body["));
}

const char *stage_error_group(Arena *arena, const Finding *f) {
    const char *code = strstr(f->kind, "_vs_");
    if (f->oracle != ORACLE_status || !code || strcmp(code, "_vs_ok") == 0 || f->b[0] == '\0') {
        return NULL;
    }
    const char *kind = raises_first(f) ? arena_printf(arena, "ok%s", code) : f->kind;
    const bool function = f->frame[0] && !frame_is_of_every_op(f->frame);
    const char *words =
        function || !begins(kind, "ok_vs_") ? "" : first_words(arena, innermost_message(f->b));
    const char *op = function || words[0] ? "" : f->root.op;
    return arena_printf(arena, "status-%s%s%s%s%s%s%s", kind, f->frame[0] ? " " : "", f->frame,
                        words[0] ? " " : "", words, op[0] ? " " : "", op);
}
