/* Settings of a target's compiler, as its hello lists them ("settings"), from which `fuzz
 * --configs` draws some for each program. */
#ifndef HARNESS_SETTINGS_H
#define HARNESS_SETTINGS_H

#include "program/json/tree.h"

typedef struct SettingsTable {
    struct {
        const char *name;
        const char **value; /* canonical JSON */
        int nvalue;
    } * v;
    int n;
} SettingsTable;

/* The rows of {NAME: {"values": [...], "modes": [...]}} that are for `mode`; `j` may be NULL. */
SettingsTable settings_read(Arena *arena, const Json *j, const char *mode);
/* Why the hello says that the target lacks the mode here, or NULL. */
const char *absence_read(const Json *hello, const char *mode);
/* Settings for `p`, program `index` of the stream `seed`; NULL: none. */
CompileSettings *settings_draw(const SettingsTable *table, const Program *p, Arena *arena,
                               uint64_t seed, uint64_t index);

#endif
