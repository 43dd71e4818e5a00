/* The table of versions and rules, and the semantics of a thread. */
#include "program/semantics/semantics.h"

#include <stdlib.h>
#include <string.h>

_Thread_local Semantics semantics_now = SEMANTICS_DEFAULT;

static const char *const VERSIONS[SEMANTICS_COUNT] = {
#define VERSION(id, text) [SEMANTICS_##id] = text,
#define RULE(id, since, text, source)
#define ALWAYS(id, since, text, source)
#include "program/versions.def"
#undef VERSION
#undef RULE
#undef ALWAYS
};

Semantics semantics_enter(Semantics s) {
    Semantics before = semantics_now;
    semantics_now = s == SEMANTICS_NONE ? SEMANTICS_DEFAULT : s;
    return before;
}

const char *semantics_name(Semantics s) { return VERSIONS[s]; }

Semantics semantics_parse(const char *name) {
    for (int i = SEMANTICS_NONE + 1; i < SEMANTICS_COUNT; i++) {
        if (strcmp(VERSIONS[i], name) == 0) {
            return (Semantics)i;
        }
    }
    return SEMANTICS_NONE;
}

long version_number(const char *text) {
    char *end, *last;
    long major = strtol(text, &end, 10);
    if (end == text || *end != '.' || major < 0 || major > 999) {
        return -1;
    }
    long minor = strtol(end + 1, &last, 10);
    return last == end + 1 || minor < 0 || minor > 999 ? -1 : major * 1000 + minor;
}

Semantics semantics_nearest(const char *text) {
    const char *digit = strpbrk(text, "0123456789");
    long wanted = digit ? version_number(digit) : -1;
    if (wanted < 0) {
        return SEMANTICS_NONE;
    }
    Semantics nearest = SEMANTICS_OLDEST;
    for (int i = SEMANTICS_NONE + 1; i < SEMANTICS_COUNT; i++) {
        if (version_number(VERSIONS[i]) <= wanted) {
            nearest = (Semantics)i;
        }
    }
    return nearest;
}

const char *semantics_list(void) {
    static const char list[] =
#define VERSION(id, text) ", " text
#define RULE(id, since, text, source)
#define ALWAYS(id, since, text, source)
#include "program/versions.def"
#undef VERSION
#undef RULE
#undef ALWAYS
        ;
    return list + 2;
}
