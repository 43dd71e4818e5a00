/* A whole program, part by part: names, inputs, statements, then what is called how often and what
 * is compared.
 *
 * The parts that must agree with each other (args with inputs, recalls with parameters, `of` with
 * returns) are corrected while they are read. What carries no structure (name, note, `x-`
 * members, expect) is kept as text, and dropped if it does not parse. */
#include "fuzz/codec/coder.h"

#include <stdio.h>
#include <string.h>

const char *code_extra(Coder *c, const char *extra) {
    if (!code_rare(c, extra != NULL)) {
        return NULL;
    }
    const char *text = code_text(c, extra);
    if (c->encoding) {
        return extra;
    }
    const char *whole =
        arena_printf(c->arena, "{\"twingrad\": 1, \"body\": [], \"return\": [], %s}", text);
    char message[256];
    Program *p;
    bool ok =
        program_parse(c->arena, whole, strlen(whole), &p, message, sizeof message) == PARSE_OK;
    return ok && p->nreturns == 0 && !p->body.first && !p->name && !p->inputs_given ? p->extra
                                                                                    : NULL;
}

static const char *code_optional_text(Coder *c, const char *text) {
    if (!code_rare(c, text != NULL)) {
        return NULL;
    }
    const char *read = code_text(c, text);
    return c->encoding ? text : read;
}

/* ---- what the calls are given ---- */

static bool binds(const Block *block, NameId name) {
    for (const Stmt *s = block->first; s; s = s->next) {
        for (int i = 0; i < s->nout; i++) {
            if (s->out[i] == name) {
                return true;
            }
        }
        if (binds(&s->body, name) || binds(&s->orelse, name)) {
            return true;
        }
    }
    return false;
}

/* An input, or a name that setup binds. */
static bool may_be_argument(const Program *p, NameId name) {
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].name == name) {
            return true;
        }
    }
    return binds(&p->setup, name);
}

static bool contains(const NameId *names, int n, NameId name) {
    for (int i = 0; i < n; i++) {
        if (names[i] == name) {
            return true;
        }
    }
    return false;
}

static void code_args(Coder *c, Program *p) {
    p->args_given = code_flag(c, p->args_given);
    if (!p->args_given) {
        p->nargs = 0;
        return;
    }
    p->args = code_name_list(c, p->args, &p->nargs, false);
    int kept = 0;
    for (int i = 0; i < p->nargs; i++) {
        if (may_be_argument(p, p->args[i]) && !contains(p->args, kept, p->args[i])) {
            p->args[kept++] = p->args[i];
        }
    }
    p->nargs = kept;
}

static bool code_given_flag(Coder *c, bool *given, bool value, bool otherwise) {
    *given = code_flag(c, *given);
    return *given ? code_flag(c, value) : otherwise;
}

static void code_set(Coder *c, Recall *r, const Program *p) {
    if (!code_flag(c, r->set != NULL)) {
        r->set = NULL;
        r->nset = 0;
        return;
    }
    int n = (int)code_count(c, r->nset, MAX_NAMES), kept = 0;
    if (!c->encoding) {
        r->set = arena_alloc(c->arena, (int64_t)sizeof *r->set * max_i64(n, 1));
    }
    for (int i = 0; i < n; i++) {
        NameId name = code_name(c, r->set[i].name);
        bool flag = code_flag(c, r->set[i].requires_grad), twice = false;
        for (int k = 0; k < kept; k++) {
            twice |= r->set[k].name == name;
        }
        if (!twice && may_be_argument(p, name)) {
            r->set[kept].name = name;
            r->set[kept++].requires_grad = flag;
        }
    }
    r->nset = kept;
}

