/* Groups: findings by their origin. A signature names what is seen, and one bug shows in many ways;
 * a group is all findings of one cause (cause.h) or, where none is found, of one signature. */
#ifndef HARNESS_GROUP_H
#define HARNESS_GROUP_H

#include "harness/triage/known.h"
#include "harness/triage/locate.h"
#include "program/json/json.h"

enum { MAX_GROUPS = 1024 };

typedef struct Group {
    char key[sizeof((Finding *)0)->signature];
    int64_t count[STATUS_COUNT]; /* findings, by status */
    int64_t first;               /* the first program that shows it, by the number of the caller */
    int signatures;              /* number of distinct signatures; see group_add */
    const KnownIssue *issue;     /* the known issue, or NULL */
} Group;

typedef struct Groups {
    Group *group; /* in the order of their first finding; room for MAX_GROUPS */
    int n;
    int64_t unlisted; /* findings beyond MAX_GROUPS */
} Groups;

Groups groups_new(Arena *arena);
/* The key of the group of a located finding: its cause's group, or its signature. */
const char *group_key(const Finding *finding);
Group *group_find(const Groups *groups, const char *key);
/* Counts a finding; `new_signature`: the caller has not seen this one before. NULL if there are too
 * many groups. */
Group *group_add(Groups *groups, const char *key, FindingStatus status, const KnownIssue *issue,
                 int64_t first, bool new_signature);
/* The worst status in the group: new, then flaky, then known. */
FindingStatus group_status(const Group *group);
int64_t group_count(const Group *group);

/* One line per group; the JSON array of all groups. */
void groups_text(const Groups *groups, Text *text);
void groups_json(const Groups *groups, Text *text);

#endif
