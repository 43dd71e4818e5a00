/* The lexer of a graph's text, for ir/parse.c. Every function consumes what it reads, or records
 * the first error ("line 3, column 7: ..") and returns false. */
#ifndef COMPILED_GRAPH_SCAN_H
#define COMPILED_GRAPH_SCAN_H

#include "compiled/ir/graph.h"

enum { MAX_IDS = 1 << 20 };

typedef struct Scanner {
    Arena *arena;
    const Program *program; /* or NULL */
    Graph *graph;           /* being read */
    const char *at, *line_start;
    int line;
    Node **by_id; /* nodes defined so far */
    int ids;
    char *message;
    size_t message_size;
    bool failed;
} Scanner;

bool scan_bad(Scanner *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Consumes `word` if it is next; scan_need reports an error otherwise. */
bool scan_take(Scanner *p, const char *word);
bool scan_need(Scanner *p, const char *word);
bool scan_int(Scanner *p, int64_t *out);
/* A number from 0 to limit - 1. */
bool scan_small(Scanner *p, int *out, int limit);
/* Letters, digits and underscores. */
bool scan_word(Scanner *p, char *out, size_t size);
/* f32[2, 3; 3, 1]+4 */
bool scan_layout(Scanner *p, Tensor *t);
/* %5, or None where `optional`. */
bool scan_ref(Scanner *p, Node **out, bool optional);
/* One argument of a call; `dtype` is the node's, for literal data. */
bool scan_arg(Scanner *p, ArgType type, DType dtype, Arg *arg);

#endif
