/* Locate: the first statement at which two executors differ, and with it the signature of a
 * finding. */
#ifndef HARNESS_LOCATE_H
#define HARNESS_LOCATE_H

#include "harness/check/check.h"

/* Finds the first divergent statement of a finding by checking prefixes of `p`, and fills its
 * culprit and its root: what differs there first. Deterministic; the counters of `c` stay as they
 * were; `arena` is scratch. */
void check_symptom(Checker *c, const Program *p, Finding *finding, Arena *arena);
/* check_symptom, then the cause (cause.h), and the signature that both make. */
void check_locate(Checker *c, const Program *p, Finding *finding, Arena *arena);
/* What is known without running anything: culprit, root and signature by the statement that the
 * finding is about. */
void check_sketch(const Program *p, Finding *finding, Arena *arena);
/* What signatures call a statement: its op, or "with", "grad", "set_grad" ... */
const char *locate_stmt_name(const Program *p, const Stmt *s);
/* The op of a signature, oracle-kind-op or oracle-kind-op-step, whose fields hold no dash: `length`
 * characters from there. "" and 0 if the signature has none. */
const char *signature_op(const char *signature, int *length);

#endif
