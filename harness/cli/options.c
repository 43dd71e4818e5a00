/* The option parser: one table (options.def) of name, kind and field of Options. `--name VALUE` and
 * `--name=VALUE` are the same, `--` ends the options, a single `-` is a file. */
#include "harness/cli/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind {
    OPTION_TEXT,
    OPTION_FLAG,
    OPTION_COUNT,
    OPTION_NUMBER,
    OPTION_SEED,
    OPTION_SECONDS,
    OPTION_FAULT,
    OPTION_DISABLE,
    OPTION_ONLY,
    OPTION_SEMANTICS,
    OPTION_SHARD,
    OPTION_PROFILE,
    OPTION_OPS
} OptionKind;

enum { MAX_SHARDS = 1 << 20 };

typedef struct OptionRow {
    const char *name;
    OptionKind kind;
    size_t field;
    const char *metavariable, *help;
} OptionRow;

static const OptionRow OPTIONS[] = {
#define OPTION(name, kind, field, metavariable, help)                                              \
    {name, OPTION_##kind, offsetof(Options, field), metavariable, help},
#include "harness/cli/options.def"
#undef OPTION
};

/* Is `name` one of the words of `list`? */
static bool listed(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n) {
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool digits_only(const char *text) {
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* "K/N", with K from 1 to N, as test runners number their shards. */
static bool parse_shard(Shard *shard, const char *text, char *message, size_t size) {
    char *end;
    errno = 0;
    long long k = strtoll(text, &end, 10), n = 0;
    if (end != text && *end == '/' && digits_only(end + 1)) {
        n = strtoll(end + 1, NULL, 10);
    }
    if (text[0] < '0' || text[0] > '9' || errno != 0 || k < 1 || k > n || n > MAX_SHARDS) {
        snprintf(message, size, "--shard needs K/N with 1 <= K <= N <= %d, not '%.60s'", MAX_SHARDS,
                 text);
        return false;
    }
    *shard = (Shard){k - 1, n};
    return true;
}

static bool parse_value(const OptionRow *row, const char *text, Options *o, char *message,
                        size_t size) {
    void *field = (char *)o + row->field;
    char *end;
    errno = 0;
    if (row->kind != OPTION_FLAG && text[0] == '\0') {
        snprintf(message, size, "--%s needs %s, not an empty word", row->name, row->metavariable);
        return false;
    }
    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)field = text;
        return true;
    case OPTION_COUNT:
    case OPTION_NUMBER: {
        bool positive = row->kind == OPTION_NUMBER;
        long long value = strtoll(text, &end, 10);
        if (!digits_only(text) || errno != 0 || (positive && value == 0)) {
            snprintf(message, size, "--%s needs a whole number%s, not '%.60s'", row->name,
                     positive ? " above 0" : "", text);
            return false;
        }
        *(int64_t *)field = value;
        return true;
    }
    case OPTION_SEED: {
        unsigned long long value = strtoull(text, &end, 10);
        if (!digits_only(text) || errno != 0) {
            snprintf(message, size,
                     "--%s needs a number from 0 to 18446744073709551615, not '%.60s'", row->name,
                     text);
            return false;
        }
        *(uint64_t *)field = value;
        o->seed_given = true;
        return true;
    }
    case OPTION_SECONDS: {
        double value = strtod(text, &end);
        if (end != text && strcmp(end, "s") == 0) {
            end++; /* 60s */
        }
        bool decimal =
            text[0] != '\0' &&
            strspn(text, "0123456789.eE+-") + (end > text && end[-1] == 's') == strlen(text);
        if (!decimal || *end != '\0' || errno != 0 || !isfinite(value) || value <= 0) {
            snprintf(message, size, "--%s needs a number above 0, not '%.60s'", row->name, text);
            return false;
        }
        *(double *)field = value;
        return true;
    }
    case OPTION_FAULT: {
        FaultId id;
        if (!fault_parse(text, &id)) {
            snprintf(message, size, "there is no fault '%.60s' (see 'twingrad faults')", text);
            return false;
        }
        if (!faults_add(field, id)) {
            snprintf(message, size, "--fault '%.60s': there is no room for more", text);
            return false;
        }
        return true;
    }
    case OPTION_DISABLE:
    case OPTION_ONLY:
        return disabled_parse(field, text, row->kind == OPTION_ONLY, message, size);
    case OPTION_SEMANTICS:
        *(Semantics *)field = semantics_parse(text);
        if (*(Semantics *)field == SEMANTICS_NONE) {
            snprintf(message, size, "--semantics '%.60s' is not a version that is known: %s", text,
                     semantics_list());
            return false;
        }
        return true;
    case OPTION_SHARD:
        return parse_shard(field, text, message, size);
    case OPTION_PROFILE:
        return generate_profile(field, text, message, size);
    case OPTION_OPS:
        return generate_ops(field, text, message, size);
    case OPTION_FLAG:
        break;
    }
    *(bool *)field = true;
    return true;
}

static bool parse_option(Options *o, const char *word, const char *next, const char *accepted,
                         bool *used_next, char *message, size_t size) {
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    *used_next = false;
    for (int i = 0; i < COUNT_OF(OPTIONS); i++) {
        const OptionRow *row = &OPTIONS[i];
        if (strlen(row->name) != n || strncmp(row->name, name, n) != 0 ||
            !listed(accepted, row->name)) {
            continue;
        }
        if (row->kind == OPTION_FLAG && equals) {
            snprintf(message, size, "--%s takes no value", row->name);
            return false;
        }
        if (row->kind != OPTION_FLAG && !equals && !next) {
            snprintf(message, size, "--%s needs %s", row->name, row->metavariable);
            return false;
        }
        *used_next = row->kind != OPTION_FLAG && !equals;
        return parse_value(row, equals ? equals + 1 : next, o, message, size);
    }
    snprintf(message, size, "%s has no option '%.60s' (see 'twingrad %s --help')", o->command, word,
             o->command);
    return false;
}

bool options_parse(Options *o, int argc, char **argv, const char *accepted, bool *help,
                   char *message, size_t message_size) {
    o->pair = "reference,compiled";
    o->compile = COMPILE_DEFAULT;
    o->limits = LIMITS_DEFAULT;
    o->generate = GENERATE_DEFAULTS;
    o->seed = 1;
    o->jobs = o->workers = o->mutate = -1;
    o->shard = (Shard){0, 1};
    o->targets.memory = 8192;
    o->files = o->words = argv;
    o->nwords = argc;
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (ended || word[0] != '-' || word[1] == '\0') {
            o->files[o->nfiles++] = word;
        } else if (strcmp(word, "--") == 0) {
            ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            *help = true;
            return true;
        } else if (word[1] != '-') {
            snprintf(message, message_size, "%s has no option '%.60s' (see 'twingrad %s --help')",
                     o->command, word, o->command);
            return false;
        } else {
            bool used_next;
            if (!parse_option(o, word, i + 1 < argc ? argv[i + 1] : NULL, accepted, &used_next,
                              message, message_size)) {
                return false;
            }
            i += used_next;
        }
    }
    return true;
}

void options_help(const char *accepted) {
    for (int i = 0; i < COUNT_OF(OPTIONS); i++) {
        if (listed(accepted, OPTIONS[i].name)) {
            char left[64];
            snprintf(left, sizeof left, "--%s %s", OPTIONS[i].name, OPTIONS[i].metavariable);
            printf("  %-22s %s\n", left, OPTIONS[i].help);
        }
    }
    printf("  %-22s %s\n", "--help", "this text");
}
