/* The options of the generator: a table of weights (weights.def, patterns.def,
 * deliberate_errors.def), profiles that set some of them, and which ops may be named. */
#include "fuzz/generate/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHARE = 1000 };

static const WeightInfo WEIGHTS[WEIGHT_COUNT] = {
#define CHANCE(name, percent, text) {NULL, #name, text, percent},
#define SHARE(group, name, weight, text) {#group, #name, text, weight},
#define PATTERN(name, weight, text) {"motif", #name, text, weight},
#define DELIBERATE_ERROR(name, weight) {"mistake", #name, "", weight},
#include "fuzz/generate/weights.def"
#include "fuzz/patterns/patterns.def"
#include "fuzz/patterns/deliberate_errors.def"
#undef CHANCE
#undef SHARE
#undef PATTERN
#undef DELIBERATE_ERROR
};

static const ProfileInfo PROFILES[] = {
#define PROFILE(name, set, text) {#name, set, text},
#include "fuzz/generate/profiles.def"
#undef PROFILE
};

const WeightInfo *weight_info(int weight) {
    return weight >= 0 && weight < WEIGHT_COUNT ? &WEIGHTS[weight] : NULL;
}
const ProfileInfo *profile_info(int profile) {
    return profile >= 0 && profile < COUNT_OF(PROFILES) ? &PROFILES[profile] : NULL;
}

const GenerateOptions GENERATE_DEFAULTS = {
    .weight =
        {
#define CHANCE(name, percent, text) percent,
#define SHARE(group, name, weight, text) weight,
#define PATTERN(name, weight, text) weight,
#define DELIBERATE_ERROR(name, weight) weight,
#include "fuzz/generate/weights.def"
#include "fuzz/patterns/patterns.def"
#include "fuzz/patterns/deliberate_errors.def"
#undef CHANCE
#undef SHARE
#undef PATTERN
#undef DELIBERATE_ERROR
        },
    .op =
        {
#define ROW(id) OP_##id,
#include "program/ops/rows.def"
#undef ROW
        },
    .nop = OP_COUNT,
    .semantics = SEMANTICS_NONE,
};

/* ---- profiles ---- */

static bool is_word(const char *word, size_t n, const char *text) {
    return strlen(text) == n && strncmp(word, text, n) == 0;
}

/* NAME or GROUP.NAME of n characters; a chance comes before rows of groups, the first of those
 * counts. -1: none. */
static int find_weight(const char *word, size_t n) {
    const char *dot = memchr(word, '.', n);
    size_t group = dot ? (size_t)(dot - word) : 0;
    int found = -1;
    for (int i = 0; i < WEIGHT_COUNT; i++) {
        const WeightInfo *w = &WEIGHTS[i];
        bool same = dot ? w->group && is_word(word, group, w->group) &&
                              is_word(dot + 1, n - group - 1, w->name)
                        : is_word(word, n, w->name);
        if (same && (found < 0 || (!w->group && WEIGHTS[found].group))) {
            found = i;
        }
    }
    return found;
}

/* A group of which nothing is left cannot be drawn from. */
static const char *empty_group(const GenerateOptions *o) {
    for (int i = 0, total; i < WEIGHT_COUNT; i++) {
        const char *group = WEIGHTS[i].group;
        if (!group || (i > 0 && WEIGHTS[i - 1].group && strcmp(WEIGHTS[i - 1].group, group) == 0)) {
            continue;
        }
        total = 0;
        for (int k = i;
             k < WEIGHT_COUNT && WEIGHTS[k].group && strcmp(WEIGHTS[k].group, group) == 0; k++) {
            total += o->weight[k];
        }
        if (total == 0) {
            return group;
        }
    }
    return NULL;
}

