/* Features of generated programs, for statistics (features.def). */
#ifndef HARNESS_FEATURES_H
#define HARNESS_FEATURES_H

#include "fuzz/generate/generate.h"

typedef enum ProgramFeature {
#define FEATURE(name, text, condition) FEATURE_##name,
#include "harness/report/features.def"
#undef FEATURE
    FEATURE_COUNT
} ProgramFeature;

/* NULL past the last. */
const char *feature_name(int feature);
/* Adds one to the count of every feature that the program has. */
void features_count(const Program *p, const GenerateInfo *info, int64_t counts[FEATURE_COUNT]);

/* Sizes of inputs by powers of two: 0, 1, 2 to 3, 4 to 7, ... */
enum { SIZE_CLASSES = 28 };
/* "1024-2047"; NULL past the last. */
const char *size_class_name(int class);
void sizes_count(const Program *p, int64_t counts[SIZE_CLASSES]);

#endif
