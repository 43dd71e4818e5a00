/* The system's C compiler and the cache of what it has made: from C text to a loaded shared
 * object. */
#ifndef COMPILED_NATIVE_COMPILER_H
#define COMPILED_NATIVE_COMPILER_H

#include "compiled/core/native_tier.h"

/* 128 bits, as the hash stands for the text: two plans with one hash would share code. */
typedef struct TextHash {
    uint64_t a, b;
} TextHash;

TextHash text_hash_start(void);
/* The hash with `n` more bytes. */
TextHash text_hash_add(TextHash h, const char *text, size_t n);
/* 32 hex digits and a NUL. */
void text_hash_name(TextHash h, char out[33]);

/* One is used by one thread at a time; several may share a folder. */
typedef struct NativeCompiler {
    char command[256];
    char folder[4096]; /* of the cache, or of temporary files only; empty: none was opened */
    bool keep;         /* shared objects stay in the folder */
    TextHash machine;  /* command, version and instruction sets */
} NativeCompiler;

/* Finds the compiler, opens the folder and compiles a test file. On failure returns false and a
 * message; compiler_close is due in both cases. */
bool compiler_open(NativeCompiler *n, const NativeSettings *settings, char *message, size_t size);
void compiler_close(NativeCompiler *n);
/* Loads the object of `text` from the cache, or compiles it; the result is for dlclose. On failure
 * returns NULL and a message. */
void *compiler_load(const NativeCompiler *n, const char *text, int64_t length, char *message,
                    size_t size);

#endif
