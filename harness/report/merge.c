/* Joining and comparing results. Members that are numbers add up, objects are joined key by key,
 * and the lists of findings, signatures, groups and stored programs are joined by what names an
 * entry. */
#include "harness/report/merge.h"

#include "harness/util/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Merge {
    Arena *arena;
    Text *out;
    const Json *const *root;
    int n;
    const char *pair; /* of all runs together */
} Merge;

/* A list whose entries are joined: those with the same `name` (and cause) are one. */
typedef struct MergeList {
    const char *key, *name;
    const char *const *sums; /* the members that add up, NULL-terminated */
} MergeList;

static const MergeList LISTS[] = {
    {"findings", "signature", (const char *const[]){"count", NULL}},
    {"signatures", "signature", (const char *const[]){"count", NULL}},
    {"groups", "group", (const char *const[]){"findings", NULL}},
    {"cases", "file", (const char *const[]){NULL}},
};

typedef struct MergeEntry {
    const char *name, *cause;
    const Json *first, **every; /* the entry whose program comes first, and all of them */
    double at;                  /* number of that program; after all others if there is none */
    int n, room;
} MergeEntry;

static void merge_members(Merge *m, const Json *const *objects, int n);

/* ---- numbers ---- */

static void print_number(Text *out, double value) {
    if (value == floor(value) && fabs(value) < 0x1p53) {
        text_printf(out, "%" PRId64, (int64_t)value);
    } else {
        text_printf(out, "%.6f", value);
    }
}

static double sum_of(const Json *const *objects, int n, const char *key) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += results_number(objects[i], key);
    }
    return sum;
}

/* ---- lists ---- */

static double first_program(const Json *entry) {
    const Json *first = json_get(entry, "first");
    return first && first->kind == JSON_NUMBER ? json_double(first) : INFINITY;
}

static int by_first_program(const void *a, const void *b) {
    const MergeEntry *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : strcmp(x->name, y->name);
}

/* Adds the entry to those of the same name and cause. */
static void take_entry(Merge *m, MergeEntry *entry, int *n, const MergeList *list,
                       const Json *json) {
    const char *name = results_text(json, list->name, ""),
               *cause = results_text(json_get(json, "cause"), "text", "");
    int k = 0;
    while (k < *n && (strcmp(entry[k].name, name) != 0 || strcmp(entry[k].cause, cause) != 0)) {
        k++;
    }
    if (k == *n) {
        entry[(*n)++] =
            (MergeEntry){.name = name, .cause = cause, .first = json, .at = first_program(json)};
    }
    MergeEntry *e = &entry[k];
    if (e->n == e->room) { /* a run lists a signature once for each of its causes */
        const Json **more = arena_array(m->arena, const Json *, 2 * e->room + 1);
        for (int i = 0; i < e->n; i++) {
            more[i] = e->every[i];
        }
        e->every = more;
        e->room = 2 * e->room + 1;
    }
    e->every[e->n++] = json;
    if (first_program(json) < e->at) {
        e->first = json;
        e->at = first_program(json);
    }
}

/* new, else flaky, else what the entry that comes first says. */
static const char *worst_outcome(const MergeEntry *e, const char *key, const char *otherwise) {
    static const char *const worse[] = {"new", "flaky", "unconfirmed"};
    for (int w = 0; w < COUNT_OF(worse); w++) {
        for (int i = 0; i < e->n; i++) {
            if (strcmp(results_text(e->every[i], key, ""), worse[w]) == 0) {
                return worse[w];
            }
        }
    }
    return otherwise;
}

/* Findings of the merged list that the group holds: its number of signatures. */
static int signatures_in(const Merge *m, const char *group) {
    const char **seen = arena_array(m->arena, const char *, 1), *text;
    int n = 0, room = 1;
    for (int i = 0; i < m->n; i++) {
        for (const Json *f = results_list(m->root[i], "findings"); f; f = f->next) {
            text = arena_printf(m->arena, "%s %s", results_text(f, "signature", ""),
                                results_text(json_get(f, "cause"), "text", ""));
            bool known = strcmp(results_group_of(m->root[i], f), group) != 0;
            for (int k = 0; k < n && !known; k++) {
                known = strcmp(seen[k], text) == 0;
            }
            if (!known && n == room) {
                const char **more = arena_array(m->arena, const char *, 2 * room);
                memcpy(more, seen, (size_t)n * sizeof *seen);
                seen = more;
                room *= 2;
            }
            if (!known) {
                seen[n++] = text;
            }
        }
    }
    return n;
}

