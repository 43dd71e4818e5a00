/* What this program is: its version (the file VERSION) and the compiler that built it. The commit
 * is known to the command line only (harness/cli/version.c), so that a new commit rebuilds one
 * object and no library. */
#ifndef HARNESS_VERSION_H
#define HARNESS_VERSION_H

/* "gcc 12.2.0", "clang 14.0.6"; not __VERSION__, which names the distribution too. */
#ifdef __clang__
#define TWINGRAD_COMPILER                                                                          \
    "clang " COMPILER_VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define TWINGRAD_COMPILER "gcc " COMPILER_VERSION(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif
#define COMPILER_VERSION(major, minor, patch) COMPILER_TEXT(major, minor, patch)
#define COMPILER_TEXT(major, minor, patch) #major "." #minor "." #patch

/* "MAJOR.MINOR.PATCH" */
const char *twingrad_version(void);

#endif
