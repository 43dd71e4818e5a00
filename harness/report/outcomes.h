/* Outcomes of stored programs by release of a framework and mode of its compiler: the file
 * corpus/upstream/outcomes.json.
 *
 *     {"outcomes": {
 *       "198094_slice_scatter_then_zero": {"2.15": {"dynamo": "agrees", "inductor": "differs
 * values-data-zero_"}}
 *     }}
 *
 * An outcome is "agrees"; "differs" or "errors" (only the compiled side raises) with the finding's
 * signature; or "skipped" with the reason. */
#ifndef HARNESS_OUTCOMES_H
#define HARNESS_OUTCOMES_H

#include "tensor/arena.h"

typedef struct Outcome {
    const char *program, *release, *mode; /* "198094_..", "2.15", "inductor" */
    const char *text;
} Outcome;

typedef struct Outcomes {
    Outcome *v; /* by program, release (the oldest first) and mode */
    int n, capacity;
} Outcomes;

/* Reads the file; a file that does not exist holds nothing. 0, or an exit code and a message. */
int outcomes_read(Arena *arena, const char *path, Outcomes *out, char *message,
                  size_t message_size);
/* The text, or NULL. */
const char *outcomes_find(const Outcomes *outcomes, const char *program, const char *release,
                          const char *mode);
/* Adds or replaces one; the strings are kept. */
void outcomes_set(Arena *arena, Outcomes *outcomes, const Outcome *outcome);
/* Writes the file, one program a line. False and a message if the environment fails. */
bool outcomes_write(Arena *arena, const char *path, const Outcomes *outcomes, char *message,
                    size_t message_size);

#endif
