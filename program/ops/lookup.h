/* The part of op_table_init (op.c) that indexes the rows. */
#ifndef PROGRAM_OP_LOOKUP_H
#define PROGRAM_OP_LOOKUP_H

/* Indexes the rows, which op_info gives by now, for op_overloads, op_by_code and op_find_param.
 * Dies on names that cannot be told apart. */
void op_lookup_init(void);

#endif
