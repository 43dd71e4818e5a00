/* The weights of the generator by name (weights.def): W_motif, W_class_view, W_motif_skew, ... */
#ifndef FUZZ_WEIGHTS_H
#define FUZZ_WEIGHTS_H

typedef enum Weight {
#define CHANCE(name, percent, text) W_##name,
#define SHARE(group, name, weight, text) W_##group##_##name,
#define PATTERN(name, weight, text) W_motif_##name,
#define DELIBERATE_ERROR(name, weight) W_mistake_##name,
#include "fuzz/generate/weights.def"
    FIRST_PATTERN,
    BEFORE_PATTERNS = FIRST_PATTERN - 1,
#include "fuzz/patterns/patterns.def"
    FIRST_DELIBERATE_ERROR,
    BEFORE_DELIBERATE_ERRORS = FIRST_DELIBERATE_ERROR - 1,
#include "fuzz/patterns/deliberate_errors.def"
#undef CHANCE
#undef SHARE
#undef PATTERN
#undef DELIBERATE_ERROR
    WEIGHT_COUNT
} Weight;

/* A row: the group is NULL for a chance. */
typedef struct WeightInfo {
    const char *group, *name, *text;
    int value; /* by default */
} WeightInfo;
const WeightInfo *weight_info(int weight);

/* NULL past the last. */
typedef struct ProfileInfo {
    const char *name, *set, *text;
} ProfileInfo;
const ProfileInfo *profile_info(int profile);

#endif
