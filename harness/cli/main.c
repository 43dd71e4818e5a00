/* twingrad: the command line. `main` finds the command in the table (commands.def), parses its
 * options and calls it. */
#include "harness/cli/command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef struct Command {
    const char *name, *options, *arguments, *text;
    int (*run)(const Options *o);
} Command;

static const Command COMMANDS[] = {
#define COMMAND(name, options, arguments, text) {#name, options, arguments, text, cmd_##name},
#include "harness/cli/commands.def"
#undef COMMAND
};

static const Command *find_command(const char *name) {
    for (int i = 0; i < COUNT_OF(COMMANDS); i++) {
        if (strcmp(COMMANDS[i].name, name) == 0) {
            return &COMMANDS[i];
        }
    }
    return NULL;
}

static int usage(void) {
    puts("twingrad: differential testing of an optimizing tensor compiler against an eager "
         "interpreter\n\n"
         "usage: twingrad COMMAND [OPTIONS] [FILE...]\n\ncommands:");
    for (int i = 0; i < COUNT_OF(COMMANDS); i++) {
        printf("  %-10s %s\n", COMMANDS[i].name, COMMANDS[i].text);
    }
    puts("  help       this text, or that of a command: twingrad help check\n"
         "  version    version, commit, compiler and PyTorch semantics (also --version)\n\n"
         "A FILE is one program in JSON, '-' standard input, and NAME.jsonl one program a line.\n"
         "exit codes: 0 agree, 1 findings, 2 bad input or usage, 3 the environment failed");
    return finish(EXIT_AGREE);
}

static int command_help(const Command *c) {
    printf("twingrad %s: %s\n\nusage: twingrad %s [OPTIONS]%s%s\n\noptions:\n", c->name, c->text,
           c->name, c->arguments[0] ? " " : "", c->arguments);
    options_help(c->options);
    return finish(EXIT_AGREE);
}

static int run_command(const Command *c, int argc, char **argv) {
    Options o = {.command = c->name};
    char message[256];
    bool help = false;
    if (!options_parse(&o, argc, argv, c->options, &help, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    if (help) {
        return command_help(c);
    }
    bool takes_files = c->arguments[0] != '\0', wants_files = takes_files && c->arguments[0] != '[',
         wants_one = wants_files && !strstr(c->arguments, "...");
    if (!takes_files && o.nfiles > 0) {
        return complain(EXIT_BAD_INPUT, "%s takes no file, but was given '%.60s'", c->name,
                        o.files[0]);
    }
    if ((wants_files && o.nfiles == 0) || (wants_one && o.nfiles > 1)) {
        return complain(EXIT_BAD_INPUT, "%s needs %s%s (see 'twingrad %s --help')", c->name,
                        wants_one ? "one " : "", c->arguments, c->name);
    }
    return finish(c->run(&o));
}

enum { STACK_BYTES = 8 << 20, STACK_LEAST = 1 << 20 };

/* Limits of the shell that would end the process with a signal: a write beyond `ulimit -f` fails
 * with EFBIG instead, and the stack of `ulimit -s` grows to the usual size if it may. */
static int prepare_for_limits(void) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= STACK_BYTES) {
        return 0;
    }
    stack.rlim_cur = stack.rlim_max < STACK_BYTES ? stack.rlim_max : STACK_BYTES;
    if (setrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur >= STACK_LEAST) {
        return 0;
    }
    return complain(EXIT_ENVIRONMENT,
                    "the stack may have %lld KB: at least %d are needed (ulimit -s)",
                    (long long)stack.rlim_cur / 1024, STACK_LEAST / 1024);
}

int main(int argc, char **argv) {
    int limits = prepare_for_limits();
    if (limits != 0) {
        return limits;
    }
    op_table_init();
    if (argc < 2) {
        return complain(EXIT_BAD_INPUT, "no command given (see 'twingrad --help')");
    }
    const char *name = argv[1];
    bool is_help = strcmp(name, "help") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (is_help && argc == 2)) {
        return usage();
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        return cmd_version();
    }
    const Command *c = find_command(is_help ? argv[2] : name);
    if (!c) {
        return complain(EXIT_BAD_INPUT, "there is no command '%.60s' (see 'twingrad --help')",
                        is_help ? argv[2] : name);
    }
    return is_help ? command_help(c) : run_command(c, argc - 2, argv + 2);
}
