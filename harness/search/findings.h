/* What becomes of the findings of a search (search.h). */
#ifndef HARNESS_FINDINGS_H
#define HARNESS_FINDINGS_H

#include "harness/search/search.h"

/* Triages the finding of the slot's program, and those of other causes that it leads to. */
void search_take_finding(Search *s, const SearchSlot *slot, CheckResult *out);
/* After the loop: triages what waits in the backlog, until s->end. */
void search_settle(Search *s);

#endif
