/* Entries: the functions that a fuzzing engine calls with bytes, in its process. Each
 * fuzz/engines/entry_NAME.c is one target; libFuzzer, AFL++ and any engine with their interface
 * link it, and fuzz/engines/entry_main.c replays files through it without one. */
#ifndef HARNESS_ENTRY_H
#define HARNESS_ENTRY_H

#include "harness/check/check.h"

/* Decodes the bytes within MUTATE_LIMITS and checks the program on a pair of executors. A
 * finding ends the process by entry_fail, or, with -DRECORD, goes to the folder `findings` (one
 * file a signature, the bytes that showed it first) and the process goes on. */
void entry_check(const char *pair, const uint8_t *v, size_t n);

/* Decoding, encoding, printing and parsing of the bytes: they must agree with each other. */
void entry_codec(const uint8_t *v, size_t n);

/* The bytes as JSON text: refused with a sentence, or printed to a fixed point. */
void entry_json(const uint8_t *v, size_t n);

#endif
