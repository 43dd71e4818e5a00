/* gate: what a new build of PyTorch does wrong that an older one does not. For each mode, the
 * search of `fuzz` on the new one (--head), with the findings left out that the old one (--base)
 * shows as well (search/baseline.h). For pull requests of a compiler. */
#include "harness/cli/fuzz.h"
#include "harness/util/interrupt.h"
#include "harness/util/status.h"
#include "harness/targets/mode.h"

#include <string.h>
#include <unistd.h>

static const char GATE_MODES[] = "dynamo,aot_eager,inductor";
static const double GATE_MINUTES = 10;

/* The interpreter is started much later, by another process: say now if it is not there. */
static int gate_python(const char *option, const char *path) {
    if (!path) {
        return complain(EXIT_BAD_INPUT,
                        "gate needs --base PYTHON and --head PYTHON, the interpreters of two "
                        "environments with PyTorch; --%s is missing",
                        option);
    }
    return strchr(path, '/') && access(path, X_OK) != 0
               ? complain(EXIT_ENVIRONMENT, "--%s: cannot run %s", option, path)
               : EXIT_AGREE;
}

/* One mode, with its share of the time; --out has a folder for each mode. */
static int gate_mode(const Options *o, Arena *arena, const char *mode, int n, int modes) {
    Options own = *o;
    own.command = "fuzz"; /* the same defaults */
    const char *name = arena_printf(arena, "%.*s", n, mode);
    own.pair = arena_printf(arena, "torch:%s,torch:%s", mode_eager(name), name);
    own.targets.python = o->head;
    own.out = o->out ? arena_printf(arena, "%s/%.*s", o->out, n, mode) : NULL;
    double minutes = o->minutes > 0 ? o->minutes : o->runs > 0 ? 0 : GATE_MINUTES;
    own.seconds = 60 * minutes / modes;
    CampaignOptions options;
    char message[1024];
    if (!fuzz_options(&own, &options, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    options.base_python = o->base;
    const Output output = terminal_output(o);
    return fuzz_search(&options, &output);
}

int cmd_gate(const Options *o) {
    int code = gate_python("base", o->base);
    code = code ? code : gate_python("head", o->head);
    const char *list = o->modes ? o->modes : GATE_MODES, *at = list, *name;
    int n, modes = mode_count(list);
    Arena arena = ARENA_EMPTY;
    while (code < EXIT_BAD_INPUT && !interrupt_came() && (n = mode_next(&at, &name)) > 0) {
        code = worst(code, gate_mode(o, &arena, name, n, modes));
    }
    arena_destroy(&arena);
    return code;
}
