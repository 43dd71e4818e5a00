/* The script contains the program. It recognizes the finding by what differs first (oracle and
 * kind), since the statement or step that is blamed may change with the code. Another finding, a
 * refused program or a failed build is "cannot test". */
#include "harness/triage/bisect.h"

/* Adds `s` quoted for a POSIX shell. */
static void quoted(Text *t, const char *s) {
    text_add(t, "'");
    for (; *s; s++) {
        if (*s == '\'') {
            text_add(t, "'\\''");
        } else {
            text_addn(t, s, 1);
        }
    }
    text_add(t, "'");
}

void bisect_script(Text *t, const char *pair_options, const Program *p, const Finding *f) {
    text_printf(t,
                "#!/bin/sh\n# git bisect run sh THIS_FILE: 0 without %s, 1 with it, 125 if that "
                "cannot be told.\n",
                f->signature);
    text_add(t, "# BUILD is the command that builds (none for an installed TWINGRAD).\n");
    text_add(t, "${BUILD-make -s twingrad} >/dev/null 2>&1 || exit 125\n");
    text_add(t, "answer=$(${TWINGRAD:-./twingrad} check --json ");
    text_add(t, pair_options);
    text_add(t, " - <<'END'\n");
    Text program = {.arena = t->arena};
    program_print(&program, p, true);
    text_add(t, program.v);
    text_add(t, "\nEND\n)\ncode=$?\n[ \"$code\" -ne 0 ] || exit 0\n[ \"$code\" -eq 1 ] || exit "
                "125\ncase $answer in\n*");
    Text mark = {.arena = t->arena};
    text_printf(&mark, "\"signature\":\"%s-%s-", oracle_name(f->root.oracle), f->root.kind);
    quoted(t, mark.v);
    text_add(t, "*) exit 1 ;;\nesac\nexit 125\n");
}
