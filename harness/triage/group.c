/* A table by key with linear search: campaigns have few groups. */
#include "harness/triage/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

Groups groups_new(Arena *arena) {
    return (Groups){.group = arena_array(arena, Group, MAX_GROUPS), .arena = arena};
}

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

Group *group_add(Groups *groups, const GroupFinding *finding) {
    Group *g = group_find(groups, finding->key);
    if (!g && groups->n == MAX_GROUPS) {
        groups->unlisted += finding->count;
        return NULL;
    }
    if (!g) {
        g = &groups->group[groups->n++];
        *g = (Group){.first = finding->first, .with = -1};
        snprintf(g->key, sizeof g->key, "%s", finding->key);
    }
    g->first = min_i64(g->first, finding->first);
    g->count[finding->status] += finding->count;
    g->signatures += finding->is_new;
    g->issue = g->issue ? g->issue : finding->issue;
    group_note_ops(groups, g, finding);
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

static void group_line(const Group *g, const char *before, Text *text) {
    FindingStatus status = group_status(g);
    bool named = g->issue && status != STATUS_NEW &&
                 strncmp(g->issue->issue, g->key, sizeof g->key - 1) != 0;
    text_printf(
        text,
        "  %s%-*s %s, %" PRId64 " finding%s, %d signature%s, first in program %" PRId64 "%s%s\n",
        before, 32 - (int)strlen(before), g->key, finding_status_name(status), group_count(g),
        group_count(g) == 1 ? "" : "s", g->signatures, g->signatures == 1 ? "" : "s", g->first,
        named ? ": " : "", named ? g->issue->issue : "");
}

void groups_text(const Groups *groups, Text *text) {
    int n = 0;
    for (int i = 0; i < groups->n; i++) {
        n += groups->group[i].with < 0;
    }
    if (n > 0) {
        text_printf(text, "%d group%s:\n", n, n == 1 ? "" : "s");
    }
    for (int i = 0; i < groups->n; i++) {
        if (groups->group[i].with >= 0) {
            continue;
        }
        group_line(&groups->group[i], "", text);
        for (int k = i + 1; k < groups->n; k++) {
            if (groups->group[k].with == i) {
                group_line(&groups->group[k], "+ ", text);
            }
        }
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
        if (g->with >= 0) {
            text_add(text, ",\"with\":");
            text_json_string(text, groups->group[g->with].key);
        }
        if (g->issue) {
            text_add(text, ",\"issue\":");
            text_json_string(text, g->issue->issue);
        }
        text_add(text, "}");
    }
    text_add(text, "]");
}
