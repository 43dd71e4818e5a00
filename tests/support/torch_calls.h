/* Reads tests/data/torch_calls.tsv: calls of single ops with the results of PyTorch 1.13.1 (the
 * head of the file documents the format). Both executors share inference and kernels, so comparing
 * the executors cannot test these; this file does. */
#ifndef TESTS_TORCH_CALLS_H
#define TESTS_TORCH_CALLS_H

#include "program/ops/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TorchCall {
    char *text; /* the whole line, for messages */
    Call call;
    ErrCode code; /* the error, or ERR_none */
    bool exact;
    char *answer; /* the text after = or ~ */
} TorchCall;

/* A cursor over words separated by spaces. */
typedef struct Words {
    const char *at;
    char word[64];
} Words;

static inline const char *next_word(Words *w) {
    w->at += strspn(w->at, " ");
    size_t n = strcspn(w->at, " ");
    CHECK(n < sizeof w->word);
    memcpy(w->word, w->at, n);
    w->word[n] = 0;
    w->at += n;
    return w->word;
}

static inline int64_t next_int(Words *w) { return strtoll(next_word(w), NULL, 10); }

static inline DType next_dtype(Words *w) {
    DType dtype = DT_float32;
    CHECK(dtype_parse(next_word(w), &dtype));
    return dtype;
}

static inline void store_word(void *data, DType dtype, int64_t i, const char *word) {
    if (dtype_is_float(dtype)) {
        element_store_double(data, dtype, i, strtod(word, NULL));
    } else {
        element_store_int(data, dtype, i, strtoll(word, NULL, 10));
    }
}

static inline Tensor *next_tensor(Words *w, Arena *arena) {
    Tensor *t = arena_new(arena, Tensor);
    t->dtype = next_dtype(w);
    t->ndim = (int)next_int(w);
    CHECK(t->ndim <= MAX_DIMS);
    for (int d = 0; d < t->ndim; d++) {
        t->size[d] = next_int(w);
    }
    for (int d = 0; d < t->ndim; d++) {
        t->stride[d] = next_int(w);
    }
    t->offset = next_int(w);
    t->storage = storage_new(arena, t->dtype, next_int(w));
    for (int64_t i = 0; i < t->storage->numel; i++) {
        store_word(t->storage->data, t->dtype, i, next_word(w));
    }
    return t;
}

static inline Scalar next_scalar(Words *w) {
    char kind = *next_word(w);
    const char *value = next_word(w);
    return kind == 'f'   ? scalar_float(strtod(value, NULL))
           : kind == 'b' ? scalar_bool(*value == '1')
                         : scalar_int(strtoll(value, NULL, 10));
}

static inline Arg next_arg(Words *w, Arena *arena, const Param *param) {
    Arg a = {0};
    int64_t *ints;
    switch (*next_word(w)) {
    case '_':
        return param->def;
    case 'N':
        a.none = true;
        break;
    case 'T':
        a.tensor = next_tensor(w, arena);
        break;
    case 'L':
        a.tensors.n = (int)next_int(w);
        a.tensors.v = arena_array(arena, Tensor *, a.tensors.n);
        for (int k = 0; k < a.tensors.n; k++) {
            a.tensors.v[k] = *next_word(w) == 'N' ? NULL : next_tensor(w, arena);
        }
        break;
    case 'S':
        a.scalar = next_scalar(w);
        break;
    case 'I':
        a.i = next_int(w);
        break;
    case 'V':
        a.ints.n = (int)next_int(w);
        ints = arena_array(arena, int64_t, a.ints.n);
        for (int k = 0; k < a.ints.n; k++) {
            ints[k] = next_int(w);
        }
        a.ints.v = ints;
        break;
    case 'B':
        a.b = next_int(w) != 0;
        break;
    case 'D':
        a.dtype = next_dtype(w);
        break;
    case 's':
        a.str = arena_strdup(arena, next_word(w));
        break;
    default:
        CHECK(!"a kind of argument");
    }
    return a;
}

static inline const OpInfo *op_by_id_name(const char *name) {
    for (int id = 0; id < OP_COUNT; id++) {
        if (strcmp(op_info((OpId)id)->id_name, name) == 0) {
            return op_info((OpId)id);
        }
    }
    return NULL;
}

/* Reads the next recorded call into `arena`; false at the end of the file. */
static inline bool torch_call_read(FILE *file, Arena *arena, TorchCall *c) {
    char line[4096];
    do {
        if (!fgets(line, sizeof line, file)) {
            return false;
        }
    } while (line[0] == '#');
    line[strcspn(line, "\n")] = 0;
    c->text = arena_strdup(arena, line);
    char *tab = strchr(c->text, '\t');
    CHECK(tab);
    Words w = {arena_strdup(arena, line), ""};
    *strchr(w.at, '\t') = 0;
    memset(&c->call, 0, sizeof c->call);
    c->call.op = op_by_id_name(next_word(&w));
    CHECK(c->call.op);
    for (int k = 0; k < c->call.op->nparam; k++) {
        c->call.arg[k] = next_arg(&w, arena, &c->call.op->param[k]);
    }
    c->answer = tab + 2;
    c->exact = tab[1] == '=';
    c->code = ERR_none;
    if (strncmp(tab + 1, "error ", 6) == 0) {
        CHECK(errcode_parse(tab + 7, &c->code));
    }
    return true;
}

static inline FILE *torch_calls_open(void) {
    FILE *file = fopen("tests/data/torch_calls.tsv", "r");
    CHECK(file && "tests run from the root of the tree");
    return file;
}

#endif