static void code_recall(Coder *c, Recall *r, const Program *p) {
    typedef enum CodecForm { ARRAY, OBJECT, KEEP, FORMS } CodecForm;
    CodecForm form = (CodecForm)code_choice(c,
                                            r->keep          ? KEEP
                                            : r->object_form ? OBJECT
                                                             : ARRAY,
                                            FORMS);
    r->keep = form == KEEP;
    r->object_form = form != ARRAY;
    r->keep_grads = r->keep && c->has_after && code_flag(c, r->keep_grads);
    if (r->keep) {
        code_set(c, r, p);
    } else {
        r->ninputs = p->ninputs;
        r->inputs = p->ninputs > 0 ? code_inputs(c, r->inputs, &r->ninputs, p->inputs) : NULL;
    }
    if (r->object_form) {
        r->grad_mode = code_given_flag(c, &r->grad_mode_given, r->grad_mode, true);
        r->extra = code_extra(c, r->extra);
    } else {
        r->grad_mode = true;
    }
}

static void code_backward(Coder *c, Backward *b, int nreturns) {
    b->given = code_flag(c, b->given);
    b->nof = b->given || c->encoding ? b->nof : 0;
    if (!b->given) {
        return;
    }
    b->fill = (FillKind)code_choice(c, (int)b->fill, FILL_COUNT);
    b->seed = (uint64_t)code_int(c, (int64_t)b->seed);
    if (code_rare(c, b->nof >= 0)) {
        int n = (int)code_count(c, b->nof, MAX_NAMES), kept = 0;
        b->of = c->encoding ? b->of : arena_array(c->arena, int, n + 1);
        for (int i = 0; i < n && nreturns > 0; i++) {
            int index = code_choice(c, b->of[i], (int)min_i64(nreturns, 65536));
            bool twice = false;
            for (int k = 0; k < kept; k++) {
                twice |= b->of[k] == index;
            }
            if (!twice) {
                b->of[kept++] = index;
            }
        }
        b->nof = kept;
    } else {
        b->nof = -1;
    }
    b->extra = code_extra(c, b->extra);
}

/* ---- the Python surface ---- */

/* body[3].then[0]: steps of a label and an index. */
static const char *code_path(Coder *c, const char *path) {
    static const char *const roots[] = {"body", "setup", "after"}, *const inner[] = {"body", "then",
                                                                                     "else"};
    char text[MAX_NESTING * 24 + 64];
    size_t n = 0;
    for (int step = 0; step <= MAX_NESTING; step++) {
        const char *const *labels = step == 0 ? roots : inner;
        int count = step == 0 ? 2 + c->has_after : 3, label = 0;
        long long index = 0;
        for (int k = 0; k < count && c->encoding; k++) {
            size_t length = strlen(labels[k]);
            if (strncmp(path, labels[k], length) == 0 && path[length] == '[') {
                label = k;
                sscanf(path + length, "[%lld]", &index);
            }
        }
        label = code_choice(c, label, count);
        index = code_int(c, index) & 0x1FFFFFFF;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s[%lld]", step ? "." : "",
                              labels[label], index);
        const char *dot = c->encoding ? strchr(path, '.') : NULL;
        path = dot ? dot + 1 : path;
        if (!code_rare(c, dot != NULL)) {
            break;
        }
    }
    return arena_strdup(c->arena, text);
}

static void code_choices(Coder *c, PathChoices *choices, int count) {
    if (!(choices->given = code_flag(c, choices->given))) {
        return;
    }
    int n = (int)code_count(c, choices->n, MAX_NAMES), kept = 0;
    choices->v = c->encoding ? choices->v
                             : arena_alloc(c->arena, (int64_t)sizeof *choices->v * max_i64(n, 1));
    for (int i = 0; i < n; i++) {
        const char *path = code_path(c, choices->v[i].path);
        int choice = code_choice(c, choices->v[i].choice, count);
        bool twice = false;
        for (int k = 0; k < kept; k++) {
            twice |= strcmp(choices->v[k].path, path) == 0;
        }
        if (!twice) {
            choices->v[kept].path = path;
            choices->v[kept++].choice = choice;
        }
    }
    choices->n = kept;
}

