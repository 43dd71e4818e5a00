/* What `twingrad bisect` does beyond cause.h: compiling targets, and scripts for git. */
#ifndef HARNESS_BISECT_H
#define HARNESS_BISECT_H

#include "harness/check/check.h"
#include "harness/util/output.h"
#include "program/json/json.h"

/* For each mode of the pair's compiling target, from the one that compiles least: is the finding
 * there? Then, for a mode of torch.compile whose PyTorch has a bisector, what that says. Sends
 * lines to `output` as it goes. `compile` and `settings` are those of the checker. 0 or
 * EXIT_ENVIRONMENT after a problem. */
int bisect_modes(const Output *output, const CompileOptions *compile,
                 const TargetSettings *settings, const Checker *c, const Program *p,
                 const Finding *f, Arena *arena);

/* A shell script that builds twingrad where it stands, checks `p` and answers as `git bisect run`
 * expects: 0 without the finding, 1 with it, 125 if it cannot be told. `pair_options` are the
 * command-line options of the check (report_pair_options). */
void bisect_script(Text *text, const char *pair_options, const Program *p, const Finding *f);

#endif
