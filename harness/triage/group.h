/* Groups: findings by their origin. A signature names what is seen, and one bug shows in many ways;
 * a group is all findings of one cause (cause.h) or, where none is found, of one signature.
 *
 * What is attributed by what differs, since no step and no interpretation of the graph shows it
 * (capture, joint, epilogue), has one group for each difference. But one bug of an op is a
 * wrong size in one program and a missing error in another. So such groups are joined if most
 * findings of both begin at one op, or if they share one of a few ops. Calls with out= and
 * _foreach ops are mechanisms of their own, and count as one op each. Also joined are a
 * large group and a smaller one, if one op occurs in nearly every program of the first and in every
 * program of the second. */
#ifndef HARNESS_GROUP_H
#define HARNESS_GROUP_H

#include "harness/triage/known.h"
#include "harness/triage/locate.h"
#include "program/json/json.h"

enum { MAX_GROUPS = 1024 };

typedef struct GroupOp {
    const char *name; /* without the underscore of an in-place op */
    int64_t count;
} GroupOp;

typedef struct GroupOps {
    GroupOp *v;
    int n, capacity;
} GroupOps;

typedef struct Group {
    char key[sizeof((Finding *)0)->signature];
    int64_t count[STATUS_COUNT]; /* findings, by status */
    int64_t first;               /* the first program that shows it, by the number of the caller */
    int signatures;              /* number of distinct signatures; see group_add */
    GroupOps begins;             /* at which its findings begin */
    GroupOps has;                /* that the programs of its findings have */
    int64_t programs;            /* number of findings whose programs `has` counts */
    int with; /* the first of the groups that this one is joined with (groups_join), or -1 */
    const KnownIssue *issue; /* the known issue, or NULL */
} Group;

typedef struct Groups {
    Group *group; /* in the order of their first finding; room for MAX_GROUPS */
    int n;
    int64_t unlisted; /* findings beyond MAX_GROUPS */
    Arena *arena;
} Groups;

Groups groups_new(Arena *arena);
/* The key of the group of a located finding: its cause's group, or its signature. */
const char *group_key(const Finding *finding);
Group *group_find(const Groups *groups, const char *key);
/* One finding, or several of one signature. */
typedef struct GroupFinding {
    const char *key, *signature;
    FindingStatus status;
    const KnownIssue *issue;
    int64_t first, count;
    bool is_new;     /* the caller has not seen the signature before */
    const char *ops; /* group_ops of its program, or NULL */
} GroupFinding;
/* The ops of a program by name, each once, without the underscore of an in-place op, separated by
 * spaces, in `arena`. Also "out" for calls with out=, "_foreach", "apply" for a function of its
 * own, and what differentiates: "grad", "backward", "get_grad", "set_grad". */
const char *group_ops(Arena *arena, const Program *p);

/* Counts findings. NULL if there are too many groups. */
Group *group_add(Groups *groups, const GroupFinding *finding);
/* For group_add: notes the ops of a finding (group_join.c). */
void group_note_ops(Groups *groups, Group *g, const GroupFinding *finding);
/* The first `n` characters of an op's name, without the underscore of an in-place op and the ".out"
 * of a call with out=. */
void group_plain_op(char *op, size_t size, const char *name, int n);
/* Joins groups that are of one bug (see above). Groups of known issues stay as they are. */
void groups_join(Groups *groups);
/* The worst status in the group: new, then flaky, then known. */
FindingStatus group_status(const Group *group);
int64_t group_count(const Group *group);

/* One line per group, those that are joined with one below it; the JSON array of all groups, in
 * which they name it ("with"). Both after groups_join. */
void groups_text(const Groups *groups, Text *text);
void groups_json(const Groups *groups, Text *text);

#endif
