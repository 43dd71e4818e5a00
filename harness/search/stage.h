/* Findings of a compiling target: which stage of the compiler shows them first, and what they are
 * grouped by. A group is a stage, what differs, and the innermost function of the compiler that
 * raised the error (with the op, where all ops are called in that function) or, where none did, the
 * op that only one of the two refuses, or how a write reaches the tensor whose layout differs, or
 * the ops of the minimized program. Kernels of fake tensors, which all stages run, count as a stage
 * of their own, "fake". Where that program asks a flag of autograd, a group is a stage and how a
 * write reaches the tensor that is asked. */
#ifndef HARNESS_STAGE_H
#define HARNESS_STAGE_H

#include "harness/campaign/options.h"
#include "harness/triage/known.h"
#include "harness/targets/mode.h"

/* The pairs of the earlier modes, opened when first needed; zeros to begin with. */
typedef struct Stages {
    Checker checker[MODE_ROWS];
    char pair[MODE_ROWS][140]; /* their names, which the checkers point to */
    bool opened[MODE_ROWS], tried[MODE_ROWS];
} Stages;

/* The first of the modes that compile (modes.def) in which `p` shows a difference of the same
 * oracle; the pair's own mode if none of those before it does, or if they cannot be run. *early,
 * which may be NULL, becomes the pair with that mode, of `s`; NULL for the pair's own. */
const char *stage_find(Stages *s, const CheckerOptions *o, const Checker *c, const Program *p,
                       const Finding *finding, Checker **early);
/* The stage and the group of a finding, of which `p` is the minimized program: "fake" where a fake
 * kernel of one of its ops differs from the op, else as stage_find and stage_group say. An entry of
 * `known` for the pair with the mode fake explains whatever follows from that kernel. */
typedef struct StagePlace {
    const char *stage, *group; /* the group in the arena */
    KnownIssue *issue;         /* ... explains it; or NULL */
} StagePlace;
StagePlace stage_place(Stages *s, const CheckerOptions *o, const Checker *c, const Known *known,
                       Arena *arena, const Program *p, const Finding *finding);
/* The mode of the pair's compiling target; "" if it has none. */
const char *stage_of_pair(const Checker *c);
void stages_close(Stages *s);

/* stage_error.c: of a finding that is an error of the compiler its code and where it comes from,
 * "status-ok_vs_internal FUNCTION" or ".. WORDS OF THE MESSAGE", in `arena`; NULL for others. */
const char *stage_error_group(Arena *arena, const Finding *finding);
/* Does the compiler call every op in this function? What an op raises there is the op's. */
bool frame_is_of_every_op(const char *frame);
/* The name of the group, in `arena`. */
const char *stage_group(Arena *arena, const char *stage, const Program *small,
                        const Finding *finding);
/* How the last write before a flag of autograd is asked reaches the tensor that is asked ("of a
 * tensor whose view is written"), in `arena`; NULL if the program asks none and the finding is
 * about none (stage_relation.c). */
const char *stage_flag_relation(Arena *arena, const Program *p, const Finding *finding);
/* The same where the finding is about strides or an offset ("layout of a view whose base is
 * written"), and "values of an input whose layout changes in place"; NULL for others. */
const char *stage_layout_relation(Arena *arena, const Program *p, const Finding *finding);
/* Words for the search field of the upstream tracker. */
const char *stage_search_terms(Arena *arena, const char *stage, const Program *small,
                               const Finding *finding);

#endif