static void code_bindings(Coder *c, PythonSurface *s) {
    int n = (int)code_count(c, s->nbindings, MAX_NAMES), kept = 0;
    s->bindings = c->encoding ? s->bindings
                              : arena_alloc(c->arena, (int64_t)sizeof *s->bindings * max_i64(n, 1));
    for (int i = 0; i < n; i++) {
        NameId name = code_name(c, s->bindings[i].name);
        BindingKind binding =
            (BindingKind)code_choice(c, (int)s->bindings[i].binding, BINDING_COUNT);
        bool twice = false;
        for (int k = 0; k < kept; k++) {
            twice |= s->bindings[k].name == name;
        }
        if (!twice) {
            s->bindings[kept].name = name;
            s->bindings[kept++].binding = binding;
        }
    }
    s->nbindings = kept;
}

static void code_outline(Coder *c, PythonSurface *s) {
    enum { FAR = 0x3FFFFFFF };
    s->noutline = (int)code_count(c, s->noutline, MAX_NAMES);
    s->outline = c->encoding
                     ? s->outline
                     : arena_alloc(c->arena, (int64_t)sizeof *s->outline * max_i64(s->noutline, 1));
    for (int i = 0; i < s->noutline; i++) {
        int64_t from = code_int(c, s->outline[i].from),
                length = code_int(c, s->outline[i].to - s->outline[i].from);
        if (!c->encoding) {
            s->outline[i].from = from & FAR;
            s->outline[i].to = s->outline[i].from + (length & FAR);
        }
    }
}

static PythonSurface *code_surface(Coder *c, PythonSurface *s) {
    if (!code_rare(c, s != NULL)) {
        return NULL;
    }
    s = c->encoding ? s : arena_new(c->arena, PythonSurface);
    s->wrap_given = code_flag(c, s->wrap_given);
    s->wrap = s->wrap_given ? (Wrap)code_choice(c, (int)s->wrap, WRAP_COUNT) : WRAP_function;
    if ((s->bindings_given = code_flag(c, s->bindings_given))) {
        code_bindings(c, s);
    }
    code_choices(c, &s->call_styles, STYLE_COUNT);
    if (c->has_forms) {
        code_choices(c, &s->forms, FORM_COUNT);
        s->leave_given = code_flag(c, s->leave_given);
        s->leave = s->leave_given ? (Leave)code_choice(c, (int)s->leave, LEAVE_COUNT) : 0;
    }
    if ((s->outline_given = code_flag(c, s->outline_given))) {
        code_outline(c, s);
    }
    s->instances_given = code_flag(c, s->instances_given);
    s->instances =
        s->instances_given ? 1 + code_choice(c, c->encoding ? (int)s->instances - 1 : 0, 1024) : 1;
    s->extra = code_extra(c, s->extra);
    return s;
}

/* ---- the whole ---- */

static Result *code_expect(Coder *c, Result *expect, const Program *p) {
    if (!code_rare(c, expect != NULL)) {
        return NULL;
    }
    Text text = {.arena = c->arena};
    if (c->encoding) {
        result_print(&text, expect, p);
        code_text(c, text.v);
        return expect;
    }
    const char *read = code_text(c, NULL);
    char message[256];
    Result *r = NULL;
    return result_parse(c->arena, read, strlen(read), p, &r, message, sizeof message) == PARSE_OK
               ? r
               : NULL;
}

static CompileSettings *code_compile(Coder *c, CompileSettings *settings) {
    if (!code_rare(c, settings != NULL)) {
        return NULL;
    }
    Text text = {.arena = c->arena};
    if (c->encoding) {
        compile_print(&text, settings);
        code_text(c, text.v);
        return settings;
    }
    const char *read = code_text(c, NULL);
    return compile_parse(c->arena, read, strlen(read));
}

/* The first byte: which parts of format version 2 the bytes may describe. */
enum { WITH_FUNCTIONS = 2, WITH_AFTER = 3, WITH_FORMS = 4, WITH_SEED = 5 };

