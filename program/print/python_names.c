/* Names of variables: a program's own, changed where Python or a script has another meaning for
 * them. */
#include "program/print/python.h"

#include <string.h>

static bool is_reserved(const char *name) {
    static const char *const words[] = {
        "False",   "None",     "True",     "and",       "as",   "assert", "async",   "await",
        "break",   "class",    "continue", "def",       "del",  "elif",   "else",    "except",
        "finally", "for",      "from",     "global",    "if",   "import", "in",      "is",
        "lambda",  "nonlocal", "not",      "or",        "pass", "raise",  "return",  "try",
        "while",   "with",     "yield",    "print", /* Python 3 */
        "torch",   "float",    "list",     "super",     "self", "_t",     "program", "make",
        "holder",  "Shell",    "objects",  "__debug__", "ctx" /* names in the exported code */
    };
    for (int i = 0; i < COUNT_OF(words); i++) {
        if (strcmp(words[i], name) == 0) {
            return true;
        }
    }
    /* "__x" would be mangled inside a class; the others are our own prefixes */
    return strncmp(name, "__", 2) == 0 || strncmp(name, "held_", 5) == 0 ||
           strncmp(name, "global_", 7) == 0 || strncmp(name, "_part", 5) == 0 ||
           strncmp(name, "_mode", 5) == 0 || strncmp(name, "_fn_", 4) == 0 ||
           strncmp(name, "_hook", 5) == 0 || strncmp(name, "_py", 3) == 0 ||
           strncmp(name, "_Py", 3) == 0 || strcmp(name, "_results") == 0;
}

static bool is_taken(const Program *p, const char *name, const char *const *out, int n) {
    for (int i = 0; i < p->nnames; i++) {
        if (strcmp(p->names[i], name) == 0 || (i < n && strcmp(out[i], name) == 0)) {
            return true;
        }
    }
    return false;
}

const char *const *python_names(Arena *arena, const Program *p) {
    const char **out = arena_array(arena, const char *, p->nnames + 1);
    for (int i = 0; i < p->nnames; i++) {
        out[i] = p->names[i];
        if (!is_reserved(out[i])) {
            continue;
        }
        bool prefixed = out[i][0] == '_' || strncmp(out[i], "held_", 5) == 0 ||
                        strncmp(out[i], "global_", 7) == 0;
        if (prefixed && strcmp(out[i], "_t") != 0) {
            out[i] = arena_printf(arena, "v%s", out[i]); /* a trailing underscore would not help */
        }
        do {
            out[i] = arena_printf(arena, "%s_", out[i]);
        } while (is_taken(p, out[i], out, i));
    }
    return out;
}
