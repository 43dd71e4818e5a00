/* report: writes the files of results again from a results.json (results.h), or from results that
 * other tools have merged. */
#include "harness/cli/command.h"

int cmd_report(const Options *o) {
    if (o->nfiles != 1) {
        return complain(EXIT_BAD_INPUT,
                        "report takes one file of results (see 'twingrad report --help')");
    }
    if (!results_wanted(&o->reports)) {
        return complain(EXIT_BAD_INPUT,
                        "report: say what to write: --html, --junit, --sarif or --markdown FILE");
    }
    Arena arena = ARENA_EMPTY;
    char *text, message[1024];
    int64_t length;
    IoStatus status =
        io_read(&arena, o->files[0], IO_MAX_BYTES, &text, &length, message, sizeof message);
    int code = status == IO_OK    ? results_publish(&o->reports, o->files[0], text, length, message,
                                                    sizeof message)
               : status == IO_BAD ? EXIT_BAD_INPUT
                                  : EXIT_ENVIRONMENT;
    if (code != EXIT_AGREE) {
        complain(code, "%s", message);
    }
    arena_destroy(&arena);
    return code;
}
