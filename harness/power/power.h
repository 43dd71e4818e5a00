/* Detection power: each seeded fault alone, many trials with other seeds, measured in programs and
 * in CPU seconds.
 *
 *     runner: one process per trial ── trial | engine ──> PowerTrial, one line of trials.jsonl ──>
 * table, curves, comparison
 *
 * A trial ends when the fault is detected, or with its budget of CPU time: it is then censored.
 * How many programs a trial of the builtin generator needs depends on its seed alone, so it is the
 * same on any machine; which trials are censored depends on the machine. */
#ifndef HARNESS_POWER_H
#define HARNESS_POWER_H

#include "harness/campaign/options.h"
#include "harness/power/statistics.h"
#include "harness/util/output.h"

/* When something first happened in a trial. */
typedef struct Moment {
    int64_t programs; /* that many had been checked, this one included; 0: it never happened */
    double seconds;   /* of CPU time */
} Moment;

enum { POWER_MAX_NAME = 24 };

typedef struct PowerTrial {
    char fault[POWER_MAX_NAME]; /* id */
    int number;                 /* from 0; the seed is the first seed plus this */
    bool canaries;              /* `reached` and `triggered` are known (not of engines) */
    Moment reached, triggered, detected;
    int64_t programs;            /* in all */
    double seconds;              /* of CPU time, in all */
    char oracle[POWER_MAX_NAME]; /* that detected it; "" if none */
    uint32_t fired;              /* bits of all oracles that fired then (not of engines) */
    bool died;                   /* its process died: it counts as not detected */
} PowerTrial;

typedef struct PowerOptions {
    CampaignOptions campaign; /* programs, pair and engine; `words` are those that are passed on to
                                 the engine. The fault and limits are set per trial */
    FaultId fault[FAULT_COUNT];
    int nfaults;
    int trials;         /* of each fault */
    double budget;      /* CPU seconds of a trial */
    int64_t jobs;       /* processes at a time */
    const char *label;  /* of this configuration in tables: "default" */
    const char *commit; /* of this program */
    const char *out; /* the folder that holds trials.jsonl and is resumed; NULL: nothing is kept */
} PowerOptions;

/* All trials of one configuration: of a run, or read back from its folder. */
typedef struct PowerRun {
    const char *label;
    int trials; /* planned, of each fault */
    double budget;
    PowerTrial *trial;
    int n;
} PowerRun;

/* ---- trial.c, engine.c ---- */
/* Runs one trial in this process; its generator is that of `twingrad fuzz --fault F --seed S`. */
void power_trial(const PowerOptions *o, FaultId fault, int number, PowerTrial *out);
/* The same by a campaign of one job of the options' engine, started as a process of `program` in
 * `folder`. It dies with this process. False and a sentence if it does not work. */
bool power_engine_trial(const PowerOptions *o, const char *program, const char *folder,
                        FaultId fault, int number, PowerTrial *out, char *message,
                        size_t message_size);
/* A new folder for it among the system's temporary files, or NULL; and its removal, after the
 * processes of the trial have ended or were killed. */
const char *power_engine_folder(Arena *arena);
void power_engine_remove(const char *folder);

/* ---- runner.c ---- */
/* Runs what is missing of the trials, stores them, and fills `run` (in `arena`). 0, or an exit code
 * and one sentence. After a signal `run` has the trials so far, and *interrupted is set. */
int power_run(const PowerOptions *o, const Output *output, Arena *arena, PowerRun *run,
              bool *interrupted, char *message, size_t message_size);

/* ---- store.c ---- */
/* What trials.jsonl begins with: the configuration, as one line. Lines that differ in the number of
 * trials only are the same run: it may be resumed with more. */
void power_header(const PowerOptions *o, Text *out);
bool power_same_run(const char *header_a, const char *header_b);
void power_print_trial(const PowerTrial *t, Text *out);
bool power_read_trial(const char *line, int64_t n, PowerTrial *out);
/* Reads a folder. 0; EXIT_BAD_INPUT and a sentence if it holds no such run. `*header`: the first
 * line, if not NULL. A last line that is cut off (the process was killed) is left out. */
int power_read(Arena *arena, const char *folder, PowerRun *run, const char **header, char *message,
               size_t message_size);

/* ---- table.c ---- */
/* The trials of one fault. */
typedef struct FaultPower {
    const char *fault;
    int trials, found, reached, triggered, died;
    int undetected;  /* trials that triggered the fault and did not detect it */
    int untriggered; /* trials with canaries that ended in a finding before the fault was triggered:
                        it may show something else */
    bool canaries;
    double programs_reached, programs_triggered, programs; /* medians; INFINITY: not in half of
                                                              them */
    double seconds, slowest; /* CPU until detected: median, and maximum (INFINITY: one was not) */
    char oracles[96];        /* that detected it, the most frequent one first */
} FaultPower;
/* One row for every fault of the run, in the order of the table of faults. */
int power_rows(const PowerRun *run, Arena *arena, FaultPower **out);
typedef struct PowerSummary {
    int faults, trials;
    int reliable, sometimes; /* faults found in at least 95 % of their trials, and in one or more */
    int undetected, untriggered; /* sums over the faults */
    int died;
    double programs, seconds; /* median over the faults of their medians */
} PowerSummary;
PowerSummary power_summary(const PowerRun *run, const FaultPower *rows, int n, Arena *arena);
void power_table(const PowerRun *run, Arena *arena, Text *out);
void power_json(const PowerRun *run, Arena *arena, Text *out);
/* Programs (or CPU seconds) until detection of every trial of the fault; how many. `v` has room for
 * run->n. */
int power_values(const PowerRun *run, const char *fault, bool seconds, double *v);
/* Was the trial ended by a finding of something else: a program that did not trigger the fault? */
bool power_untriggered(const PowerTrial *t);
/* A count or seconds for people; "-" for INFINITY. */
const char *power_number(double v, char *text, size_t size);
/* A member of a JSON object behind others; null for INFINITY. */
void power_json_number(Text *out, const char *key, double v);

/* ---- comparison.c ---- */
/* Two runs, fault by fault: Mann-Whitney U and the effect size A12 of the programs and of the CPU
 * seconds until detection, and the ratio of the medians. Where the budgets differ, what took longer
 * than the smaller one counts as not found in both; power_untriggered trials are left out. */
void power_compare_table(const PowerRun *a, const PowerRun *b, Arena *arena, Text *out);
void power_compare_json(const PowerRun *a, const PowerRun *b, Arena *arena, Text *out);

/* ---- curves.c ---- */
/* Kaplan-Meier curves as SVG: the share of trials, over all faults, that have reached, triggered
 * and detected theirs after so many programs; of several runs, what each has detected after so much
 * CPU time. */
void power_curves(const PowerRun *runs, int n, Arena *arena, Text *out);

#endif
