/* What the program says it is, in `twingrad version`, reports and results. */
#ifndef HARNESS_VERSION_H
#define HARNESS_VERSION_H

#define TWINGRAD_VERSION "0.1.0"
#ifdef __clang__
#define TWINGRAD_COMPILER "clang " __VERSION__
#else
#define TWINGRAD_COMPILER "gcc " __VERSION__
#endif

#endif
