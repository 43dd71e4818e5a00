/* What this program is: its version (the file VERSION), the compiler that built it, and the PyTorch
 * release whose eager semantics it follows. The commit is known to the command line only
 * (harness/cli/version.c), so that a new commit rebuilds one object and no library. */
#ifndef HARNESS_VERSION_H
#define HARNESS_VERSION_H

#ifdef __clang__
#define TWINGRAD_COMPILER "clang " __VERSION__
#else
#define TWINGRAD_COMPILER "gcc " __VERSION__
#endif

/* docs/reference/semantics.md */
#define TWINGRAD_SEMANTICS "PyTorch 1.13.1"

/* "MAJOR.MINOR.PATCH" */
const char *twingrad_version(void);

#endif
