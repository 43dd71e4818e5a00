/* The parts of a result's reader (result_read.c, result_call.c). All return false and leave a
 * message if the JSON is not what they expect. */
#ifndef PROGRAM_RESULT_READER_H
#define PROGRAM_RESULT_READER_H

#include "program/json/tree.h"

typedef struct ResultReader {
    Reader *r;
    const Program *p;
    int call;
} ResultReader;

/* Where an error occurred or a probe stands. */
bool result_read_at(ResultReader *c, const Json *j, int *out);
bool result_read_trace(ResultReader *c, const Json *j, TraceEntry *t);
/* An entry of "returns"; `call` has its inputs. */
bool result_read_return(ResultReader *c, const Json *j, const CallResult *call, ReturnRecord *out,
                        GradFacts *facts);
/* An entry of "inputs" or "args". */
bool result_read_input(ResultReader *c, const Json *j, InputRecord *out, GradFacts *facts);
bool result_read_call(ResultReader *c, const Json *j, CallResult *out);

#endif
