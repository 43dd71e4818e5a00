/* The weights of the generator by name (weights.def): W_motif, W_class_view, W_motif_skew, ... */
#ifndef FUZZ_WEIGHTS_H
#define FUZZ_WEIGHTS_H

typedef enum Weight {
#define CHANCE(name, percent, text) W_##name,
#define SHARE(group, name, weight, text) W_##group##_##name,
#define MOTIF(name, weight, text) W_motif_##name,
#define MISTAKE(name, weight) W_mistake_##name,
#include "fuzz/generate/weights.def"
    FIRST_MOTIF, BEFORE_MOTIFS = FIRST_MOTIF - 1,
#include "fuzz/patterns/motifs.def"
    FIRST_MISTAKE, BEFORE_MISTAKES = FIRST_MISTAKE - 1,
#include "fuzz/patterns/mistakes.def"
#undef CHANCE
#undef SHARE
#undef MOTIF
#undef MISTAKE
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
