/* Reads the texts of a row of ops.def into OpInfo; for op_table_init (op.c). All of them die on a
 * bad row. */
#ifndef PROGRAM_OPS_SCHEMA_H
#define PROGRAM_OPS_SCHEMA_H

#include "program/ops/op.h"

/* Reads op->schema: name, overload, parameters, returns. */
void schema_read(OpInfo *op);
/* Reads the operand list of a POINTWISE row: "self,min=lo,max=hi". */
void schema_read_operands(OpInfo *op, const char *operands);
/* Reads op->saves, the values that the derivative needs: "self", "self:other" or "result". */
void schema_read_saves(OpInfo *op);

#endif
