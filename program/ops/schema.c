/* ATen schema strings, read left to right: name, overload, parameters (type, alias mark, name,
 * default), returns. Parameters that mean nothing here (layout, device, pin_memory, memory_format,
 * generator) are skipped. A row that does not parse is a bug of this program: die. */
#include "program/ops/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static Arena texts; /* names and defaults; process-static, as the op table is */

typedef struct OpReader {
    const char *schema, *at;
} OpReader;

static _Noreturn void bad_row(const OpReader *r, const char *what) {
    die("ops.def: %s in `%s` at `%s`", what, r->schema, r->at);
}

static void skip_spaces(OpReader *r) { r->at += strspn(r->at, " "); }

static bool op_take(OpReader *r, const char *token) {
    skip_spaces(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n) != 0) {
        return false;
    }
    r->at += n;
    return true;
}

static void expect(OpReader *r, const char *token) {
    if (!op_take(r, token)) {
        bad_row(r, token);
    }
}

static const char *word(OpReader *r) {
    skip_spaces(r);
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') {
        n++;
    }
    if (n == 0) {
        bad_row(r, "a word was expected");
    }
    char *text = arena_alloc(&texts, (int64_t)n + 1);
    memcpy(text, r->at, n);
    r->at += n;
    return text;
}

/* The alias mark behind `Tensor`: (a), (a!), (a -> *). */
static void op_read_alias(OpReader *r, Param *p) {
    if (*r->at != '(') {
        return;
    }
    const char *close = strchr(r->at, ')');
    if (!close) {
        bad_row(r, "an alias mark without end");
    }
    p->aliased = true;
    p->writes = memchr(r->at, '!', (size_t)(close - r->at)) != NULL;
    r->at = close + 1;
}

/* Reads a type into p; false if parameters of this type are passed over. */
static bool read_type(OpReader *r, Param *p) {
    static const struct {
        const char *name;
        ArgType plain, optional;
        bool known;
    } types[] = {
        {"Tensor", ARG_TENSOR, ARG_TENSOR_OPT, true},
        {"Scalar", ARG_SCALAR, ARG_SCALAR_OPT, true},
        {"int", ARG_INT, ARG_INT_OPT, true},
        {"bool", ARG_BOOL, ARG_BOOL, true},
        {"float", ARG_FLOAT, ARG_FLOAT_OPT, true},
        {"ScalarType", ARG_DTYPE, ARG_DTYPE_OPT, true},
        {"str", ARG_STR, ARG_STR_OPT, true},
        {"Index", ARG_INDEX, ARG_INDEX, true},
        {"Value", ARG_VALUE, ARG_VALUE, true},
        {"Data", ARG_DATA, ARG_DATA, true},
        {"Layout", ARG_INT, ARG_INT, false},
        {"Device", ARG_INT, ARG_INT, false},
        {"MemoryFormat", ARG_INT, ARG_INT, false},
        {"Generator", ARG_INT, ARG_INT, false},
    };
    const char *name = word(r);
    for (int k = 0; k < COUNT_OF(types); k++) {
        if (strcmp(name, types[k].name) != 0) {
            continue;
        }
        p->type = types[k].plain;
        op_read_alias(r, p);
        bool optional = *r->at == '?' && (r->at++, true);
        if (*r->at == '[') {
            p->list_size = (int)strtol(r->at + 1, NULL, 10);
            r->at = strchr(r->at, ']') + 1;
            bool optional_list = *r->at == '?' && (r->at++, true);
            if (p->type == ARG_TENSOR) {
                p->type = optional ? ARG_TENSORS_OPT : ARG_TENSORS;
            } else if (p->type == ARG_INT) {
                p->type = optional_list ? ARG_INTS_OPT : ARG_INTS;
            } else {
                bad_row(r, "a list of an unknown kind");
            }
        } else if (optional) {
            p->type = types[k].optional;
        }
        return types[k].known;
    }
    bad_row(r, "an unknown type");
}

static Scalar op_read_scalar(OpReader *r) {
    if (op_take(r, "True")) {
        return scalar_bool(true);
    }
    if (op_take(r, "False")) {
        return scalar_bool(false);
    }
    size_t n = strspn(r->at, "+-0123456789.e");
    bool integral = strcspn(r->at, ".e") >= n;
    char *end;
    Scalar s = integral ? scalar_int(strtoll(r->at, &end, 10)) : scalar_float(strtod(r->at, &end));
    r->at += n;
    return s;
}

/* A list of ints: [], [0,1]; a single int stands for all of an int[2]. */
static void read_list(OpReader *r, Arg *arg, int list_size) {
    int64_t v[MAX_DIMS];
    if (!op_take(r, "[")) {
        v[0] = op_read_scalar(r).i;
        for (arg->ints.n = 1; arg->ints.n < list_size; arg->ints.n++) {
            v[arg->ints.n] = v[0];
        }
        arg->ints.v = arena_copy(&texts, v, (int64_t)sizeof *v * arg->ints.n);
        return;
    }
    while (!op_take(r, "]")) {
        CHECK(arg->ints.n < MAX_DIMS);
        v[arg->ints.n++] = op_read_scalar(r).i;
        (void)op_take(r, ",");
    }
    arg->ints.v = arg->ints.n > 0 ? arena_copy(&texts, v, (int64_t)sizeof *v * arg->ints.n) : NULL;
}

