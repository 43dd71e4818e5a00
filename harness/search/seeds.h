/* Seeds of a search: the programs of a corpus, which stand for the first ones of the stream. The
 * others keep their numbers. */
#ifndef HARNESS_SEARCH_SEEDS_H
#define HARNESS_SEARCH_SEEDS_H

#include "harness/util/io.h"
#include "program/lang/result.h"

typedef struct SearchSeed {
    Program *program;
    const char *source; /* FILE, or FILE.jsonl:LINE */
} SearchSeed;

typedef struct SearchSeeds {
    SearchSeed *v;
    int n, capacity;
} SearchSeeds;

/* Reads the file or folder at `path` (NULL: none) into `home`: JSON within the limits of `run`, and
 * bytes as engines keep them. 0, or an exit code and one sentence. */
int search_seeds_read(SearchSeeds *seeds, Arena *home, const char *path, const RunOptions *run,
                      char *message, size_t message_size);

#endif
