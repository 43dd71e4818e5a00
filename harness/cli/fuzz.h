/* What the files of the command `fuzz` share. */
#ifndef HARNESS_CLI_FUZZ_H
#define HARNESS_CLI_FUZZ_H

#include "harness/search/search.h"
#include "harness/cli/command.h"

/* ---- fuzz_options.c ---- */
/* The settings of a fuzzing run, from parsed options; false and one sentence for a bad value. */
bool fuzz_options(const Options *o, CampaignOptions *out, char *message, size_t message_size);
/* The same from the words of a command line, which live as long as `out` (a CampaignParse). */
bool fuzz_parse(CampaignOptions *out, int nwords, char **words, char *message, size_t message_size);

/* ---- cmd_fuzz.c ---- */
/* A search in this process, with its output; the exit code. */
int fuzz_search(const CampaignOptions *o, const Output *output);

/* ---- fuzz_print.c ---- */
void fuzz_print_start(const Search *s);
void fuzz_print_finding(const Search *s, const SearchFinding *f);
void fuzz_print_dropped(const CampaignOptions *o, const Signature *s);
void fuzz_print_known(const CampaignOptions *o, const Signature *s, const KnownIssue *issue);
/* The counts of the run as a JSON object; `report`: with all that results.json holds. */
void fuzz_summary_json(const Search *s, Text *t, bool report);
void fuzz_summary_text(const Search *s, Text *t);

#endif
