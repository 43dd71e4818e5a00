/* One walk for both directions: every function takes the value to write and gives back the value
 * read (or written), so that the encoder and the decoder cannot disagree. While reading, any byte
 * is a value, and past the end every byte is 0. */
#ifndef FUZZ_CODER_H
#define FUZZ_CODER_H

#include "fuzz/codec/codec.h"

typedef struct Stream {
    uint8_t *v; /* encoding: grows; the back stream is reversed at the end */
    int64_t n, capacity;
} Stream;

typedef struct Coder {
    bool encoding;
    Arena *arena;
    const Limits *limits;
    const uint8_t *v; /* decoding: the bytes, `front` and `back` of them read */
    int64_t n, front, back;
    Stream head, tail;
    Program *p;   /* read from or built */
    Names names;  /* decoding: interned so far */
    NameId *name; /* by index in the table of names; `nname` of them */
    int nname;
    int64_t statements;       /* decoded so far */
    bool has_functions;       /* format version 2 */
    bool has_after;           /* ... and caller code after the call, and what it needs */
    bool has_forms;           /* ... and Python around calls and results, and blocks for targets */
    const Function *function; /* the one whose statements come, or NULL */
} Coder;

/* ---- streams (coder.c) ---- */
uint8_t code_front(Coder *c, uint8_t byte);
uint8_t code_back(Coder *c, uint8_t byte);
/* One of 0..n-1, n up to 65536. */
int code_choice(Coder *c, int value, int n);
bool code_flag(Coder *c, bool value);
/* A flag that random bytes seldom set. */
bool code_rare(Coder *c, bool value);
/* A number of items, 0..most, small ones likely. Every item takes a byte or more: no more are read
 * than there are bytes. */
int64_t code_count(Coder *c, int64_t count, int64_t most);
/* Any int64, from the back: one byte for small ones. */
int64_t code_int(Coder *c, int64_t value);
double code_double(Coder *c, double value);
Scalar code_scalar(Coder *c, Scalar value);
/* Elements of a dtype, as bits; bools are 0 or 1. `data` has room for n. */
void code_elements(Coder *c, void *data, DType dtype, int64_t n);
/* Text without control characters, as JSON strings may hold it; what is not UTF-8 becomes "". */
const char *code_text(Coder *c, const char *text);

/* ---- names (codec/names.c) ---- */
/* The table of names, which goes before all else. */
void code_names(Coder *c);
NameId code_name(Coder *c, NameId name);
/* A list of names, NAME_NONE among them where `nulls`; *n of them. */
NameId *code_name_list(Coder *c, NameId *names, int *n, bool nulls);

/* ---- parts of a program ---- */
/* codec/inputs.c: the inputs of a call; `like` are the function's own (a recall has their names),
 * or NULL. */
Input *code_inputs(Coder *c, Input *inputs, int *n, const Input *like);
/* codec/functions.c: the functions of the program, and a statement that applies one. */
void code_functions(Coder *c);
void code_apply(Coder *c, Stmt *s);
void code_hook(Coder *c, Stmt *s);
/* Is there a function with a backward, or (`plain`) one without? */
bool codec_has_function(const Coder *c, bool plain);
/* codec/stmt.c: a block at this depth of nesting. */
void code_block(Coder *c, Block *block, int depth);
/* codec.c: `x-` members as canonical JSON, or NULL. */
const char *code_extra(Coder *c, const char *extra);

#endif