static bool is_listed(const char *const *list, const char *key) {
    while (*list && strcmp(*list, key) != 0) {
        list++;
    }
    return *list != NULL;
}

static void print_entry(Merge *m, const MergeList *list, const MergeEntry *e) {
    Text *out = m->out;
    text_add(out, "{");
    for (const Json *j = e->first->child; j; j = j->next) {
        text_add(out, j == e->first->child ? "" : ",");
        text_json_string(out, j->key);
        text_add(out, ":");
        if (is_listed(list->sums, j->key)) {
            print_number(out, sum_of(e->every, e->n, j->key));
        } else if (strcmp(j->key, "outcome") == 0 || strcmp(j->key, "standing") == 0) {
            text_json_string(
                out, worst_outcome(e, j->key, j->kind == JSON_STRING ? j->text : "unknown"));
        } else if (strcmp(list->key, "groups") == 0 && strcmp(j->key, "signatures") == 0) {
            text_int(out, signatures_in(m, e->name));
        } else {
            text_json(out, j);
        }
    }
    text_add(out, "}");
}

static void merge_list(Merge *m, const MergeList *list, const Json *const *arrays, int n) {
    int room = 1, count = 0;
    for (int i = 0; i < n; i++) {
        room += arrays[i]->count;
    }
    MergeEntry *entry = arena_array(m->arena, MergeEntry, room);
    for (int i = 0; i < n; i++) {
        for (const Json *j = arrays[i]->child; j; j = j->next) {
            if (j->kind == JSON_OBJECT) {
                take_entry(m, entry, &count, list, j);
            }
        }
    }
    qsort(entry, (size_t)count, sizeof *entry, by_first_program);
    text_add(m->out, "[");
    for (int k = 0; k < count; k++) {
        text_add(m->out, k ? "," : "");
        print_entry(m, list, &entry[k]);
    }
    text_add(m->out, "]");
}

/* ---- objects ---- */

/* The values of one key in several runs, of the first one's kind. */
static void merge_value(Merge *m, const char *key, const Json *const *value, int n) {
    const MergeList *list = NULL;
    for (int i = 0; i < COUNT_OF(LISTS); i++) {
        list = strcmp(LISTS[i].key, key) == 0 ? &LISTS[i] : list;
    }
    bool any = false;
    double sum = 0;
    switch (value[0]->kind) {
    case JSON_NUMBER:
        for (int i = 0; i < n; i++) {
            sum += json_double(value[i]);
        }
        print_number(m->out, sum);
        return;
    case JSON_BOOL:
        for (int i = 0; i < n; i++) {
            any |= value[i]->boolean;
        }
        text_add(m->out, any ? "true" : "false");
        return;
    case JSON_OBJECT:
        merge_members(m, value, n);
        return;
    case JSON_ARRAY:
        if (list) {
            merge_list(m, list, value, n);
        } else {
            text_add(m->out, "[]");
        }
        return;
    case JSON_NULL:
    case JSON_STRING:
        text_json(m->out, value[0]);
        return;
    }
}

/* Do all runs have the same value at `key`? */
static bool same_everywhere(const Json *const *objects, int n, const char *key, Arena *arena) {
    Text first = {.arena = arena};
    text_json(&first, json_get(objects[0], key));
    for (int i = 1; i < n; i++) {
        Text other = {.arena = arena};
        const Json *j = json_get(objects[i], key);
        if (j) {
            text_json(&other, j);
        }
        if (!j || strcmp(first.v, other.v) != 0) {
            return false;
        }
    }
    return true;
}

/* What is no sum: the head, and rates of one run. A seed is kept where all runs have the same. */
static bool kept_as_it_is(const char *key) {
    static const char *const keys[] = {"schema_version", "seed", NULL};
    return is_listed(keys, key);
}
static bool dropped(const char *key) {
    static const char *const keys[] = {"shard", "programs_per_second", NULL};
    return is_listed(keys, key);
}

/* What the runs have at `key`, each text once: "0.6.0, 0.7.0". */
static const char *all_texts(const Merge *m, const char *key) {
    Text t = {.arena = m->arena};
    for (int i = 0; i < m->n; i++) {
        const char *text = results_text(m->root[i], key, NULL);
        bool before = !text;
        for (int k = 0; k < i && !before; k++) {
            before = strcmp(results_text(m->root[k], key, ""), text) == 0;
        }
        if (!before) {
            text_printf(&t, t.n ? ", %s" : "%s", text);
        }
    }
    return t.n ? t.v : "";
}

