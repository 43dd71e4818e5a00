/* The table of seeded faults, and the set of them that a run's options name. */
#include "compiled/core/faults.h"
#include "compiled/core/options.h"

#include <stdio.h>
#include <string.h>

static const FaultInfo fault_table[] = {
#define FAULT(family, number, label, where, by, bug, ...)                                          \
    {.id = #family "-" #number,                                                                    \
     .name = #label,                                                                               \
     .stage = #where,                                                                              \
     .oracle = #by,                                                                                \
     .issue = bug,                                                                                 \
     .text = __VA_ARGS__},
#define UNDER(name) .profile = #name
#include "compiled/core/faults.def"
#undef FAULT
#undef UNDER
};

const FaultInfo *fault_info(FaultId id) {
    CHECK(id >= 0 && id < FAULT_COUNT);
    return &fault_table[id];
}

bool fault_parse(const char *text, FaultId *id) {
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(text, fault_table[i].id) == 0 || strcmp(text, fault_table[i].name) == 0) {
            *id = (FaultId)i;
            return true;
        }
    }
    return false;
}

FaultId faults_seeded(const CompileOptions *options, int k) {
    return k == 0 ? options->fault : k <= options->nalso ? options->also[k - 1] : FAULT_NONE;
}

bool faults_add(CompileOptions *options, FaultId id) {
    for (int k = 0; faults_seeded(options, k) != FAULT_NONE; k++) {
        if (faults_seeded(options, k) == id) {
            return true;
        }
    }
    if (options->fault == FAULT_NONE) {
        options->fault = id;
        return true;
    }
    if (options->nalso == COUNT_OF(options->also)) {
        return false;
    }
    options->also[options->nalso++] = id;
    return true;
}

const char *faults_text(const CompileOptions *options, char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; faults_seeded(options, k) != FAULT_NONE && n < size; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? ", " : "",
                              fault_table[faults_seeded(options, k)].name);
    }
    return text;
}

void faults_clear(CompileOptions *options) {
    options->fault = FAULT_NONE;
    options->nalso = 0;
}
