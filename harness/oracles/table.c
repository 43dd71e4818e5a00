/* The functions of the oracles, by id. */
#include "harness/oracles/oracle.h"

static const OracleFn functions[] = {
#define ORACLE(name, claim) oracle_##name,
#include "harness/oracles/oracles.def"
#undef ORACLE
};

OracleId oracle_at(int place) { return (OracleId)((place + ORACLE_state) % ORACLE_COUNT); }

OracleFn oracle_function(OracleId id) {
    CHECK((unsigned)id < ORACLE_COUNT);
    return functions[id];
}
