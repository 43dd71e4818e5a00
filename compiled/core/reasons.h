/* Why compiled code was not reused (misses.def), and why it was compiled for one size only
 * (specializations.def). */
#ifndef COMPILED_CORE_REASONS_H
#define COMPILED_CORE_REASONS_H

typedef enum MissReason {
#define MISS(name, text) MISS_##name,
#include "compiled/core/misses.def"
#undef MISS
    MISS_COUNT
} MissReason;
typedef enum Specialization {
#define SPECIALIZATION(name, text) SPECIALIZED_##name,
#include "compiled/core/specializations.def"
#undef SPECIALIZATION
    SPECIALIZED_COUNT
} Specialization;
const char *miss_name(int reason);
const char *specialization_name(int reason);

#endif
