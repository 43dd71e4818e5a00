/* What the commands share: error messages, settings, opening a pair, reading a program. */
#include "harness/cli/command.h"

#include "fuzz/mutate/mutate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Do --max-elements and --max-statements bound what is generated? */
static bool generates(const Options *o) {
    return strcmp(o->command, "fuzz") == 0 || strcmp(o->command, "passes") == 0 ||
           strcmp(o->command, "distill") == 0 || strcmp(o->command, "convert") == 0;
}

int complain(int code, const char *format, ...) {
    char text[2048];
    fflush(stdout);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    Arena arena = ARENA_EMPTY;
    fprintf(stderr, "twingrad: %s\n", printable(&arena, text)); /* texts may be of files */
    arena_destroy(&arena);
    return code;
}

const char *command_options(const char *command) {
    static const struct {
        const char *name, *options;
    } table[] = {
#define COMMAND(name, options, arguments, text) {#name, options},
#include "harness/cli/commands.def"
#undef COMMAND
    };
    for (int i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(table[i].name, command) == 0) {
            return table[i].options;
        }
    }
    return "";
}

int finish(int code) {
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed |= fflush(stdout) != 0;
    if (failed) {
        code = EXIT_ENVIRONMENT;
        fprintf(stderr, "twingrad: cannot write to standard output: %s\n",
                errno ? strerror(errno) : "an earlier write failed");
    }
    return code;
}

TargetSettings target_settings(const Options *o) {
    TargetSettings settings = o->targets;
    settings.workers = o->workers < 0 ? 1 : (int)min_i64(o->workers, TARGET_MAX_WORKERS);
    bool once = strcmp(o->command, "fuzz") == 0 ||
                strcmp(o->command, "minimize") == 0; /* each program runs once */
    if (!settings.native_cache && once) {
        settings.native_cache = "none";
    }
    return settings;
}

/* The profile for a pair in which a target compiles, by its mode: `inductor` where it generates
 * code, else `target`. NULL: no target compiles. */
static const char *profile_for_pair(const char *pair) {
    const char *profile = NULL;
    for (const char *at = pair; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ","), name = strcspn(at, ":,");
        const char *mode = at + name + 1;
        bool target = name < n && strncmp(at, "compiled:", strlen("compiled:")) != 0;
        if (!target || strncmp(mode, "eager", min_i64((int64_t)(n - name - 1), 5)) == 0) {
            continue;
        }
        bool generates_code = strncmp(mode, "inductor", strlen("inductor")) == 0;
        profile = generates_code || !profile ? (generates_code ? "inductor" : "target") : profile;
    }
    return profile;
}

bool generate_settings(const Options *o, GenerateOptions *out, char *message, size_t message_size) {
    *out = o->generate;
    const char *profile = profile_for_pair(o->pair);
    if (profile && !generate_profile_below(out, profile, message, message_size)) {
        return false;
    }
    out->semantics = o->semantics;
    const struct {
        const char *name;
        int64_t given, otherwise, most;
        int64_t *field;
    } bounds[] = {
        {"max-elements", o->limits.max_elements, LIMITS_DEFAULT.max_elements, GENERATE_MAX_ELEMENTS,
         &out->max_elements},
        {"max-statements", o->limits.max_statements, LIMITS_DEFAULT.max_statements,
         GENERATE_MAX_STATEMENTS, &out->max_statements},
    };
    for (int i = 0; i < COUNT_OF(bounds); i++) {
        if (bounds[i].given == bounds[i].otherwise) {
            continue;
        }
        if (bounds[i].given < 1 || bounds[i].given > bounds[i].most) {
            snprintf(message, message_size,
                     "--%s of what is generated is a number from 1 to %lld, not %lld",
                     bounds[i].name, (long long)bounds[i].most, (long long)bounds[i].given);
            return false;
        }
        *bounds[i].field = bounds[i].given;
    }
    return true;
}

int generate_options(const Options *o, GenerateOptions *out) {
    char message[256];
    return generate_settings(o, out, message, sizeof message)
               ? 0
               : complain(EXIT_BAD_INPUT, "%s", message);
}

/* "flags,alias": the bits of these oracles. */
static bool oracle_list(const char *list, uint32_t *out, char *message, size_t size) {
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        int id = 0;
        while (id < ORACLE_COUNT && (strlen(oracle_name((OracleId)id)) != n ||
                                     strncmp(oracle_name((OracleId)id), at, n) != 0)) {
            id++;
        }
        if (id == ORACLE_COUNT) {
            snprintf(message, size,
                     "--no-oracle: there is no oracle '%.*s' (see 'twingrad oracles')",
                     (int)min_i64((int64_t)n, 60), at);
            return false;
        }
        *out |= 1u << id;
    }
    return true;
}

/* Is one of the executors TARGET:MODE? */
static bool names_target(const char *pair) {
    bool any = false;
    for (const char *at = pair; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ","), name = strcspn(at, ":,");
        any |= name < n && strncmp(at, "compiled:", strlen("compiled:")) != 0;
    }
    return any;
}

