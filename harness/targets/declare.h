/* The declaration of a target: one member of "targets" in targets.json (docs/guide/targets.md). */
#ifndef HARNESS_TARGET_DECLARE_H
#define HARNESS_TARGET_DECLARE_H

#include "tensor/arena.h"

typedef struct Declaration {
    char **command;     /* argv, NULL-ended */
    char **environment; /* "NAME=VALUE", NULL-ended */
    char **modes;       /* NULL-ended */
} Declaration;

/* Reads the declaration of `name` from `file` (NULL: the default file) and checks that it has
 * `mode` (NULL: any). 0, or a message and 2 (no such target or mode, or the file is not
 * well-formed) or 3 (it cannot be read). */
int target_declaration(Arena *arena, const char *file, const char *name, const char *mode,
                       Declaration *out, char *message, size_t message_size);

/* Adds to the environment what a variation changes (TargetSettings.variation; 0: none), or with
 * `shares`, where several programs may be under way, a name that the processes of all targets
 * share (targets/kernels.py). */
void declaration_vary(Arena *arena, Declaration *d, int variation, bool shares);

/* The names of all targets of the file, one a line in *out: those declared, in the order of the
 * file, and for a name with "*" those versions whose command exists. Second names are left out.
 * 0, or a message and 2 or 3 as above. */
int target_names(Arena *arena, const char *file, char **out, char *message, size_t message_size);

/* What lists of known issues call a target: its name ("torch2.8:aot") without mode and version
 * ("torch"). */
const char *target_known_name(Arena *arena, const char *target);
/* The list of known issues that comes with it, ../corpus/known/NAME.json beside `file` (NULL: the
 * default file); NULL if there is none. */
const char *target_known_file(Arena *arena, const char *file, const char *name);
/* ../corpus/NAME beside `file` (NULL: the default file); NULL if there is no such folder. */
const char *target_corpus_folder(Arena *arena, const char *file, const char *name);

#endif
