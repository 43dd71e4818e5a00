/* Names of the reasons. */
#include "compiled/core/reasons.h"

static const char *const miss_names[] = {
#define MISS(name, text) #name,
#include "compiled/core/misses.def"
#undef MISS
};
const char *miss_name(int reason) { return miss_names[reason]; }

static const char *const specialization_names[] = {
#define SPECIALIZATION(name, text) #name,
#include "compiled/core/specializations.def"
#undef SPECIALIZATION
};
const char *specialization_name(int reason) { return specialization_names[reason]; }
