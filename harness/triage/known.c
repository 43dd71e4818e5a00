/* The file of known issues is read once, strictly; matching is fnmatch over its entries in
 * order. */
#include "harness/triage/known.h"

#include "harness/targets/declare.h"
#include "harness/triage/dead.h"
#include "harness/triage/needs.h"
#include "harness/util/json_file.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *finding_status_name(FindingStatus status) {
    static const char *const names[STATUS_COUNT] = {"new",   "known",   "fixed",
                                                    "flaky", "allowed", "unreproduced"};
    CHECK((unsigned)status < STATUS_COUNT);
    return names[status];
}

/* A member that is a string; `absent` if it is missing, which is an error if `absent` is NULL. */
static const char *known_read_text(Reader *r, const Json *entry, const char *key,
                                   const char *absent) {
    const Json *j = absent ? json_get(entry, key) : json_need(r, entry, key);
    if (!j) {
        return absent;
    }
    if (!json_want(r, j, JSON_STRING, "a string")) {
        return NULL;
    }
    return j->text[0] != '\0' || json_bad(r, j, "must not be empty") ? j->text : NULL;
}

/* YYYY-MM-DD */
static bool is_date(const char *text) {
    for (int i = 0; i < 10; i++) {
        bool dash = i == 4 || i == 7;
        if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return text[10] == '\0';
}

/* "2.8", "2.8-2.13", "2.13-", "-2.8" */
static bool read_version_range(Reader *r, const Json *j, KnownIssue *out) {
    out->until = INT64_MAX;
    if (!j) {
        return true;
    }
    if (!json_want(r, j, JSON_STRING, "a version or a range of versions")) {
        return false;
    }
    const char *dash = strchr(j->text, '-');
    const char *last = dash ? dash + 1 : j->text;
    out->since = dash == j->text ? 0 : version_number(j->text);
    out->until = *last == '\0' ? INT64_MAX : version_number(last);
    return (out->since >= 0 && out->until >= 0) ||
           json_bad(r, j, "expected a version or a range, such as 2.8, 2.8-2.13 or 2.13-");
}

static bool read_known_kind(Reader *r, const Json *j, KnownIssue *out) {
    const char *kind = j && j->kind == JSON_STRING ? j->text : "bug";
    out->allowed = strcmp(kind, "allowed") == 0;
    return out->allowed || strcmp(kind, "bug") == 0 ||
           json_bad(r, j, "expected \"bug\" or \"allowed\"");
}

typedef enum ConditionValue { FLAG, CONTEXT, FEATURE, PATTERN } ConditionValue;

/* The context of a block by name; "grad_mode" is that of no_grad and enable_grad. */
static bool block_context(const char *name, BlockContext *context) {
    *context = CONTEXT_grad_mode;
    return strcmp(name, context_name(CONTEXT_grad_mode)) == 0 || context_parse(name, context);
}

/* The value of a condition that is there; NULL if it is false, or wrong. */
static const char *read_condition(Reader *r, const Json *j, ConditionValue value) {
    bool flag;
    BlockContext context;
    if (value == FLAG) {
        return json_read_bool(r, j, &flag) && flag ? "true" : NULL;
    }
    if (!json_want(r, j, JSON_STRING, value == CONTEXT ? "the name of a context" : "a string") ||
        (j->text[0] == '\0' && !json_bad(r, j, "must not be empty"))) {
        return NULL;
    }
    if (value == FEATURE && !is_function_feature(j->text)) {
        json_bad(r, j, "functions have no '%.40s'", j->text);
        return NULL;
    }
    bool known = value != CONTEXT || block_context(j->text, &context);
    return known || json_bad(r, j, "there is no context '%.40s'", j->text) ? j->text : NULL;
}

static bool read_conditions(Reader *r, const Json *entry, KnownIssue *out) {
    const Json *j;
#define CONDITION(key, value, minimized, holds)                                                    \
    j = json_get(entry, #key);                                                                     \
    out->asked[CONDITION_##key] = j ? read_condition(r, j, value) : NULL;
#include "harness/triage/conditions.def"
#undef CONDITION
    const char *block = out->asked[CONDITION_block];
    if (!r->failed && out->asked[CONDITION_reentrant] &&
        (!block || strcmp(block, "checkpoint") != 0)) {
        return json_bad(r, json_get(entry, "reentrant"),
                        "goes with \"block\": \"checkpoint\" only");
    }
    return !r->failed;
}

static bool read_answers(Reader *r, const Json *answers, KnownIssue *out) {
    out->answers[0] = out->answers[1] = "*";
    if (!answers) {
        return true;
    }
    const Json *first = answers->kind == JSON_ARRAY && answers->count == 2 ? answers->child : NULL;
    if (!first || first->kind != JSON_STRING || first->next->kind != JSON_STRING) {
        return json_bad(r, answers, "expected two patterns, one for each answer");
    }
    out->answers[0] = first->text;
    out->answers[1] = first->next->text;
    return true;
}

static bool read_issue(Reader *r, const Json *entry, const char *path, KnownIssue *out) {
    static const char *const keys[] = {"kind",   "signature", "pair",  "versions",
                                       "answer", "answers",   "cause", "issue",
                                       "source", "date",      "note",  "program",
#define CONDITION(key, value, minimized, holds) #key,
#include "harness/triage/conditions.def"
#undef CONDITION
                                       NULL};
    if (!json_want(r, entry, JSON_OBJECT, "an object") || !json_keys(r, entry, keys, NULL)) {
        return false;
    }
    *out = (KnownIssue){.signature = known_read_text(r, entry, "signature", NULL)};
    const char *source = known_read_text(r, entry, "source", "-");
    bool has_source = source && strcmp(source, "-") != 0;
    out->issue = known_read_text(r, entry, "issue", has_source ? source : NULL);
    out->date = known_read_text(r, entry, "date", NULL);
    out->note = known_read_text(r, entry, "note", NULL);
    out->pair = known_read_text(r, entry, "pair", "*");
    out->cause = known_read_text(r, entry, "cause", "*");
    const Json *answer = json_get(entry, "answer");
    out->answer = answer ? known_read_text(r, entry, "answer", NULL) : "";
    if (!read_conditions(r, entry, out) || !read_answers(r, json_get(entry, "answers"), out)) {
        return false;
    }
    const char *program = known_read_text(r, entry, "program", "-");
    if (!r->failed && !is_date(out->date)) {
        return json_bad(r, json_get(entry, "date"), "expected YYYY-MM-DD");
    }
    if (!r->failed && strcmp(program, "-") != 0) {
        const char *slash = strrchr(path, '/');
        bool beside = slash && program[0] != '/';
        out->program = beside
                           ? arena_printf(r->arena, "%.*s/%s", (int)(slash - path), path, program)
                           : program;
    }
    return !r->failed && read_known_kind(r, json_get(entry, "kind"), out) &&
           read_version_range(r, json_get(entry, "versions"), out);
}

typedef struct KnownFile {
    const char *path;
    Known *out;
} KnownFile;

static bool read_known(void *user, Reader *r, const Json *root) {
    static const char *const keys[] = {"known", NULL};
    const KnownFile *file = user;
    Known *out = file->out;
    const Json *list = json_keys(r, root, keys, NULL) ? json_need(r, root, "known") : NULL;
    if (!list || !json_want(r, list, JSON_ARRAY, "an array")) {
        return false;
    }
    out->issue = arena_array(r->arena, KnownIssue, list->count + 1);
    for (const Json *e = list->child; e; e = e->next) {
        if (!read_issue(r, e, file->path, &out->issue[out->n])) {
            return false;
        }
        out->n++;
    }
    return true;
}

int known_open(Arena *arena, const char *path, Known *out, char *message, size_t message_size) {
    *out = (Known){0};
    KnownFile file = {path, out};
    return path ? json_file_read(arena, path, read_known, &file, message, message_size) : 0;
}

/* Appends the list that comes with a target: beside its file of targets, in ../corpus/known. */
static int add_list_of_target(Arena *arena, const char *target, const char *file, Known *out,
                              char *message, size_t message_size) {
    const char *path = target_known_file(arena, file, target);
    Known own;
    int code = path ? known_open(arena, path, &own, message, message_size) : 0;
    if (!path || code != 0) {
        return code;
    }
    KnownIssue *all = arena_array(arena, KnownIssue, out->n + own.n + 1);
    memcpy(all, out->issue, sizeof *all * (size_t)out->n);
    memcpy(all + out->n, own.issue, sizeof *all * (size_t)own.n);
    *out = (Known){all, out->n + own.n};
    return 0;
}

int known_open_for(Arena *arena, const char *path, const Checker *c, Known *out, char *message,
                   size_t message_size) {
    *out = (Known){.issue = arena_array(arena, KnownIssue, 1)};
    if (path) {
        return strcmp(path, "none") == 0 ? 0 : known_open(arena, path, out, message, message_size);
    }
    const Target *both[2] = {c->a.target, c->b.target};
    const char *first = both[0] ? target_known_name(arena, target_name(both[0])) : "";
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++) {
        const char *name = both[i] ? target_known_name(arena, target_name(both[i])) : "";
        if (both[i] && (i == 0 || strcmp(name, first) != 0)) {
            code =
                add_list_of_target(arena, name, target_file(both[i]), out, message, message_size);
        }
    }
    return code;
}

KnownPair known_pair(const Checker *c) {
    return (KnownPair){c->pair,
                       {c->a.target ? target_version(c->a.target) : NULL,
                        c->b.target ? target_version(c->b.target) : NULL}};
}

static bool in_version_range(const KnownIssue *issue, const char *version) {
    const char *digit = version ? strpbrk(version, "0123456789") : NULL;
    int64_t number = digit ? version_number(digit) : -1;
    return number >= issue->since && number <= issue->until;
}

bool known_applies(const KnownIssue *issue, const KnownPair *pair) {
    bool any = issue->since == 0 && issue->until == INT64_MAX;
    return fnmatch(issue->pair, pair->name, 0) == 0 &&
           (any || in_version_range(issue, pair->versions[0]) ||
            in_version_range(issue, pair->versions[1]));
}

/* Does the pattern match the finding's signature, or what the program itself shows? A prefix, which
 * names the signature, returns what the program does not need. */
static bool signature_matches(const KnownIssue *k, const Program *p, const Finding *f) {
    char shown[sizeof f->signature];
    const Stmt *s = p && f->sid >= 0 && f->sid < p->nstmts ? program_stmt(p, f->sid) : NULL;
    snprintf(shown, sizeof shown, "%s-%s-%s", oracle_name(f->oracle), f->kind,
             s && s->kind == STMT_OP ? s->op->name : "");
    return fnmatch(k->signature, f->signature, 0) == 0 || fnmatch(k->signature, shown, 0) == 0;
}

/* Do both answers, and what bisection found? */
static bool answers_match(const KnownIssue *k, const Finding *f) {
    return fnmatch(k->cause, f->cause.text, 0) == 0 &&
           (strstr(f->a, k->answer) || strstr(f->b, k->answer)) &&
           fnmatch(k->answers[0], f->a, 0) == 0 && fnmatch(k->answers[1], f->b, 0) == 0;
}

/* ---- conditions: of a program, a finding and what is written behind the key ---- */

/* Located, such a finding may be a prefix that one of the two runs to its end: the other one's
 * error is then no consequence of the error that ends the program. */
static bool both_refuse(const Program *p, const Finding *f, const char *value) {
    (void)p;
    (void)value;
    bool one_runs = strncmp(f->signature, "status-ok_vs_", strlen("status-ok_vs_")) == 0;
    return f->oracle == ORACLE_status && strncmp(f->a, "ok", 2) != 0 &&
           strncmp(f->b, "ok", 2) != 0 && !one_runs;
}

static bool result_is_unused(const Program *p, const Finding *f, const char *value) {
    (void)value;
    return statement_is_dead(p, f->sid);
}

/* Is the op that differs, or the one that made the differing result, called again? */
static bool calls_again(const Program *p, const Finding *f, const char *value) {
    (void)value;
    int made = -1;
    for (int sid = 0; f->subject == SUBJECT_RETURN && f->index < p->nreturns && sid < p->nstmts;
         sid++) {
        const Stmt *s = program_stmt(p, sid);
        for (int k = 0; k < s->nout; k++) {
            made = s->out[k] == p->returns[f->index] ? sid : made;
        }
    }
    return statement_is_repeated(p, f->culprit) || statement_has_equal(p, made);
}

static bool has_block(const Program *p, const Finding *f, const char *value) {
    (void)f;
    BlockContext context;
    return block_context(value, &context) && program_has_context(p, context);
}

static bool has_reentrant_block(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_is_reentrant(p);
}

static bool writes_through(const Program *p, const Finding *f, const char *value) {
    (void)f;
    return program_writes_through(p, value);
}

static bool overwrites_operand(const Program *p, const Finding *f, const char *value) {
    (void)f;
    return program_overwrites_operand(p, value, false);
}

static bool overwrites_argument(const Program *p, const Finding *f, const char *value) {
    (void)f;
    return program_overwrites_operand(p, value, true);
}

static bool changes_sharing(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_changes_sharing(p);
}

static bool shares_memory(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_shares_memory(p);
}

static bool differentiates_results(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_differentiates_results(p);
}

static bool writes_something(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_writes(p);
}

static bool uses_op(const Program *p, const Finding *f, const char *value) {
    (void)f;
    return program_uses(p, value);
}

static bool computes_into(const Program *p, const Finding *f, const char *value) {
    (void)f;
    return program_computes_into(p, value);
}

static bool registers_hook(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_has_hook(p);
}

static bool returns_hooked(const Program *p, const Finding *f, const char *value) {
    (void)f;
    (void)value;
    return program_returns_hooked(p);
}

static bool function_has(const Program *p, const Finding *f, const char *value) {
    (void)f;
    return program_function_has(p, value);
}

static bool reaches_undifferentiated(const Program *p, const Finding *f, const char *value) {
    (void)value;
    bool input = f->subject == SUBJECT_INPUT && f->index >= 0 && f->index < p->ninputs;
    return !input || program_reaches_undifferentiated(p, p->inputs[f->index].name);
}

static bool conditions_hold(const KnownIssue *k, const Program *p, bool minimized,
                            const Finding *f) {
    static const struct {
        bool minimized;
        bool (*holds)(const Program *p, const Finding *f, const char *value);
    } condition[] = {
#define CONDITION(key, value, minimized, holds) {minimized, holds},
#include "harness/triage/conditions.def"
#undef CONDITION
    };
    bool hold = true;
    for (int i = 0; hold && i < CONDITION_COUNT; i++) {
        hold = !k->asked[i] ||
               ((minimized || !condition[i].minimized) && condition[i].holds(p, f, k->asked[i]));
    }
    return hold;
}

KnownIssue *known_find(const Known *known, const KnownPair *pair, const Program *p, bool minimized,
                       const Finding *finding) {
    for (int i = 0; i < known->n; i++) {
        KnownIssue *k = &known->issue[i];
        if (known_applies(k, pair) && signature_matches(k, p, finding) &&
            answers_match(k, finding) && conditions_hold(k, p, minimized, finding)) {
            return k;
        }
    }
    return NULL;
}
