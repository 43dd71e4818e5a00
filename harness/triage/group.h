/* Groups: findings by what they come from. A signature says what is seen, and one bug shows in many
 * ways; a group is one cause (cause.h), or, where none is found, one signature. */
#ifndef HARNESS_GROUP_H
#define HARNESS_GROUP_H

#include "harness/triage/known.h"
#include "harness/triage/locate.h"
#include "program/json/json.h"

enum { MAX_GROUPS = 1024 };

typedef struct Group {
    char key[sizeof((Finding *)0)->signature];
    int64_t count[STATUS_COUNT]; /* findings, by standing */
    int64_t first;               /* the program that showed it first, as the caller numbers them */
    int signatures;              /* different ones; see group_add */
    const KnownIssue *issue;     /* of a known one, or NULL */
} Group;

typedef struct Groups {
    Group *group; /* in the order in which they were met; MAX_GROUPS places */
    int n;
    int64_t unlisted; /* findings beyond MAX_GROUPS */
} Groups;

Groups groups_new(Arena *arena);
/* The group of a located finding's cause, or its signature. */
const char *group_key(const Finding *finding);
Group *group_find(const Groups *groups, const char *key);
/* Counts a finding; `new_signature`: the caller has not seen this one before. NULL if there are too
 * many groups. */
Group *group_add(Groups *groups, const char *key, FindingStatus status, const KnownIssue *issue,
                 int64_t first, bool new_signature);
/* What the whole group is: known if nothing in it is new, .. */
FindingStatus group_status(const Group *group);
int64_t group_count(const Group *group);

/* One line a group, and the JSON array of them. */
void groups_text(const Groups *groups, Text *text);
void groups_json(const Groups *groups, Text *text);

#endif
