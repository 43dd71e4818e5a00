/* Commands: `twingrad NAME [OPTIONS] [FILE...]`, one row each in commands.def, one file each in
 * cmd_NAME.c. They use the library, which knows nothing of them. */
#ifndef HARNESS_COMMAND_H
#define HARNESS_COMMAND_H

#include "harness/campaign/options.h"
#include "harness/util/clock.h"
#include "harness/util/io.h"
#include "harness/util/output.h"
#include "harness/util/printable.h"
#include "harness/util/status.h"
#include "harness/util/version.h"
#include "harness/triage/known.h"

/* Every option of every command (options.def); a command lists those it takes in commands.def. The
 * default is zero where no other is given. */
typedef struct Options {
    const char *command;
    const char *pair;        /* "reference,compiled" by default */
    const char *on;          /* NULL: not given (reference; upstream: torch) */
    const char *modes;       /* upstream, gate, hunt; NULL: not given */
    const char *base, *head; /* gate; NULL: not given */
    double minutes;          /* gate, hunt; 0: not given */
    double round;            /* hunt: minutes; 0: not given */
    bool record;             /* upstream */
    Semantics semantics;     /* NONE: not given */
    bool bytes;              /* files are bytes of the codec, whatever their names */
    Limits limits;           /* LIMITS_DEFAULT by default */
    CompileOptions
        compile; /* --fault, --disable, --only, --opt-limit, --verify; COMPILE_DEFAULT by default */
    uint64_t seed; /* 1 by default */
    bool seed_given;
    GenerateOptions
        generate;   /* --ops, --profile; with max-elements and max-statements: generate_options */
    double seconds; /* 0: no limit */
    int64_t runs;   /* 0: no limit */
    bool swarm_passes; /* fuzz: disable a random choice of passes */
    bool first;        /* fuzz: stop at the first finding */
    bool every;        /* fuzz: print every finding */
    bool group;        /* check: say which group a finding is of */
    bool json, timing, quiet, stats, no_minimize, no_triage, poke;
    bool no_poke, dot;
    const char *faults, *label, *svg; /* power; NULL: not given */
    int64_t trials;                   /* power; 0: not given */
    double budget;                    /* power; 0: not given */
    bool script;                      /* bisect: print a script for git */
    int64_t jobs;                     /* -1: not given */
    const char *save;                 /* minimize: NULL: not given */
    const char *name, *note;          /* promote; NULL: not given */
    TargetSettings targets;           /* --targets, --workers, --timeout, --strict, --no-probes */
    int64_t workers;
    const char *known;  /* NULL: not given */
    const char *oracle; /* NULL: not given */
    const char *no_oracle;
    const char *out;     /* NULL: not given */
    const char *as;      /* NULL: not given */
    const char *after;   /* pass or stage name */
    bool merge, compare; /* report */
    ReportFiles reports; /* files of results to write */
    Shard shard;         /* fuzz: {0, 1} by default */
    const char *engine;  /* NULL: not given */
    bool resume;
    int64_t mutate;              /* percent; -1: not given (30) */
    int64_t mutants;             /* convert: of each program; 0: the program itself */
    const char *corpus, *binary; /* NULL: not given */
    char **words;                /* all arguments (files are moved to the front) */
    int nwords;
    char **files; /* arguments that are not options, in order */
    int nfiles;
} Options;

#define COMMAND(name, options, arguments, text) int cmd_##name(const Options *o);
#include "harness/cli/commands.def"
#undef COMMAND

/* Prints version, commit, compiler and semantics; returns the exit code. */
int cmd_version(void);
/* The commit that this program was built from; "-dirty" behind it if files were changed. */
const char *cli_commit(void);

/* ---- options.c ---- */
/* Parses the arguments behind the command's name; `accepted` names the options it takes. False and
 * one sentence for a bad one. `*help` is set by --help. The words that are not options are moved to
 * the front of argv, which `o->files` points to. */
bool options_parse(Options *o, int argc, char **argv, const char *accepted, bool *help,
                   char *message, size_t message_size);
/* Prints the help of the options named in `accepted`. */
void options_help(const char *accepted);

/* The options that a command takes (commands.def). */
const char *command_options(const char *command);

/* ---- what commands share (command.c) ---- */
/* Prints "twingrad: SENTENCE" on standard error; returns `code`. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The pair that the options name, and how it is run; false and one sentence for a bad value. */
bool checker_settings(const Options *o, CheckerOptions *out, char *message, size_t message_size);
/* Is --on of hunt and upstream (may be NULL) free of modes, which --modes takes? Complains if not.
 */
bool takes_targets(const char *on);
/* Opens it; 0, or the exit code after complaining. */
int open_checker(const Options *o, Checker *c);
/* What the generator draws, with --max-elements and --max-statements of a command that generates;
 * false and one sentence for a bad value. */
bool generate_settings(const Options *o, GenerateOptions *out, char *message, size_t message_size);
/* The same: 0, or the exit code after complaining. */
int generate_options(const Options *o, GenerateOptions *out);
/* Reads the known issues that the options name, or those of the pair's targets; 0, or the exit code
 * after complaining. */
int open_known(const Options *o, const Checker *c, Arena *arena, Known *out);
/* The settings of targets, from the options. */
TargetSettings target_settings(const Options *o);
/* Flushes standard output and reports a failure to write it: every command returns through it. */
int finish(int code);
/* Parses the program of a source; 0, or the exit code after complaining. Any bytes decode to some
 * program (fuzz/codec/codec.h), so they are taken, within the limits of engines, only from a file
 * named .bytes, with --bytes, and of a corpus that is a folder. `*known` (may be NULL:
 * complain) is false for a program that names an op which the table does not have. */
int load_program(const Options *o, Arena *arena, const Source *source, Program **out, bool *known);
/* 0 if the file or folder has a program, that is, `n` is not 0; else the exit code, after
 * complaining: a call that does nothing must not look like one that finds nothing. */
int any_program(const char *path, int64_t n);
/* Visits the program of every source in the files given, in order; a source that cannot be read is
 * complained about and skipped. The arena is reset before each. The worst exit code of reading. */
typedef void EachProgram(void *user, const char *source, const Program *p);
int each_program(const Options *o, Arena *arena, EachProgram *visit, void *user);
/* The same with a checker, which is opened into *checker and closed, and an arena that is
 * destroyed; `visit` may raise *code. The worst of all codes. */
int each_checked(const Options *o, Checker *checker, Arena *arena, int *code, EachProgram *visit,
                 void *user);
/* "skew.json (skew_symmetric)". */
const char *title_of(Arena *arena, const char *source, const Program *p);
/* show --as issue and --as unittest: the finding of each program (show_finding.c). */
int show_finding(const Options *o);
/* ---- terminal.c ---- */
/* Standard output and standard error, as the library sees them. */
Output terminal_output(const Options *o);
/* True if progress may be shown: standard error is a terminal and --quiet is not given. */
bool progress_wanted(const Options *o);
/* "\033[31m" and so on if standard output is a terminal with colors (see NO_COLOR, TERM=dumb), else
 * "". */
const char *color(const char *code);

#endif