static int code_parts(const Program *p) {
    if (p->seed_given) {
        return WITH_SEED;
    }
    if ((p->surface && (p->surface->forms.given || p->surface->leave_given)) ||
        program_has_context_block(p)) {
        return WITH_FORMS;
    }
    return program_sees_grads(p) || p->after_given || p->after.first ? WITH_AFTER
                                                                     : program_format(p);
}

static void code_program(Coder *c) {
    Program *p = c->p;
    uint8_t parts = code_front(c, (uint8_t)(c->encoding ? code_parts(p) : 0));
    c->has_functions = parts >= WITH_FUNCTIONS && parts <= WITH_SEED;
    c->has_after = parts >= WITH_AFTER && parts <= WITH_SEED;
    c->has_forms = parts == WITH_FORMS || parts == WITH_SEED;
    p->seed_given = parts == WITH_SEED;
    code_names(c);
    if (c->has_functions) {
        code_functions(c);
    }
    p->inputs_given = code_flag(c, p->inputs_given);
    if (p->inputs_given) {
        p->inputs = code_inputs(c, p->inputs, &p->ninputs, NULL);
    }
    code_block(c, &p->body, 0);
    p->returns = code_name_list(c, p->returns, &p->nreturns, false);
    p->nreturns = p->nreturns < MAX_RETURNS ? p->nreturns : MAX_RETURNS;
    code_backward(c, &p->backward, p->nreturns);
    p->seed = p->seed_given ? (uint64_t)code_int(c, (int64_t)p->seed) : 0;
    if ((p->setup_given = code_rare(c, p->setup_given))) {
        code_block(c, &p->setup, 0);
    }
    if (c->has_after && (p->after_given = code_rare(c, p->after_given))) {
        code_block(c, &p->after, 0);
    }
    code_args(c, p);
    p->grad_mode = code_given_flag(c, &p->grad_mode_given, p->grad_mode, true);
    if ((p->recalls_given = code_flag(c, p->recalls_given))) {
        p->nrecalls = (int)code_count(c, p->nrecalls, MAX_RECALLS);
        p->recalls = c->encoding ? p->recalls : arena_array(c->arena, Recall, p->nrecalls);
        for (int k = 0; k < p->nrecalls; k++) {
            code_recall(c, &p->recalls[k], p);
        }
    }
    p->surface = code_surface(c, p->surface);
    p->name = code_optional_text(c, p->name);
    p->note = code_optional_text(c, p->note);
    p->extra = code_extra(c, p->extra);
    if (!c->encoding) {
        p->names = c->names.v;
        p->nnames = c->names.n;
        program_number(p);
    }
    p->expect = code_expect(c, p->expect, p);
    p->compile = code_compile(c, p->compile);
}

Bytes codec_encode(Arena *arena, const Program *p) {
    return codec_encode_last(arena, program_clone(arena, p));
}

Bytes codec_encode_last(Arena *arena, Program *p) {
    Coder c = {.encoding = true, .arena = arena, .limits = &LIMITS_DEFAULT, .p = p};
    code_program(&c);
    Bytes bytes = {arena_alloc_raw(arena, c.head.n + c.tail.n), c.head.n + c.tail.n};
    memcpy(bytes.v, c.head.v, (size_t)c.head.n);
    for (int64_t i = 0; i < c.tail.n; i++) {
        bytes.v[bytes.n - 1 - i] = c.tail.v[i];
    }
    return bytes;
}

Program *codec_decode(Arena *arena, const uint8_t *v, int64_t n, const Limits *limits,
                      char *message, size_t message_size) {
    Program *p = NULL;
    if (n > 0 && v[0] == '{') {
        bool ok = program_parse_within(arena, (const char *)v, (size_t)n, limits, &p, message,
                                       message_size) == PARSE_OK;
        return ok && program_verify_within(p, limits, message, message_size) ? p : NULL;
    }
    p = arena_new(arena, Program);
    p->arena = arena;
    Coder c = {.arena = arena, .limits = limits, .v = v, .n = n, .p = p, .names = {.arena = arena}};
    code_program(&c);
    return p;
}
