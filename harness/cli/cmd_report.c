/* report: writes the files of results again from a results.json (results.h); joins the results of
 * several runs, or compares two (merge.h). */
#include "harness/cli/command.h"
#include "harness/report/merge.h"

#include <stdio.h>
#include <string.h>

static IoStatus read_results(Arena *arena, const char *file, char **text, int64_t *length,
                             char *message, size_t message_size) {
    return io_read(arena, file, IO_MAX_BYTES, text, length, message, message_size);
}

static int code_of(IoStatus status) {
    return status == IO_OK ? EXIT_AGREE : status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
}

/* The objects of all files; NULL after complaining, with the exit code in *code. */
static const Json **read_all(const Options *o, Arena *arena, int *code) {
    const Json **root = arena_array(arena, const Json *, o->nfiles);
    char message[1024];
    for (int i = 0; i < o->nfiles; i++) {
        char *text;
        int64_t length;
        IoStatus status = read_results(arena, o->files[i], &text, &length, message, sizeof message);
        *code = code_of(status);
        if (status == IO_OK) {
            root[i] = results_parse(arena, o->files[i], text, length, message, sizeof message);
            *code = root[i] ? EXIT_AGREE : EXIT_BAD_INPUT;
        }
        if (*code != EXIT_AGREE) {
            complain(*code, "%s", message);
            return NULL;
        }
    }
    return root;
}

static int report_merge(const Options *o, Arena *arena) {
    char message[1024];
    int code = results_ready(&o->reports, NULL, message, sizeof message);
    if (code != EXIT_AGREE) {
        return complain(code, "%s", message);
    }
    const Json **root = read_all(o, arena, &code);
    if (!root) {
        return code;
    }
    Text text = {.arena = arena};
    code = results_merge(root, o->files, o->nfiles, arena, &text, message, sizeof message);
    if (code == EXIT_AGREE && !o->reports.results && !results_wanted(&o->reports)) {
        fwrite(text.v, 1, (size_t)text.n, stdout);
    } else if (code == EXIT_AGREE) {
        code = results_write(&o->reports, &text, message, sizeof message);
    }
    return code == EXIT_AGREE ? code : complain(code, "%s", message);
}

static int report_compare(const Options *o, Arena *arena) {
    int code, n, fresh = 0;
    const Json **root = read_all(o, arena, &code);
    if (!root) {
        return code;
    }
    char message[1024];
    if (!results_comparable(root[0], root[1], o->files, arena, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    const ResultsDifference *d = results_compare(root[0], root[1], arena, &n);
    Text text = {.arena = arena};
    for (int i = 0; i < n; i++) {
        bool fails = strcmp(d[i].status, "new") == 0 || strcmp(d[i].status, "flaky") == 0;
        fresh += fails && strcmp(d[i].change, "new") == 0;
        if (o->json) {
            text_printf(&text,
                        "{\"type\":\"group\",\"schema_version\":1,\"change\":\"%s\",\"group\":",
                        d[i].change);
            text_json_string(&text, d[i].group);
            text_add(&text, ",\"standing\":");
            text_json_string(&text, d[i].status);
            text_printf(&text, ",\"before\":%lld,\"after\":%lld}\n", (long long)d[i].before,
                        (long long)d[i].after);
        } else {
            text_printf(&text, "%-10s  %-48s %8lld -> %lld findings%s%s\n", d[i].change,
                        printable(arena, d[i].group), (long long)d[i].before, (long long)d[i].after,
                        fails ? "" : ", ", fails ? "" : printable(arena, d[i].status));
        }
    }
    if (!o->json) {
        text_printf(&text, "%d of %d groups new\n", fresh, n);
    }
    fwrite(text.v, 1, (size_t)text.n, stdout);
    return fresh > 0 ? EXIT_FINDINGS : EXIT_AGREE;
}

static int report_again(const Options *o, Arena *arena) {
    char *text, message[1024];
    int64_t length;
    IoStatus status = read_results(arena, o->files[0], &text, &length, message, sizeof message);
    int code = status == IO_OK ? results_publish(&o->reports, o->files[0], text, length, message,
                                                 sizeof message)
                               : code_of(status);
    return code == EXIT_AGREE ? code : complain(code, "%s", message);
}

/* What the words and options lack, or NULL. */
static const char *usage_problem(const Options *o) {
    bool writes = o->reports.results || results_wanted(&o->reports);
    if (o->merge && o->compare) {
        return "report: --merge and --compare exclude each other";
    }
    if (o->compare) {
        return o->nfiles != 2 ? "report --compare takes two files of results, the older one first"
               : writes       ? "report --compare writes no files"
                              : NULL;
    }
    if (o->json) {
        return "report: --json is for --compare";
    }
    if (o->merge) {
        return o->nfiles < 1 ? "report --merge takes files of results" : NULL;
    }
    return o->nfiles != 1       ? "report takes one file of results (see 'twingrad report --help')"
           : o->reports.results ? "report: --results is for --merge"
           : !writes ? "report: say what to write: --html, --junit, --sarif or --markdown FILE"
                     : NULL;
}

int cmd_report(const Options *o) {
    const char *problem = usage_problem(o);
    if (problem) {
        return complain(EXIT_BAD_INPUT, "%s", problem);
    }
    Arena arena = ARENA_EMPTY;
    int code = o->compare ? report_compare(o, &arena)
               : o->merge ? report_merge(o, &arena)
                          : report_again(o, &arena);
    arena_destroy(&arena);
    return code;
}
