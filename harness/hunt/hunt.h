/* The log of a hunt. A hunt is a sequence of rounds, each a search (search/search.h) of one pair,
 * an eager mode of a target and a compiling one, for a fixed time and with a seed of its own.
 *
 *     OUT/hunt.json       the words of the command line, and the rounds that are done
 *     OUT/rounds/         results of each round: 0003-aot_eager.json
 *     OUT/SIGNATURE/      reports; a later round that meets the signature does not minimize again,
 *                         unless no program of it is minimized; then OUT/SIGNATURE-2/, ..
 *     OUT/results.json, OUT/report.html   the results of all rounds together
 *
 * The log is written before the first round and after each, in one step. So a hunt that is killed
 * loses the round it was in and nothing else, and every round is the same in a hunt that was
 * resumed. */
#ifndef HARNESS_HUNT_H
#define HARNESS_HUNT_H

#include "harness/report/results.h"

enum { HUNT_MAX_ROUNDS = 10000 };

typedef struct Round {
    const char *mode;           /* "aot_eager" */
    uint64_t seed;              /* of its stream */
    double seconds;             /* that it took, the start of the targets included */
    int64_t programs, findings; /* findings: programs that showed one */
    int code;                   /* the exit code of its search */
    const char *results;        /* its file, relative to the folder */
} Round;

typedef struct Hunt {
    Arena *arena; /* as long as the hunt */
    const char *out;
    char **words; /* of the command line that began it */
    int nwords;
    Round *round;
    int nrounds, room;
} Hunt;

/* Makes the folder and locks it until the process ends. Reads the log of a hunt to be resumed, and
 * writes the results of its rounds again; without `resume` it must have none. 0, or an exit code
 * and one sentence. */
int hunt_open(Hunt *h, Arena *arena, const char *out, bool resume, char *message,
              size_t message_size);
/* The worst exit code of all rounds. */
int hunt_code(const Hunt *h);
/* `seed`, or the next one of which no round of this mode was. */
uint64_t hunt_new_seed(const Hunt *h, const char *mode, uint64_t seed);
/* The seconds of all rounds. */
double hunt_seconds(const Hunt *h);
/* The results file of the next round, in that mode, relative to the folder. */
const char *hunt_results_name(const Hunt *h, const char *mode);
/* Writes the log, so that the hunt can be resumed. 0, or an exit code and one sentence. */
int hunt_write(const Hunt *h, char *message, size_t message_size);
/* Adds a round whose results are written, with the counts found there, and writes the log and the
 * results of all rounds. 0, or an exit code and one sentence. */
int hunt_add(Hunt *h, const Round *round, char *message, size_t message_size);

#endif