bool checker_settings(const Options *o, CheckerOptions *out, char *message, size_t message_size) {
    if (o->workers == 0 || o->workers > TARGET_MAX_WORKERS) {
        snprintf(message, message_size, "--workers needs a number from 1 to %d",
                 TARGET_MAX_WORKERS);
        return false;
    }
    if (o->oracle && strcmp(o->oracle, "stages") != 0) {
        snprintf(message, message_size,
                 "--oracle is for 'stages': the others are asked at every program");
        return false;
    }
    const char *of_targets = o->targets.strict    ? "strict"
                             : o->targets.configs ? "configs"
                             : o->no_triage       ? "no-triage"
                                                  : NULL;
    if (of_targets && !names_target(o->pair)) {
        snprintf(message, message_size, "--%s is for a --pair with a target (TARGET:MODE)",
                 of_targets);
        return false;
    }
    *out = (CheckerOptions){.pair = o->pair,
                            .compile = o->compile,
                            .targets = target_settings(o),
                            .semantics = o->semantics,
                            .limits = generates(o) ? LIMITS_DEFAULT : o->limits,
                            .poke = !o->no_poke};
    return oracle_list(o->no_oracle, &out->oracles_off, message, message_size);
}

bool takes_targets(const char *on) {
    if (on && strchr(on, ':')) {
        complain(EXIT_BAD_INPUT,
                 "--on takes a target without a mode (--modes takes them), not '%.60s'", on);
        return false;
    }
    return true;
}

int open_checker(const Options *o, Checker *c) {
    char message[1024];
    CheckerOptions options;
    if (!checker_settings(o, &options, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    int code = checker_open_options(c, &options, message, sizeof message);
    return code == 0 ? 0 : complain(code, "%s", message);
}

int open_known(const Options *o, const Checker *c, Arena *arena, Known *out) {
    char message[512];
    int code = known_open_for(arena, o->known, c, out, message, sizeof message);
    return code == 0 ? 0 : complain(code, "%s", message);
}

/* Of a file that is no JSON. */
static bool takes_bytes(const Options *o, const Source *source) {
    const char *dot = strrchr(source->name, '.');
    bool neither = !generates(o) && !(dot && strcmp(dot, ".bytes") == 0);
    for (int i = 0; i < o->nfiles && !neither; i++) {
        neither = source_is_neither(source, o->files[i]);
    }
    return o->bytes || !neither;
}

int load_program(const Options *o, Arena *arena, const Source *source, Program **out, bool *known) {
    if (source->status != IO_OK) {
        return complain(source->status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT, "%s",
                        printable(arena, source->message));
    }
    char message[512];
    if (o->bytes || source_is_bytes(source)) {
        if (!takes_bytes(o, source)) {
            return complain(EXIT_BAD_INPUT,
                            "%s: not JSON, and not named .bytes: --bytes reads any file as the "
                            "bytes of a fuzzing engine",
                            printable(arena, source->name));
        }
        *out = codec_decode(arena, (const uint8_t *)source->text, source->length, &MUTATE_LIMITS,
                            message, sizeof message);
        if (!*out) {
            return complain(EXIT_BAD_INPUT, "%s: %s", printable(arena, source->name),
                            printable(arena, message));
        }
        (*out)->semantics = o->semantics;
        return 0;
    }
    const Limits *limits = generates(o) ? &LIMITS_DEFAULT : &o->limits;
    ParseStatus status = program_parse_within(arena, source->text, (size_t)source->length, limits,
                                              out, message, sizeof message);
    if (known) {
        *known = status != PARSE_UNKNOWN_OP;
    }
    if (status == PARSE_OK) {
        (*out)->semantics = o->semantics != SEMANTICS_NONE ? o->semantics : (*out)->semantics;
        return 0;
    }
    if (status == PARSE_UNKNOWN_OP && known) {
        return EXIT_BAD_INPUT;
    }
    return complain(EXIT_BAD_INPUT, "%s: %s", printable(arena, source->name),
                    printable(arena, message));
}

int any_program(const char *path, int64_t n) {
    return n > 0 ? EXIT_AGREE : complain(EXIT_BAD_INPUT, "there is no program in '%.200s'", path);
}

typedef struct CommandVisit {
    const Options *options;
    Arena *arena;
    EachProgram *visit;
    void *user;
    int code;
} CommandVisit;

static void visit_source(void *user, const Source *source) {
    CommandVisit *v = user;
    arena_reset(v->arena);
    Program *p;
    int code = load_program(v->options, v->arena, source, &p, NULL);
    v->code = worst(v->code, code);
    if (code == 0) {
        v->visit(v->user, source->name, p);
    }
}

int each_program(const Options *o, Arena *arena, EachProgram *visit, void *user) {
    CommandVisit v = {o, arena, visit, user, 0};
    for (int i = 0; i < o->nfiles; i++) {
        int64_t n = io_each(o->files[i], false, visit_source, &v);
        v.code = worst(v.code, any_program(o->files[i], n));
    }
    return v.code;
}

int each_checked(const Options *o, Checker *checker, Arena *arena, int *code, EachProgram *visit,
                 void *user) {
    int walked = open_checker(o, checker);
    if (walked == 0) {
        walked = each_program(o, arena, visit, user);
        checker_close(checker);
    }
    arena_destroy(arena);
    return worst(*code, walked);
}

const char *title_of(Arena *arena, const char *source, const Program *p) {
    source = printable(arena, source);
    return p->name && p->name[0] ? arena_printf(arena, "%s (%s)", source, printable(arena, p->name))
                                 : source;
}
