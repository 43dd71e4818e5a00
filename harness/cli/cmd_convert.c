/* convert: turns the bytes that engines keep into JSON, so that their programs can be read, and
 * JSON into bytes, so that written programs can seed an engine.
 *
 *     a source, or the generator -> Program -> the other form (or the one of --as) -> standard
 *     output, or a file in --out
 *
 * Bytes are decoded within the limits of engines (MUTATE_LIMITS). Encoded bytes are decoded again
 * and must give the same program: one that is too large for an engine is refused. Files are named
 * after their sources; a repeated name gets a number. With --mutants N, N mutants of a program are
 * converted in its place.
 *
 * No file that exists is replaced: it may be a source. If the folder of --out holds files, nothing
 * is written until all names are known to be new. */
#include "fuzz/mutate/mutate.h"
#include "harness/cli/command.h"
#include "tensor/array.h"
#include "tensor/rng.h"

#include <dirent.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum ConvertForm { FORM_OTHER, FORM_JSON, FORM_BYTES } ConvertForm;

typedef struct ConvertFile {
    const char *path, *v;
    int64_t n;
} ConvertFile;

typedef struct ConvertState {
    const Options *options;
    ConvertForm form;
    Arena arena, names; /* of one program; of all names given and files held */
    void *given;        /* a tree of names (tsearch) */
    bool holds;         /* files are written at the end, since --out holds others */
    ConvertFile *held;
    int nheld, held_capacity;
    int64_t programs, written;
    int64_t reduced; /* of those written: without the `semantics` that they state */
    int code;
} ConvertState;

static int cmd_convert_by_name(const void *a, const void *b) { return strcmp(a, b); }

/* NAME of "dir/NAME.json", "dir/NAME.bytes" and "dir/NAME.jsonl:17" (NAME-17), new among those
 * given. */
static const char *cmd_convert_file_name(ConvertState *s, const char *source, const char *end) {
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source,
               *dot = strstr(base, ".json") ? strstr(base, ".json") : strstr(base, ".bytes");
    const char *line = dot ? strrchr(dot, ':') : NULL;
    int n = (int)(dot ? dot - base : (ptrdiff_t)strlen(base));
    const char *stem = arena_printf(&s->names, "%.*s%s%s", n, base, line ? "-" : "",
                                    line ? line + 1 : ""),
               *name = arena_printf(&s->names, "%s%s", stem, end);
    for (int again = 2; tfind(name, &s->given, cmd_convert_by_name); again++) {
        name = arena_printf(&s->names, "%s-%d%s", stem, again, end);
    }
    if (!tsearch(name, &s->given, cmd_convert_by_name)) {
        die("no memory");
    }
    return name;
}

static const char *convert_text_of(Arena *arena, const Program *p, bool line) {
    Text t = {.arena = arena};
    program_print(&t, p, line);
    text_add(&t, line ? "\n" : ""); /* a page ends with one */
    return t.v;
}

static bool cmd_convert_same(Arena *arena, const Program *p, Bytes bytes) {
    const Program *again = codec_decode(arena, bytes.v, bytes.n, &MUTATE_LIMITS, NULL, 0);
    return again &&
           strcmp(convert_text_of(arena, again, true), convert_text_of(arena, p, true)) == 0;
}

/* The program as bytes hold it: they state no `semantics`, which an engine follows by an option of
 * its own. */
static const Program *convertible(ConvertState *s, const Program *p) {
    if (p->semantics == SEMANTICS_NONE) {
        return p;
    }
    Program *plain = program_clone(&s->arena, p);
    plain->semantics = SEMANTICS_NONE;
    return plain;
}

static void convert_put_file(ConvertState *s, const ConvertFile *file) {
    char message[512];
    if (io_write(file->path, file->v, file->n, message, sizeof message)) {
        s->written++;
    } else {
        s->code = worst(s->code, complain(EXIT_ENVIRONMENT, "%s", message));
    }
}

static void cmd_convert_write_out(ConvertState *s, const char *source, bool json, const char *v,
                                  int64_t n) {
    if (!s->options->out) {
        fwrite(v, 1, (size_t)n, stdout);
        s->written++;
        return;
    }
    const char *path = arena_printf(&s->names, "%s/%s", s->options->out,
                                    cmd_convert_file_name(s, source, json ? ".json" : ".bytes"));
    if (s->holds) {
        s->held =
            array_reserve(&s->names, s->held, s->nheld, &s->held_capacity, 64, sizeof *s->held);
        s->held[s->nheld++] = (ConvertFile){path, arena_copy(&s->names, v, n), n};
    } else {
        convert_put_file(s, &(ConvertFile){path, v, n});
    }
}

/* The files that are held, if none of their names is taken; else false, after complaining. */
static bool convert_put_held(ConvertState *s) {
    for (int i = 0; i < s->nheld; i++) {
        if (access(s->held[i].path, F_OK) == 0) {
            s->code = worst(
                s->code, complain(EXIT_BAD_INPUT,
                                  "%.200s exists already: nothing is written (name another --out)",
                                  s->held[i].path));
            return false;
        }
    }
    for (int i = 0; i < s->nheld; i++) {
        convert_put_file(s, &s->held[i]);
    }
    return true;
}

