/* targets: lists what targets.json declares. Every target is started, so the list says which of
 * them work here, which version of their framework they run, and in which modes. */
#include "harness/cli/command.h"
#include "harness/targets/declare.h"

#include <stdio.h>
#include <string.h>

typedef struct TargetRow {
    const char *name, *version, *modes, *problem; /* problem: why it does not start, or NULL */
} TargetRow;

static TargetRow try_target(const Options *o, Arena *arena, const char *name) {
    TargetRow row = {.name = name, .version = "", .modes = ""};
    Declaration d;
    char message[1024];
    int code = target_declaration(arena, o->targets.file, name, NULL, &d, message, sizeof message);
    Target *t = NULL;
    if (code == EXIT_AGREE) {
        TargetSettings settings = target_settings(o);
        code = target_open(arena_printf(arena, "%s:%s", name, d.modes[0]), NULL, &settings, &t,
                           message, sizeof message);
    }
    if (code == EXIT_AGREE) {
        row.version = arena_strdup(arena, target_version(t));
        row.modes = arena_strdup(arena, target_modes(t));
        target_close(t);
    } else {
        row.problem = arena_strdup(arena, message);
    }
    return row;
}

static void print_target_row(const Options *o, Arena *arena, const TargetRow *row) {
    Semantics s = semantics_nearest(row->version);
    if (!o->json && row->problem) {
        printf("%-12s does not start: %s\n", row->name, printable(arena, row->problem));
        return;
    }
    if (!o->json) {
        printf("%-12s %-24s %s\n", row->name, printable(arena, row->version),
               printable(arena, row->modes));
        return;
    }
    Text t = {.arena = arena};
    text_add(&t, "{\"target\":");
    text_json_string(&t, row->name);
    text_printf(&t, ",\"starts\":%s,\"version\":", row->problem ? "false" : "true");
    text_json_string(&t, row->version);
    text_add(&t, ",\"semantics\":");
    if (s == SEMANTICS_NONE) {
        text_add(&t, "null");
    } else {
        text_json_string(&t, semantics_name(s));
    }
    text_add(&t, ",\"modes\":[");
    const char *comma = "";
    for (const char *at = row->modes; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        text_add(&t, comma);
        text_json_string(&t, arena_printf(arena, "%.*s", (int)n, at));
        comma = ",";
        at += n;
    }
    text_add(&t, "]");
    if (row->problem) {
        text_add(&t, ",\"problem\":");
        text_json_string(&t, row->problem);
    }
    text_add(&t, "}");
    puts(t.v);
}

int cmd_targets(const Options *o) {
    Arena arena = ARENA_EMPTY;
    char message[1024], *names;
    int code = target_names(&arena, o->targets.file, &names, message, sizeof message);
    if (code != EXIT_AGREE) {
        arena_destroy(&arena);
        return finish(complain(code, "%s", message));
    }
    for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
        TargetRow row = try_target(o, &arena, name);
        print_target_row(o, &arena, &row);
        fflush(stdout);
    }
    arena_destroy(&arena);
    return finish(EXIT_AGREE);
}
