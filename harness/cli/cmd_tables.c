/* ops, faults, oracles, profiles: print the tables as text and as JSON lines. */
#include "compiled/loops/lower.h"
#include "harness/cli/command.h"
#include "program/ops/functions.h"

#include <stdio.h>
#include <string.h>

static const char *const KINDS[] = {"factory",   "view",    "multi_view",   "pointwise", "func",
                                    "composite", "inplace", "inplace_view", "meta",      "storage"};
_Static_assert(COUNT_OF(KINDS) == KIND_STORAGE + 1, "a name for each kind");

static void tables_add_member(Text *t, const char *key, const char *value) {
    text_printf(t, "%s\"%s\":", t->v && t->v[t->n - 1] == '{' ? "" : ",", key);
    text_json_string(t, value);
}

static void tables_put_line(Text *t, Arena *arena) {
    text_add(t, "}");
    puts(t->v);
    arena_reset(arena);
}

/* How the compiled executor runs an op: as loops, by the shared kernel, as an address (a view), not
 * at all (it changes autograd state only), or as the ops that it is composed of. */
static const char *lowering(const OpInfo *op) {
    switch (op->kind) {
    case KIND_VIEW:
    case KIND_MULTI_VIEW:
        return "address";
    case KIND_COMPOSITE:
        return "composed";
    case KIND_META:
    case KIND_STORAGE:
        return "none";
    case KIND_INPLACE:
    case KIND_INPLACE_VIEW:
        return lowering(op_info(op->twin));
    default:
        return lower_is_native(op) ? "loops" : "kernel";
    }
}

/* How a gradient flows through an op: by a rule (for an in-place op, that of its functional form),
 * by the rules of the ops that it is composed of, not implemented as in PyTorch, or not at all. */
static const char *derivative(const OpInfo *op) {
    switch (op->kind) {
    case KIND_COMPOSITE:
        return "composed";
    case KIND_META:
        return "none";
    case KIND_INPLACE:
    case KIND_INPLACE_VIEW:
        return derivative(op_info(op->twin));
    default:
        return op->grad == grad_not_implemented ? "refused" : op->grad ? "rule" : "nondiff";
    }
}

int cmd_ops(const Options *o) {
    Arena arena = ARENA_EMPTY;
    for (int id = 0; id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        if (op_name_is_internal(op->name)) {
            continue; /* programs cannot name it */
        }
        if (!o->json) {
            printf("%-10s %-8s %-8s %s\n", KINDS[op->kind], lowering(op), derivative(op),
                   op->schema);
            continue;
        }
        Text t = {.arena = &arena};
        text_add(&t, "{");
        tables_add_member(&t, "name", op->name);
        tables_add_member(&t, "overload", op->overload);
        tables_add_member(&t, "kind", KINDS[op->kind]);
        tables_add_member(&t, "schema", op->schema);
        tables_add_member(&t, "lowering", lowering(op));
        tables_add_member(&t, "derivative", derivative(op));
        tables_put_line(&t, &arena);
    }
    arena_destroy(&arena);
    return EXIT_AGREE;
}

int cmd_faults(const Options *o) {
    Arena arena = ARENA_EMPTY;
    for (int id = 0; id < FAULT_COUNT; id++) {
        const FaultInfo *f = fault_info((FaultId)id);
        if (!o->json) {
            printf("%-6s %-28s %-13s %-9s %s: %s\n", f->id, f->name, f->stage, f->oracle, f->issue,
                   f->text);
            continue;
        }
        Text t = {.arena = &arena};
        text_add(&t, "{");
        tables_add_member(&t, "id", f->id);
        tables_add_member(&t, "name", f->name);
        tables_add_member(&t, "stage", f->stage);
        tables_add_member(&t, "oracle", f->oracle);
        tables_add_member(&t, "issue", f->issue);
        tables_add_member(&t, "text", f->text);
        if (f->profile) {
            tables_add_member(&t, "profile", f->profile);
        }
        tables_put_line(&t, &arena);
    }
    arena_destroy(&arena);
    return EXIT_AGREE;
}

int cmd_oracles(const Options *o) {
    Arena arena = ARENA_EMPTY;
    for (int id = 0; id < ORACLE_COUNT; id++) {
        if (!o->json) {
            printf("%-10s %s\n", oracle_name((OracleId)id), oracle_claim((OracleId)id));
            continue;
        }
        Text t = {.arena = &arena};
        text_add(&t, "{");
        tables_add_member(&t, "name", oracle_name((OracleId)id));
        tables_add_member(&t, "claim", oracle_claim((OracleId)id));
        tables_put_line(&t, &arena);
    }
    arena_destroy(&arena);
    return EXIT_AGREE;
}

/* ---- profiles ---- */

static void profile_line(const Options *o, Arena *arena, const ProfileInfo *p) {
    if (!o->json) {
        printf("%-9s %s\n", p->name, p->text);
        return;
    }
    Text t = {.arena = arena};
    text_add(&t, "{");
    tables_add_member(&t, "profile", p->name);
    tables_add_member(&t, "text", p->text);
    tables_add_member(&t, "sets", p->set);
    tables_put_line(&t, arena);
}

static void weight_line(const Options *o, Arena *arena, const WeightInfo *w) {
    if (!o->json) {
        printf("  %s%s%-*s %4d%s  %s\n", w->group ? w->group : "", w->group ? "." : "",
               w->group ? 24 - (int)strlen(w->group) : 25, w->name, w->value, w->group ? " " : "%",
               w->text);
        return;
    }
    Text t = {.arena = arena};
    text_add(&t, "{");
    tables_add_member(&t, "weight", w->name);
    if (w->group) {
        tables_add_member(&t, "group", w->group);
    }
    tables_add_member(&t, "text", w->text);
    text_printf(&t, ",\"value\":%d", w->value);
    tables_put_line(&t, arena);
}

int cmd_profiles(const Options *o) {
    Arena arena = ARENA_EMPTY;
    for (int i = 0; profile_info(i) != NULL; i++) {
        profile_line(o, &arena, profile_info(i));
    }
    if (!o->json) {
        puts("\nweights (--profile NAME=VALUE): a percentage, or a share of its group");
    }
    for (int i = 0; weight_info(i) != NULL; i++) {
        weight_line(o, &arena, weight_info(i));
    }
    arena_destroy(&arena);
    return EXIT_AGREE;
}