/* What may differ from run to run, and is then named for all of them. */
static bool named_for_all(const char *key) {
    static const char *const keys[] = {"twingrad", "compiler", NULL};
    return is_listed(keys, key);
}

/* The members of the first object, then those that only later ones have. */
static void merge_members(Merge *m, const Json *const *objects, int n) {
    const Json **value = arena_array(m->arena, const Json *, n);
    bool any = false;
    text_add(m->out, "{");
    for (int i = 0; i < n; i++) {
        for (const Json *j = objects[i]->child; j; j = j->next) {
            bool before = dropped(j->key) || (strcmp(j->key, "seed") == 0 &&
                                              !same_everywhere(objects, n, j->key, m->arena));
            for (int k = 0; k < i; k++) {
                before |= json_get(objects[k], j->key) != NULL;
            }
            if (before) {
                continue;
            }
            int count = 0;
            for (int k = i; k < n; k++) {
                const Json *other = json_get(objects[k], j->key);
                if (other && other->kind == j->kind) {
                    value[count++] = other;
                }
            }
            text_add(m->out, any ? "," : "");
            any = true;
            text_json_string(m->out, j->key);
            text_add(m->out, ":");
            if (objects == m->root && strcmp(j->key, "pair") == 0) {
                text_json_string(m->out, m->pair);
            } else if (objects == m->root && named_for_all(j->key)) {
                text_json_string(m->out, all_texts(m, j->key));
            } else if (kept_as_it_is(j->key)) {
                text_json(m->out, j);
            } else {
                merge_value(m, j->key, value, count);
            }
        }
    }
    text_add(m->out, "}");
}

/* ---- whole results ---- */

int results_merge(const Json *const *root, char *const *name, int n, Arena *arena, Text *out,
                  char *message, size_t message_size) {
    Merge m = {.arena = arena, .out = out, .root = root, .n = n};
    int code = runs_of_one_kind(root, name, n, arena, &m.pair, message, message_size);
    if (code == EXIT_AGREE) {
        merge_members(&m, root, n);
        text_add(out, "\n");
    }
    return code;
}

/* ---- comparing ---- */

/* The groups of a run; of one without groups, its findings. */
static const Json *first_group(const Json *root, const char **name, const char **count) {
    const Json *summary = json_get(root, "summary"), *groups = results_list(summary, "groups");
    bool grouped = groups || (summary && json_get(summary, "groups"));
    *name = grouped ? "group" : "signature";
    *count = grouped ? "findings" : "count";
    return grouped ? groups : results_list(root, "findings");
}

/* What a group is said to be; findings of a run without groups have an outcome. */
static const char *group_status_of(const Json *g) {
    return results_text(g, "standing", results_text(g, "outcome", "new"));
}

static double group_findings(const Json *root, const char *group) {
    const char *name, *count;
    double findings = 0;
    for (const Json *g = first_group(root, &name, &count); g; g = g->next) {
        findings += strcmp(results_text(g, name, ""), group) == 0 ? results_number(g, count) : 0;
    }
    return findings;
}

/* Appends the groups of `of` whose findings in `other` are none (or some). */
static int append_groups(ResultsDifference *d, int n, const Json *of, const Json *other,
                         bool shared, bool of_is_after, const char *change) {
    const char *name, *count;
    for (const Json *g = first_group(of, &name, &count); g; g = g->next) {
        const char *group = results_text(g, name, "");
        int k = 0;
        while (k < n && strcmp(d[k].group, group) != 0) {
            k++;
        }
        double there = group_findings(other, group);
        if (k == n && (there > 0) == shared) {
            int64_t own = (int64_t)group_findings(of, group);
            d[n++] = (ResultsDifference){group, change, group_status_of(g),
                                         of_is_after ? (int64_t)there : own,
                                         of_is_after ? own : (int64_t)there};
        }
    }
    return n;
}

ResultsDifference *results_compare(const Json *before, const Json *after, Arena *arena, int *n) {
    const char *name, *count;
    int room = 1;
    for (int side = 0; side < 2; side++) {
        for (const Json *g = first_group(side ? after : before, &name, &count); g; g = g->next) {
            room++;
        }
    }
    ResultsDifference *d = arena_array(arena, ResultsDifference, room);
    *n = append_groups(d, 0, after, before, false, true, "new");
    *n = append_groups(d, *n, before, after, false, false, "gone");
    *n = append_groups(d, *n, after, before, true, true, "persistent");
    return d;
}
