/* A table by key with linear search: campaigns have few groups. */
#include "harness/triage/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

Groups groups_new(Arena *arena) { return (Groups){.group = arena_array(arena, Group, MAX_GROUPS)}; }

const char *group_key(const Finding *finding) {
    return finding->cause.group[0] ? finding->cause.group : finding->signature;
}

Group *group_find(const Groups *groups, const char *key) {
    for (int i = 0; i < groups->n; i++) {
        if (strcmp(groups->group[i].key, key) == 0) {
            return &groups->group[i];
        }
    }
    return NULL;
}

Group *group_add(Groups *groups, const char *key, FindingStatus status, const KnownIssue *issue,
                 int64_t first, bool new_signature) {
    Group *g = group_find(groups, key);
    if (!g && groups->n == MAX_GROUPS) {
        groups->unlisted++;
        return NULL;
    }
    if (!g) {
        g = &groups->group[groups->n++];
        *g = (Group){.first = first};
        snprintf(g->key, sizeof g->key, "%s", key);
    }
    g->count[status]++;
    g->signatures += new_signature;
    g->issue = g->issue ? g->issue : issue;
    return g;
}

FindingStatus group_status(const Group *group) {
    static const FindingStatus order[] = {STATUS_NEW, STATUS_FLAKY, STATUS_KNOWN, STATUS_ALLOWED,
                                          STATUS_UNREPRODUCED};
    for (int i = 0; i < COUNT_OF(order); i++) {
        if (group->count[order[i]] > 0) {
            return order[i];
        }
    }
    return STATUS_FIXED;
}

int64_t group_count(const Group *group) {
    int64_t n = 0;
    for (int i = 0; i < STATUS_COUNT; i++) {
        n += group->count[i];
    }
    return n;
}

void groups_text(const Groups *groups, Text *text) {
    if (groups->n > 0) {
        text_printf(text, "%d group%s:\n", groups->n, groups->n == 1 ? "" : "s");
    }
    for (int i = 0; i < groups->n; i++) {
        const Group *g = &groups->group[i];
        FindingStatus status = group_status(g);
        bool named = g->issue && status != STATUS_NEW &&
                     strncmp(g->issue->issue, g->key, sizeof g->key - 1) != 0;
        text_printf(text,
                    "  %-32s %s, %" PRId64 " finding%s, %d signature%s, first in program %" PRId64
                    "%s%s\n",
                    g->key, finding_status_name(status), group_count(g),
                    group_count(g) == 1 ? "" : "s", g->signatures, g->signatures == 1 ? "" : "s",
                    g->first, named ? ": " : "", named ? g->issue->issue : "");
    }
}

void groups_json(const Groups *groups, Text *text) {
    text_add(text, "[");
    for (int i = 0; i < groups->n; i++) {
        const Group *g = &groups->group[i];
        text_printf(text, "%s{\"group\":", i > 0 ? "," : "");
        text_json_string(text, g->key);
        text_printf(text,
                    ",\"standing\":\"%s\",\"findings\":%" PRId64
                    ",\"signatures\":%d,\"first\":%" PRId64,
                    finding_status_name(group_status(g)), group_count(g), g->signatures, g->first);
        if (g->issue) {
            text_add(text, ",\"issue\":");
            text_json_string(text, g->issue->issue);
        }
        text_add(text, "}");
    }
    text_add(text, "]");
}
