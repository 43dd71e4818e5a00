/* Ledger: the counts and signatures of one job of a campaign, in a file mapped into memory. They
 * survive the process that wrote them, however it ended (but not a crash of the machine), and other
 * processes read them at the same time. */
#ifndef HARNESS_LEDGER_H
#define HARNESS_LEDGER_H

#include "harness/check/check.h"

enum { MAX_SEEN = 512 };

/* Numbers that change together after every program. */
typedef struct Counts {
    int64_t next;   /* builtin: number of the program that comes next in the stream; of the campaign
                       itself: artifacts confirmed */
    double seconds; /* of the campaign itself: how long it has run */
    int64_t programs, calls, statements;
    int64_t refusals; /* programs in which some call raised an error */
    int64_t errors[ERR_COUNT];
    int64_t verdicts[3], skips[SKIP_COUNT], fired[ORACLE_COUNT]; /* as a Checker's */
    int64_t corpus;   /* programs kept because they showed a new feature */
    int64_t features; /* bits set in Ledger.feature */
    uint64_t check;   /* checksum of all before, set by ledger_set */
} Counts;

/* A signature and the group of its cause: two bugs may show in the same way. */
typedef struct Seen {
    char text[sizeof((Finding *)0)->signature];
    char group[sizeof((Finding *)0)->cause.group]; /* "" if no cause was found */
    int64_t first;       /* number of its first program: in the stream, or as the job counts */
    uint64_t check;      /* checksum of all before */
    int64_t last, count; /* its latest program; how many there were */
} Seen;

typedef struct Ledger {
    uint64_t format; /* LEDGER_FORMAT, which depends on the layout */
    int64_t now;     /* copy[now & 1] is valid; the other one is being written */
    Counts copy[2];
    int64_t at;       /* 1 + number of the program that the process is at; 0: none, as while it
                         restores the state of an earlier one */
    int64_t died_at;  /* 1 + number of the program at which processes died, as the campaign saw it;
                         0: none */
    int64_t deaths;   /* how many, in a row */
    int64_t recalled; /* programs that were checked again to restore a state */
    int64_t nseen, unlisted;
    Seen seen[MAX_SEEN];
    uint8_t feature[FEATURES]; /* the buckets (feature_bucket) in which a feature was seen */
} Ledger;

/* Maps the file, which is created if it does not exist; its space on the disk is reserved, so that
 * a full disk fails here and does not end the process with SIGBUS later. NULL and one sentence if
 * that fails, or if the file is of another version. A damaged file is repaired: what its checksums
 * vouch for is kept, and `message`, which is empty otherwise, says what was lost. */
Ledger *ledger_open(const char *path, char *message, size_t message_size);
void ledger_close(Ledger *l);

static inline const Counts *ledger_counts(const Ledger *l) { return &l->copy[l->now & 1]; }
/* Replaces the counts: all of them or, if the process dies meanwhile, none. */
void ledger_set(Ledger *l, const Counts *counts);

/* The process is at program `number` until the next ledger_set. */
void ledger_begin(Ledger *l, int64_t number);
/* Grows with every program that is checked, also to restore a state: a job in which it stays as it
 * is makes no progress. */
int64_t ledger_progress(const Ledger *l);
/* Notes that the process died, for the next one: at the program that it was at, or at none. */
void ledger_note_death(Ledger *l);
/* Have two processes died at this program? One may have been killed from outside. */
bool ledger_gives_up(const Ledger *l, int64_t number);

/* Counts a finding of program `number`, once however often that program is checked in a row. True
 * if its signature is new, or new with its cause. */
bool ledger_see(Ledger *l, const Finding *finding, int64_t number);
/* The name of a file about a signature and the group of its cause ("": none), in `arena`. */
const char *seen_name(Arena *arena, const char *signature, const char *group);

/* Marks the features of a run; returns how many are new. */
int ledger_feature(Ledger *l, const Features *f);

/* Adds numbers and signatures of `from` to `to`, which is in memory only; features are united. */
void ledger_merge(Ledger *to, const Ledger *from);

#endif
