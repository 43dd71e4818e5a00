/* One more checker, which runs only programs with a finding. */
#include "harness/search/baseline.h"

int baseline_open(Baseline *b, const CampaignOptions *o, char *message, size_t message_size) {
    if (!o->base_python) {
        return 0;
    }
    CheckerOptions own = o->checker;
    own.targets.python = o->base_python;
    own.targets.workers = 1;
    int code = checker_open_options(&b->checker, &own, message, message_size);
    b->opened = code == 0;
    return code;
}

bool baseline_is_new(Baseline *b, const Program *p, const Finding *finding) {
    if (!b->opened) {
        return true;
    }
    Arena scratch = ARENA_EMPTY;
    CheckResult out;
    check_program(&b->checker, p, &scratch, &out);
    b->skipped += out.verdict == SKIP;
    b->shown += out.verdict == FINDING && (out.fired >> finding->oracle & 1);
    b->replaced += out.verdict == FINDING && !(out.fired >> finding->oracle & 1);
    arena_destroy(&scratch);
    return out.verdict == AGREE;
}

Checker *baseline_checker(Baseline *b) { return b->opened ? &b->checker : NULL; }

void baseline_close(Baseline *b) {
    if (b->opened) {
        checker_close(&b->checker);
    }
}