static bool set_weight(GenerateOptions *o, const char *word, size_t n, size_t name, bool by_user,
                       char *message, size_t size) {
    int at = find_weight(word, name);
    const char *digits = word + name + 1;
    size_t ndigits = n - name - 1;
    if (at < 0) {
        snprintf(message, size, "the generator has no weight '%.*s' (see 'twingrad profiles')",
                 (int)(name < 60 ? name : 60), word);
        return false;
    }
    int most = WEIGHTS[at].group ? MOST_SHARE : 100;
    long value = ndigits > 0 && ndigits < 6 && strspn(digits, "0123456789") >= ndigits
                     ? strtol(digits, NULL, 10)
                     : -1;
    if (value < 0 || value > most) {
        snprintf(message, size, "the weight '%.*s' is a whole number from 0 to %d, not '%.*s'",
                 (int)name, word, most, (int)(ndigits < 60 ? ndigits : 60), digits);
        return false;
    }
    o->weight[at] = (int)value;
    o->set[at] |= by_user;
    return true;
}

static bool apply_profile(GenerateOptions *o, const char *list, int depth, char *message,
                          size_t size) {
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ","), name = strcspn(at, ",=");
        const ProfileInfo *profile = NULL;
        for (int i = 0; i < COUNT_OF(PROFILES) && name == n && depth == 0; i++) {
            profile = is_word(at, n, PROFILES[i].name) ? &PROFILES[i] : profile;
        }
        if (name == n && !profile) {
            snprintf(message, size, "there is no profile '%.*s' (see 'twingrad profiles')",
                     (int)(n < 60 ? n : 60), at);
            return false;
        }
        if (profile ? !apply_profile(o, profile->set, 1, message, size)
                    : !set_weight(o, at, n, name, depth == 0, message, size)) {
            return false;
        }
        o->named |= profile != NULL;
        at += n + (at[n] == ',');
    }
    return true;
}

bool generate_profile(GenerateOptions *o, const char *list, char *message, size_t size) {
    if (!apply_profile(o, list, 0, message, size)) {
        return false;
    }
    const char *group = empty_group(o);
    if (group) {
        snprintf(message, size, "every weight of '%s' is 0: there is nothing to draw", group);
        return false;
    }
    return true;
}

bool generate_profile_below(GenerateOptions *o, const char *profile, char *message, size_t size) {
    if (o->named) {
        return true;
    }
    const GenerateOptions before = *o;
    bool ok = generate_profile(o, profile, message, size);
    for (int i = 0; i < WEIGHT_COUNT; i++) {
        o->weight[i] = before.set[i] ? before.weight[i] : o->weight[i];
    }
    return ok;
}

/* ---- ops ---- */

/* Marks what the word names; false: nothing. */
static bool allow(GenerateOptions *o, const char *word, size_t n, bool off) {
    bool any = false;
    for (int id = 0; id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        size_t name = strlen(op->name);
        bool whole = n > name && strncmp(word, op->name, name) == 0 && word[name] == '.' &&
                     is_word(word + name + 1, n - name - 1, op->overload);
        if (op->class != CLASS_NEVER && (is_word(word, n, op->name) || whole)) {
            o->off[id] = off;
            any = true;
        }
    }
    return any;
}

bool generate_ops(GenerateOptions *o, const char *list, char *message, size_t size) {
    bool without = list[0] == '-';
    memset(o->off, !without, sizeof o->off);
    for (const char *at = list + without; *at || at == list + without;) {
        size_t n = strcspn(at, ",");
        if (!allow(o, at, n, without)) {
            snprintf(message, size,
                     "there is no op '%.*s' for programs to name (see 'twingrad ops')",
                     (int)(n < 60 ? n : 60), at);
            return false;
        }
        at += n + (at[n] == ',');
    }
    o->nop = 0;
    bool any = false;
    for (int id = 0; id < OP_COUNT; id++) {
        if (!o->off[id]) {
            o->op[o->nop++] = (OpId)id;
            any = any || op_info((OpId)id)->class != CLASS_NEVER;
        }
    }
    if (!any) {
        snprintf(message, size, "no op is left to draw");
    }
    return any;
}