static void convert_program(ConvertState *s, const char *name, const Program *p, bool json) {
    s->programs++;
    if (json) {
        const char *text = convert_text_of(&s->arena, p, !s->options->out);
        cmd_convert_write_out(s, name, true, text, (int64_t)strlen(text));
        return;
    }
    const Program *plain = convertible(s, p);
    Bytes bytes = codec_encode(&s->arena, plain);
    if (!cmd_convert_same(&s->arena, plain, bytes)) {
        s->code =
            worst(s->code,
                  complain(EXIT_BAD_INPUT,
                           "%s: larger than engines take (%lld elements a tensor, %lld statements)",
                           printable(&s->arena, name), (long long)MUTATE_LIMITS.max_elements,
                           (long long)MUTATE_LIMITS.max_statements));
    } else if (!s->options->out && s->programs > 1) {
        s->code = worst(
            s->code, complain(EXIT_BAD_INPUT, "the bytes of more than one program need --out DIR"));
    } else {
        s->reduced += plain != p;
        cmd_convert_write_out(s, name, false, (const char *)bytes.v, bytes.n);
    }
}

/* N mutants of a program, of one to MOST_CHANGES changes each; the K-th is named NAME.K. */
static void convert_mutants(ConvertState *s, const char *name, const Program *p, bool json) {
    enum { MOST_CHANGES = 4 };
    for (int64_t k = 1; k <= s->options->mutants; k++) {
        Rng rng = {s->options->seed + (uint64_t)s->programs};
        Program *mutant = NULL;
        for (int64_t changes = 1 + rng_below(&rng, MOST_CHANGES); changes > 0; changes--) {
            mutant = mutate_program(&s->arena, mutant ? mutant : p, NULL, rng_next(&rng),
                                    &MUTATE_LIMITS, NULL);
        }
        mutant->name =
            arena_printf(&s->arena, "%s.%lld", p->name ? p->name : "mutant", (long long)k);
        convert_program(s, name, mutant, json);
    }
}

static void cmd_convert_visit(void *user, const Source *source) {
    ConvertState *s = user;
    arena_reset(&s->arena);
    Program *p;
    int code = load_program(s->options, &s->arena, source, &p, NULL);
    s->code = worst(s->code, code);
    if (code == 0) {
        bool json = s->form == FORM_JSON || (s->form == FORM_OTHER && source_is_bytes(source));
        (s->options->mutants > 0 ? convert_mutants : convert_program)(s, source->name, p, json);
    }
}

static void convert_random(ConvertState *s, const GenerateOptions *generate) {
    for (int64_t i = 0; i < s->options->runs; i++) {
        arena_reset(&s->arena);
        const Program *p =
            generate_program_info(&s->arena, generate, s->options->seed, (uint64_t)i, NULL);
        (s->options->mutants > 0 ? convert_mutants : convert_program)(s, p->name, p,
                                                                      s->form != FORM_BYTES);
    }
}

static void convert_free_nothing(void *name) { (void)name; }

/* Does the folder hold anything? */
static bool convert_holds_any(const char *folder) {
    DIR *dir = opendir(folder);
    int n = 0; /* with "." and ".." */
    while (dir && readdir(dir)) {
        n++;
    }
    if (dir) {
        closedir(dir);
    }
    return n > 2;
}

int cmd_convert(const Options *o) {
    ConvertState s = {.options = o};
    char message[512];
    bool bytes = o->as && strcmp(o->as, "bytes") == 0;
    if (o->as && !bytes && strcmp(o->as, "json") != 0) {
        return complain(EXIT_BAD_INPUT, "--as is json or bytes, not '%.60s'", o->as);
    }
    if (o->nfiles == 0 && o->runs == 0) {
        return complain(EXIT_BAD_INPUT,
                        "convert needs files, directories, or --runs N random programs");
    }
    GenerateOptions generate;
    int code = generate_options(o, &generate);
    if (code != 0) {
        return code;
    }
    s.form = !o->as ? FORM_OTHER : bytes ? FORM_BYTES : FORM_JSON;
    if (o->out && !io_mkdirs(o->out, message, sizeof message)) {
        return complain(EXIT_ENVIRONMENT, "%s", message);
    }
    s.holds = o->out && convert_holds_any(o->out);
    for (int i = 0; i < o->nfiles; i++) {
        int64_t n = io_each_corpus(o->files[i], cmd_convert_visit, &s);
        s.code = worst(s.code, any_program(o->files[i], n));
    }
    convert_random(&s, &generate);
    bool put = convert_put_held(&s);
    if (put && o->out && !o->quiet) {
        printf("%lld programs converted", (long long)s.written);
        if (s.reduced) {
            printf(", %lld without their semantics, which bytes do not hold", (long long)s.reduced);
        }
        puts("");
    }
    tdestroy(s.given, convert_free_nothing);
    arena_destroy(&s.arena);
    arena_destroy(&s.names);
    return s.code;
}
