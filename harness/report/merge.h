/* Joining and comparing results (results.h): the shards of one run become one object, and two runs
 * of different times or versions are compared by what they found. */
#ifndef HARNESS_MERGE_H
#define HARNESS_MERGE_H

#include "harness/report/results.h"

/* Joins the objects of n runs of the same command and pair (but for the mode of its second target),
 * which have no program of one stream in common, into one: counts add up, a finding that
 * several runs have is listed once with the sum of its counts and the record of the run that met it
 * first, groups and signatures likewise; `growth`, a curve of one process, is left out; the
 * versions of twingrad are all named. Findings, signatures and groups are in the order of their
 * first program. `name[i]` says whose the object is. 0, or EXIT_BAD_INPUT and one sentence. */
int results_merge(const Json *const *root, char *const *name, int n, Arena *arena, Text *out,
                  char *message, size_t message_size);

/* What the second of two runs found, against the first, by group: "new", "gone" or "persistent".
 * Findings that a list of known issues covers count like others. */
typedef struct ResultsDifference {
    const char *group;
    const char *change;
    const char *status; /* "new", "known", ..: in the second run, or in the first if it is gone */
    int64_t before, after; /* findings */
} ResultsDifference;
/* New groups first, then gone, then persistent ones, each in the order of its run. *n is their
 * number. */
ResultsDifference *results_compare(const Json *before, const Json *after, Arena *arena, int *n);

/* ---- report/runs.c ---- */
/* Can these runs be joined? `*pair` becomes that of all of them together. 0, or EXIT_BAD_INPUT and
 * one sentence. */
int runs_of_one_kind(const Json *const *root, char *const *name, int n, Arena *arena,
                     const char **pair, char *message, size_t message_size);
/* Are two runs of one pair, but for modes and releases of its targets? Else false and one
 * sentence. */
bool results_comparable(const Json *before, const Json *after, char *const *name, Arena *arena,
                        char *message, size_t message_size);

#endif
