/* The kinds of the members of results. A file of results comes from elsewhere, and what reads it
 * (html.c, junit.c, merge.c, ...) relies on what is checked here. */
#include "harness/report/results.h"

#include <math.h>
#include <string.h>

typedef enum MemberForm {
    A_TEXT,
    A_COUNT,      /* a number of at most 2^53 in magnitude */
    SOME_COUNTS,  /* an object of such numbers */
    TABLE_COUNTS, /* an object of such objects */
    AN_OBJECT,
    SOME_OBJECTS /* an array of objects */
} MemberForm;

typedef struct ResultsMember {
    const char *key;
    MemberForm form;
} ResultsMember;

static const ResultsMember RUN[] = {
    {"type", A_TEXT},           {"schema_version", A_COUNT}, {"twingrad", A_TEXT},
    {"compiler", A_TEXT},       {"command", A_TEXT},         {"pair", A_TEXT},
    {"fault", A_TEXT},          {"shard", A_TEXT},           {"summary", AN_OBJECT},
    {"findings", SOME_OBJECTS}, {"cases", SOME_OBJECTS},     {NULL, A_TEXT}};
/* `features` is not here: a table of fuzz, and a number of a campaign. */
static const ResultsMember SUMMARY[] = {{"programs", A_COUNT},
                                        {"statements", A_COUNT},
                                        {"agree", A_COUNT},
                                        {"findings", A_COUNT},
                                        {"skipped", A_COUNT},
                                        {"unconfirmed", A_COUNT},
                                        {"seconds", A_COUNT},
                                        {"skips", SOME_COUNTS},
                                        {"errors", SOME_COUNTS},
                                        {"fired", SOME_COUNTS},
                                        {"ops", SOME_COUNTS},
                                        {"executed", SOME_COUNTS},
                                        {"dtypes", SOME_COUNTS},
                                        {"motifs", SOME_COUNTS},
                                        {"mistakes", SOME_COUNTS},
                                        {"sizes", SOME_COUNTS},
                                        {"rules", SOME_COUNTS},
                                        {"passes", SOME_COUNTS},
                                        {"op_dtypes", TABLE_COUNTS},
                                        {"groups", SOME_OBJECTS},
                                        {"signatures", SOME_OBJECTS},
                                        {"growth", SOME_OBJECTS},
                                        {"programs_per_second", A_COUNT},
                                        {NULL, A_TEXT}};
static const ResultsMember FINDING[] = {
    {"outcome", A_TEXT}, {"file", A_TEXT},  {"count", A_COUNT},      {"first", A_COUNT},
    {"op", A_TEXT},      {"group", A_TEXT}, {"signature", A_TEXT},   {"oracle", A_TEXT},
    {"kind", A_TEXT},    {"where", A_TEXT}, {"statement", A_TEXT},   {"cause", AN_OBJECT},
    {"a", A_TEXT},       {"b", A_TEXT},     {"statements", A_COUNT}, {NULL, A_TEXT}};
static const ResultsMember CAUSE[] = {
    {"text", A_TEXT}, {"stage", A_TEXT}, {"step", A_TEXT}, {NULL, A_TEXT}};
static const ResultsMember CASE[] = {
    {"file", A_TEXT}, {"name", A_TEXT}, {"outcome", A_TEXT}, {"why", A_TEXT}, {NULL, A_TEXT}};
static const ResultsMember GROUP[] = {
    {"group", A_TEXT},  {"standing", A_TEXT}, {"findings", A_COUNT}, {"signatures", A_COUNT},
    {"first", A_COUNT}, {"with", A_TEXT},     {"issue", A_TEXT},     {NULL, A_TEXT}};
static const ResultsMember SIGNATURE[] = {{"signature", A_TEXT},
                                          {"count", A_COUNT},
                                          {"first", A_COUNT},
                                          {"statements", A_COUNT},
                                          {NULL, A_TEXT}};

static bool a_count(Reader *r, const Json *j) {
    return json_want(r, j, JSON_NUMBER, "a number") &&
           (fabs(json_double(j)) <= 0x1p53 || json_bad(r, j, "the number is beyond 2^53"));
}

static bool some_counts(Reader *r, const Json *j) {
    bool ok = json_want(r, j, JSON_OBJECT, "an object");
    for (const Json *c = j->child; c && ok; c = c->next) {
        ok = a_count(r, c);
    }
    return ok;
}

static bool has_form(Reader *r, const Json *j, MemberForm form) {
    bool ok = true;
    switch (form) {
    case A_TEXT:
        return json_want(r, j, JSON_STRING, "a string");
    case A_COUNT:
        return a_count(r, j);
    case SOME_COUNTS:
        return some_counts(r, j);
    case TABLE_COUNTS:
        ok = json_want(r, j, JSON_OBJECT, "an object");
        for (const Json *c = j->child; c && ok; c = c->next) {
            ok = some_counts(r, c);
        }
        return ok;
    case AN_OBJECT:
        return json_want(r, j, JSON_OBJECT, "an object");
    case SOME_OBJECTS:
        ok = json_want(r, j, JSON_ARRAY, "an array of objects");
        for (const Json *c = j->child; c && ok; c = c->next) {
            ok = json_want(r, c, JSON_OBJECT, "an object");
        }
        return ok;
    }
    return false;
}

/* Members that the table does not name are not read, or only as what they are. */
static bool members_are(Reader *r, const Json *object, const ResultsMember *table) {
    for (const Json *j = object ? object->child : NULL; j; j = j->next) {
        const ResultsMember *m = table;
        while (m->key && strcmp(m->key, j->key) != 0) {
            m++;
        }
        if (m->key && !has_form(r, j, m->form)) {
            return false;
        }
    }
    return true;
}

static bool each_is(Reader *r, const Json *object, const char *key, const ResultsMember *table) {
    bool ok = true;
    for (const Json *j = results_list(object, key); j && ok; j = j->next) {
        ok = members_are(r, j, table);
    }
    return ok;
}

/* A sum or a JSON text holds no infinity. */
static bool numbers_are_finite(Reader *r, const Json *j) {
    bool ok = j->kind != JSON_NUMBER || isfinite(json_double(j)) ||
              json_bad(r, j, "the number is beyond float64");
    for (const Json *c = j->child; c && ok; c = c->next) {
        ok = numbers_are_finite(r, c);
    }
    return ok;
}

/* Of a growing run: all members of a sample are counts. */
static bool samples_are_counts(Reader *r, const Json *summary) {
    bool ok = true;
    for (const Json *j = results_list(summary, "growth"); j && ok; j = j->next) {
        ok = some_counts(r, j);
    }
    return ok;
}

bool results_check(Reader *r, const Json *root) {
    bool ok = members_are(r, root, RUN);
    const Json *summary = ok ? json_get(root, "summary") : NULL;
    ok = ok && members_are(r, summary, SUMMARY) && each_is(r, summary, "groups", GROUP) &&
         each_is(r, summary, "signatures", SIGNATURE) && samples_are_counts(r, summary) &&
         each_is(r, root, "findings", FINDING) && each_is(r, root, "cases", CASE);
    for (const Json *f = ok ? results_list(root, "findings") : NULL; f && ok; f = f->next) {
        ok = members_are(r, json_get(f, "cause"), CAUSE);
    }
    return ok && numbers_are_finite(r, root);
}
