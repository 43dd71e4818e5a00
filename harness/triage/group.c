/* A table by key with linear search: campaigns have few groups. */
#include "harness/triage/group.h"

#include "harness/triage/locate.h"

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

/* ---- what groups share ---- */

/* What a signature names: its op, without the underscore of an in-place op; as
 * `mechanism`, "out" for any call with out=, "_foreach" for any such op. False if it names none: a
 * return, the setup. The gradient functions and the functions of the program count. */
static bool group_op(const char *signature, bool mechanism, char *op, size_t size) {
    int n;
    const char *name = signature_op(signature, &n);
    snprintf(op, size, "%.*s", n, name);
    char *dot = strstr(op, ".out");
    bool foreach = strncmp(op, "_foreach_", 9) == 0;
    if (mechanism) {
        snprintf(op, size, "%s", dot ? "out" : "_foreach");
        return dot || foreach;
    }
    if (dot) {
        *dot = '\0';
    }
    const OpInfo *first;
    bool named =
        op_overloads(op, &first) > 0 || strcmp(op, "grad") == 0 || strcmp(op, "apply") == 0;
    size_t length = strlen(op);
    if (length > 1 && op[length - 1] == '_') {
        op[length - 1] = '\0';
    }
    return named;
}

static int64_t group_count_of_op(const Group *g, const char *op) {
    for (int i = 0; i < g->nop; i++) {
        if (strcmp(g->op[i].name, op) == 0) {
            return g->op[i].count;
        }
    }
    return 0;
}

static void group_note_op(Groups *groups, Group *g, const char *op, int64_t count) {
    for (int i = 0; i < g->nop; i++) {
        if (strcmp(g->op[i].name, op) == 0) {
            g->op[i].count += count;
            return;
        }
    }
    GroupOp *more = arena_array(groups->arena, GroupOp, g->nop + 1);
    if (g->nop > 0) {
        memcpy(more, g->op, sizeof *more * (size_t)g->nop);
    }
    more[g->nop++] = (GroupOp){arena_strdup(groups->arena, op), count};
    g->op = more;
}

/* Is the stage one to which findings are attributed by what differs? */
static bool is_attributed(const char *key) {
    static const char *const stages[] = {"capture", "joint", "epilogue"};
    for (int i = 0; i < COUNT_OF(stages); i++) {
        size_t length = strlen(stages[i]);
        if (strncmp(key, stages[i], length) == 0 && (key[length] == '\0' || key[length] == '/')) {
            return true;
        }
    }
    return false;
}

/* Do most findings of both begin at one op, or do they share one where they begin at few? */
static bool begin_at_one_op(const Group *a, const Group *b) {
    enum { FEW = 4 };
    int shared = 0;
    for (int i = 0; i < a->nop; i++) {
        int64_t there = group_count_of_op(b, a->op[i].name);
        if (2 * a->op[i].count > group_count(a) && 2 * there > group_count(b)) {
            return true;
        }
        shared += there > 0;
    }
    return shared > 0 && a->nop + b->nop - shared <= FEW;
}

static bool are_of_one_bug(const Group *a, const Group *b) {
    return is_attributed(a->key) && is_attributed(b->key) && !a->issue && !b->issue &&
           begin_at_one_op(a, b);
}

static int group_leader(const Groups *groups, int i) {
    while (groups->group[i].with >= 0) {
        i = groups->group[i].with;
    }
    return i;
}

void groups_join(Groups *groups) {
    for (int i = 0; i < groups->n; i++) {
        groups->group[i].with = -1;
    }
    for (int i = 0; i < groups->n; i++) {
        for (int k = 0; k < i; k++) {
            int a = group_leader(groups, k), b = group_leader(groups, i);
            if (a != b && are_of_one_bug(&groups->group[k], &groups->group[i])) {
                groups->group[a > b ? a : b].with = a > b ? b : a;
            }
        }
    }
    for (int i = 0; i < groups->n; i++) {
        int leader = group_leader(groups, i);
        groups->group[i].with = leader == i ? -1 : leader;
    }
}

/* ---- the table ---- */

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
    g->count[finding->status] += finding->count;
    g->signatures += finding->is_new;
    g->issue = g->issue ? g->issue : finding->issue;
    char op[sizeof g->key];
    for (int mechanism = 0; mechanism < 2; mechanism++) {
        if (group_op(finding->signature, mechanism, op, sizeof op)) {
            group_note_op(groups, g, op, finding->count);
        }
    }
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
