/* Which runs belong together: their results can be joined, or compared. */
#include "harness/report/merge.h"

#include "harness/util/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The `n` characters of an executor, "torch:eager": those up to the mode; 0: it has none. */
static int length_of_target(const char *executor, int n) {
    const char *colon = memchr(executor, ':', (size_t)n);
    return colon ? (int)(colon + 1 - executor) : 0;
}

/* The pair of runs that differ at most in the mode of their second target, and in the device of the
 * first one's mode, eager, as "torch:eager,torch:*" or "torch:eager*,torch:*"; NULL if they differ
 * otherwise. */
static const char *joint_pair(Arena *arena, const char *a, const char *b) {
    if (strcmp(a, b) == 0) {
        return a;
    }
    int na = (int)strcspn(a, ","), nb = (int)strcspn(b, ",");
    int first = length_of_target(a, na);
    bool same = na == nb && strncmp(a, b, (size_t)na) == 0;
    bool eager = first > 0 && length_of_target(b, nb) == first &&
                 strncmp(a, b, (size_t)first) == 0 && strncmp(a + first, "eager", 5) == 0 &&
                 strncmp(b + first, "eager", 5) == 0;
    if (!a[na] || !b[nb] || !(same || eager)) {
        return NULL;
    }
    const char *x = a + na + 1, *y = b + nb + 1;
    int second = length_of_target(x, (int)strlen(x));
    return second > 0 && strncmp(x, y, (size_t)second) == 0 && !strpbrk(y + second, ":,")
               ? arena_printf(arena, "%.*s%s,%.*s*", same ? na : first, a, same ? "" : "eager*",
                              second, x)
               : NULL;
}

/* Programs of a stream: those whose numbers are first .. first + length - 1, and these plus
 * multiples of `period`. */
typedef struct Share {
    int64_t first, length, period;
} Share;

/* The share of a run: "2/4" is job 1 of 4 or, in a campaign of J jobs, jobs J .. 2J - 1 of 4J.
 * False if the results do not say it so. */
static bool share_of(const Json *root, Share *share) {
    enum { MOST = 1 << 20 }; /* of shards, and of jobs */
    const char *text = results_text(root, "shard", "1/1");
    char *end;
    int64_t k = strtoll(text, &end, 10), n = *end == '/' ? strtoll(end + 1, &end, 10) : 0;
    const double jobs = results_number(json_get(root, "summary"), "jobs");
    int64_t j = jobs >= 1 && jobs <= MOST ? (int64_t)jobs : 1;
    *share = (Share){(k - 1) * j, j, n * j};
    return *end == '\0' && k >= 1 && k <= n && n <= MOST;
}

/* Have two runs of one stream a program in common? */
static bool shares_overlap(const Json *a, const Json *b) {
    Share x, y;
    if (!share_of(a, &x) || !share_of(b, &y)) {
        return strcmp(results_text(a, "shard", "1/1"), results_text(b, "shard", "1/1")) == 0;
    }
    int64_t common = gcd_i64(x.period, y.period), ahead = (y.first - x.first) % common;
    ahead = ahead < 0 ? ahead + common : ahead;
    return ahead < x.length || common - ahead < y.length;
}

static bool same_seed(const Json *a, const Json *b) {
    const Json *x = json_get(a, "seed"), *y = json_get(b, "seed");
    return x && y && x->kind == JSON_NUMBER && y->kind == JSON_NUMBER && x->length == y->length &&
           memcmp(x->text, y->text, (size_t)x->length) == 0;
}

int runs_of_one_kind(const Json *const *root, char *const *name, int n, Arena *arena,
                     const char **pair, char *message, size_t message_size) {
    static const char *const head[] = {"command", "pair", "fault"};
    *pair = results_text(root[0], "pair", "none");
    for (int i = 0; i < n; i++) {
        const char *joint = joint_pair(arena, *pair, results_text(root[i], "pair", "none"));
        *pair = joint ? joint : *pair;
        for (int k = 0; k < COUNT_OF(head); k++) {
            const char *a = results_text(root[0], head[k], "none"),
                       *b = results_text(root[i], head[k], "none");
            if (strcmp(a, b) != 0 && !(strcmp(head[k], "pair") == 0 && joint)) {
                snprintf(message, message_size,
                         "%s: a run with another %s than that of %s ('%.60s', not '%.60s')",
                         name[i], head[k], name[0], b, a);
                return EXIT_BAD_INPUT;
            }
        }
        for (int k = 0; k < i; k++) {
            const char *shard = results_text(root[i], "shard", "1/1"),
                       *other = results_text(root[k], "shard", "1/1");
            if (strcmp(results_text(root[i], "command", ""), "fuzz") == 0 &&
                strcmp(results_text(root[i], "pair", ""), results_text(root[k], "pair", "")) == 0 &&
                same_seed(root[i], root[k]) && shares_overlap(root[i], root[k])) {
                snprintf(message, message_size,
                         strcmp(shard, other) == 0
                             ? "%s: the same share of the same stream as in %s (shard %.40s)"
                             : "%s: programs of the same stream that are in %s, too (shards %.40s "
                               "and %.40s)",
                         name[i], name[k], shard, other);
                return EXIT_BAD_INPUT;
            }
        }
    }
    return EXIT_AGREE;
}

/* Without the release of a target: "torch2.8:eager" is "torch:eager". */
static const char *pair_without_releases(Arena *arena, const char *pair) {
    char *out = arena_strdup(arena, pair), *to = out;
    for (const char *at = pair; *at;) {
        size_t name = strcspn(at, ":,"), rest = strcspn(at, ",");
        size_t kept = at[name] == ':' ? strcspn(at, "0123456789:") : rest;
        memmove(to, at, kept);
        to += kept;
        if (kept < rest) {
            memmove(to, at + name, rest - name);
            to += rest - name;
        }
        at += rest;
        if (*at == ',') {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return out;
}

bool results_comparable(const Json *before, const Json *after, char *const *name, Arena *arena,
                        char *message, size_t message_size) {
    const char *a = results_text(before, "pair", "none"), *b = results_text(after, "pair", "none");
    if (joint_pair(arena, pair_without_releases(arena, a), pair_without_releases(arena, b))) {
        return true;
    }
    snprintf(message, message_size,
             "%s: a run with another pair than that of %s ('%.60s', not '%.60s')", name[1], name[0],
             b, a);
    return false;
}
