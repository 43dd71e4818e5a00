/* Semantics: the release of PyTorch whose eager behaviour a run follows. Releases and the rules in
 * which they differ are rows of program/versions.def. A rule is an `if (since(RULE))` where it
 * lives, in code that both executors share or once in each.
 *
 * The version of a run is a thread's current one, as PyTorch's grad mode is: reference_run and
 * compiled_run enter it (semantics_enter), whatever they call reads it. */
#ifndef PROGRAM_SEMANTICS_H
#define PROGRAM_SEMANTICS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum Semantics {
    SEMANTICS_NONE, /* not given */
#define VERSION(id, text) SEMANTICS_##id,
#define RULE(id, since, text, source)
#define ALWAYS(id, since, text, source)
#include "program/versions.def"
#undef VERSION
#undef RULE
#undef ALWAYS
    SEMANTICS_COUNT
} Semantics;

#define SEMANTICS_OLDEST SEMANTICS_1_13
#define SEMANTICS_DEFAULT SEMANTICS_2_15

/* By rule: the version since which it holds. */
enum {
#define VERSION(id, text)
#define RULE(id, since, text, source) SINCE_##id = SEMANTICS_##since,
#define ALWAYS(id, since, text, source)
#include "program/versions.def"
#undef VERSION
#undef RULE
#undef ALWAYS
};

/* Of this thread. */
extern _Thread_local Semantics semantics_now;

/* Does the rule hold in the run of this thread? */
#define since(rule) (semantics_now >= (Semantics)SINCE_##rule)

/* Makes `s` the semantics of this thread (SEMANTICS_NONE: the default); returns the one before. */
Semantics semantics_enter(Semantics s);

/* "2.15", and its inverse (SEMANTICS_NONE if there is no such version). */
const char *semantics_name(Semantics s);
Semantics semantics_parse(const char *name);
/* The nearest version that is not newer than the first "X.Y" in `text` ("torch 2.14.1+cpu": 2.13);
 * the oldest if all are newer, SEMANTICS_NONE if there is no version in it. */
Semantics semantics_nearest(const char *text);
/* "X.Y" at the beginning of `text` as a number that orders versions; -1 if there is none. */
long version_number(const char *text);
/* "1.13, 2.8, ...", for messages. */
const char *semantics_list(void);

#endif
