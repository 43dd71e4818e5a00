/* The seeded faults (faults.def): deliberate bugs, off unless an option names them. */
#ifndef COMPILED_CORE_FAULTS_H
#define COMPILED_CORE_FAULTS_H

#include "tensor/base.h"

typedef enum FaultId {
#define FAULT(family, number, ...) FAULT_##family##_##number,
#include "compiled/core/faults.def"
#undef FAULT
    FAULT_COUNT,
    FAULT_NONE = -1
} FaultId;

typedef struct FaultInfo {
    const char *id;     /* RG-1a */
    const char *name;   /* stale_flags_base */
    const char *stage;  /* the pass or stage that contains it */
    const char *oracle; /* the oracle that should report it */
    const char *issue;  /* pytorch/pytorch#169179 */
    const char *text;
    const char *profile; /* of the generator, where the default one does not draw what the fault
                            needs; or NULL */
} FaultInfo;
const FaultInfo *fault_info(FaultId id);
/* By id ("RG-1") or name; false if unknown. */
bool fault_parse(const char *text, FaultId *id);

/* A set of faults. */
typedef struct FaultSet {
    uint64_t bits[(FAULT_COUNT + 63) / 64];
} FaultSet;
static inline void fault_set_add(FaultSet *set, FaultId id) {
    set->bits[id >> 6] |= UINT64_C(1) << (id & 63);
}
static inline bool fault_set_has(const FaultSet *set, FaultId id) {
    return set->bits[id >> 6] >> (id & 63) & 1;
}

typedef struct CompileOptions CompileOptions;
/* Seeds one more fault; false if there are too many. */
bool faults_add(CompileOptions *options, FaultId id);
/* Seeded fault number k, or FAULT_NONE past the last. */
FaultId faults_seeded(const CompileOptions *options, int k);
/* The names of the seeded faults, separated by commas: "stale_flags_after_setitem, ..". */
const char *faults_text(const CompileOptions *options, char *text, size_t size);
/* Seeds none. */
void faults_clear(CompileOptions *options);

#endif
