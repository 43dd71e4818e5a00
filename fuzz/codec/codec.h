/* The byte codec: programs as bytes, for engines that mutate bytes (docs/internals/generator.md,
 * "Bytes").
 *
 * Total: any bytes decode to some well-formed program. Exact: a program encoded and decoded again
 * is the same program. Local: decisions of structure are read from the front, data from the end, so
 * that a changed byte changes one decision and a changed number of statements does not move the
 * data. Versioned: the first byte names the code; a first byte `{` selects the JSON of
 * docs/reference/format.md. */
#ifndef FUZZ_CODEC_H
#define FUZZ_CODEC_H

#include "program/json/json.h"

typedef struct Bytes {
    uint8_t *v;
    int64_t n;
} Bytes;

/* The program that the bytes encode, in `arena`, within `limits` (elements, bytes, statements:
 * larger ones are cut). Bytes do not hold the semantics, which are an option of the run. Fails only
 * for JSON that is malformed or names an unknown op: then NULL, and the parser's error in
 * `message`. */
Program *codec_decode(Arena *arena, const uint8_t *v, int64_t n, const Limits *limits,
                      char *message, size_t message_size);

/* The bytes of a well-formed program, in `arena`. codec_decode of them prints as `p` prints, if
 * `p` is within the limits. */
Bytes codec_encode(Arena *arena, const Program *p);

/* The same without copying `p`, which is not valid afterwards. */
Bytes codec_encode_last(Arena *arena, Program *p);

#endif