static void read_default(OpReader *r, Param *p) {
    p->has_default = true;
    if (op_take(r, "None")) {
        p->def.none = true;
        return;
    }
    switch (p->type) {
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        p->def.scalar = op_read_scalar(r);
        return;
    case ARG_INT:
    case ARG_INT_OPT:
        p->def.i = op_read_scalar(r).i;
        return;
    case ARG_BOOL:
        p->def.b = op_read_scalar(r).i != 0;
        return;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        p->def.f = scalar_to_double(op_read_scalar(r));
        return;
    case ARG_INTS:
    case ARG_INTS_OPT:
        read_list(r, &p->def, p->list_size);
        return;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        expect(r, "long");
        p->def.dtype = DT_int64;
        return;
    case ARG_STR:
        expect(r, "'");
        p->def.str = word(r);
        expect(r, "'");
        return;
    default:
        bad_row(r, "a default of an unknown kind");
    }
}

static void read_params(OpReader *r, OpInfo *op) {
    expect(r, "(");
    bool kwonly = false;
    while (!op_take(r, ")")) {
        if (op_take(r, "*")) {
            kwonly = true;
        } else {
            Param p = {.kwonly = kwonly};
            bool known = read_type(r, &p);
            p.name = word(r);
            bool counts = known && strcmp(p.name, "pin_memory") != 0;
            if (op_take(r, "=")) {
                if (counts) {
                    read_default(r, &p);
                } else {
                    (void)word(r);
                }
            }
            if (counts) {
                CHECK(op->nparam < MAX_PARAMS);
                bool out = op->out_dtype != OUT_NOT && p.writes;
                if (out) { /* the first one, like all that is written */
                    p.name = "into";
                    memmove(op->param + 1, op->param, sizeof p * (size_t)op->nparam);
                }
                p.key = name_key(p.name);
                op->names |= name_bit(p.key);
                op->param[out ? 0 : op->nparam] = p;
                op->nparam++;
            }
        }
        (void)op_take(r, ",");
    }
}

static void read_returns(OpReader *r, OpInfo *op) {
    expect(r, "->");
    if (op_take(r, "()")) {
        return;
    }
    bool tuple = op_take(r, "(");
    do {
        Param p = {0};
        skip_spaces(r);
        if (!read_type(r, &p)) {
            bad_row(r, "a return of an unknown kind");
        }
        op->returns_alias |= p.aliased;
        op->nreturn = p.type == ARG_TENSORS ? -1 : op->nreturn + 1;
        skip_spaces(r);
        if (tuple && isalpha((unsigned char)*r->at)) {
            (void)word(r);
        }
    } while (tuple && op_take(r, ","));
    if (tuple) {
        expect(r, ")");
    }
    skip_spaces(r);
    if (*r->at) {
        bad_row(r, "text after the returns");
    }
}

void schema_read(OpInfo *op) {
    OpReader r = {op->schema, op->schema};
    op->name = word(&r);
    op->overload = *r.at == '.' ? (r.at++, word(&r)) : "";
    read_params(&r, op);
    read_returns(&r, op);
}

/* The operand list of a POINTWISE row: "self,min=lo,max=hi". */
void schema_read_operands(OpInfo *op, const char *operands) {
    OpReader reader = {op->schema, operands}, *r = &reader;
    do {
        CHECK(op->noperand < PW_MAX_OPERANDS);
        int k = op->noperand++;
        op->operand[k] = op_param(op, word(r));
        if (op->operand[k] < 0) {
            bad_row(r, "an operand that is no parameter");
        }
        op->operand_missing[k] = op_take(r, "=lo") ? -1 : op_take(r, "=hi") ? 1 : 0;
    } while (op_take(r, ","));
    CHECK(op->noperand == pw_info(op->pw)->arity || (op->noperand < pw_info(op->pw)->arity));
}

/* One item of the column `saves`: "self", or "self:other", or "result". */
static void read_saved(OpInfo *op, const char *item, size_t length) {
    size_t name = strcspn(item, ":,");
    int what = -1, condition = -1;
    for (int k = 0; k < op->nparam; k++) {
        const char *param = op->param[k].name;
        size_t n = strlen(param);
        what = n == name && memcmp(param, item, n) == 0 ? k : what;
        condition =
            name < length && n == length - name - 1 && memcmp(param, item + name + 1, n) == 0
                ? k
                : condition;
    }
    if (name < length && condition < 0) {
        die("ops.def: %s saves `%s`: no such parameter", op->name, item);
    }
    uint16_t when = (uint16_t)(name < length ? 1 << condition : SAVED_ALWAYS);
    op->saves_any |= when;
    if (what >= 0) {
        op->saved[what] |= when;
    } else if (name == strlen("result") && memcmp(item, "result", name) == 0) {
        op->saves_result |= when;
    }
}

void schema_read_saves(OpInfo *op) {
    for (const char *at = op->saves; *(at += strspn(at, ", ")); at += strcspn(at, ",")) {
        read_saved(op, at, strcspn(at, ", "));
    }
}
