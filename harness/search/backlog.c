/* A table of sketches and a list of kept programs; both are short. */
#include "harness/search/backlog.h"

#include "harness/search/stage.h"
#include "harness/util/clock.h"
#include "harness/util/interrupt.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { VARIATIONS = 3 };

/* ---- sketches ---- */

/* Words of a message without what differs from program to program: numbers, and what is quoted. */
static void skeleton(char *out, size_t size, const char *message) {
    size_t n = 0;
    for (const char *c = message; *c && n + 1 < size; c++) {
        bool word = isalpha((unsigned char)*c) || *c == '_';
        if (word) {
            out[n++] = *c;
        } else if (n > 0 && out[n - 1] != ' ' && !isdigit((unsigned char)*c)) {
            out[n++] = ' ';
        }
    }
    out[n] = '\0';
}

static void sketch_text(char *out, size_t size, const Finding *f) {
    char words[120] = "";
    if (f->oracle == ORACLE_status) {
        const char *failed = strncmp(f->b, "ok", 2) == 0 ? f->a : f->b;
        const char *message = strstr(failed, ": ");
        skeleton(words, sizeof words, message ? message : failed);
    }
    /* an error that comes from the compiler's own frame is the same at every op */
    snprintf(out, size, "%.31s %s %s %s", oracle_name(f->oracle), f->kind,
             f->frame[0] && !frame_is_of_every_op(f->frame) ? f->frame : f->root.op, words);
}

static int sketch_find(Backlog *b, const char *text) {
    for (int i = 0; i < b->nsketches; i++) {
        if (strcmp(b->sketch[i]->text, text) == 0) {
            return i;
        }
    }
    if (b->nsketches == BACKLOG_MAX) {
        b->dropped++;
        return -1;
    }
    Sketch *new = arena_new(&b->arena, Sketch);
    snprintf(new->text, sizeof new->text, "%s", text);
    b->sketch[b->nsketches] = new;
    return b->nsketches++;
}

/* ---- running again ---- */

static bool open_again(Backlog *b, const CampaignOptions *o, int variation) {
    CheckerOptions own = o->checker;
    own.targets.alone = true;
    own.targets.variation = variation;
    own.targets.workers = 1;
    char message[1024];
    if (b->opened) {
        checker_close(&b->again);
    }
    b->opened = checker_open_options(&b->again, &own, message, sizeof message) == 0;
    b->cannot_open |= !b->opened;
    return b->opened;
}

/* Waits for the program if it was submitted and still runs. */
static void run_again(Backlog *b, Waiting *w) {
    Arena scratch = ARENA_EMPTY;
    CheckResult out;
    check_program(&b->again, w->program, &scratch, &out);
    w->running = false;
    bool found = out.verdict == FINDING;
    bool late = out.a->failure == FAILURE_TIMEOUT || out.b->failure == FAILURE_TIMEOUT;
    bool cut = out.verdict == SKIP && out.skip == SKIP_LIMIT; /* the time of the run was up */
    if (!late && !cut) { /* a late answer says nothing, also where both are late */
        w->runs++;
        w->seen += found && out.finding.oracle == w->finding.oracle &&
                   strcmp(out.finding.kind, w->finding.kind) == 0;
    }
    arena_destroy(&scratch);
}

void backlog_turn(Backlog *b) {
    bool any = false;
    for (int i = 0; i < b->n; i++) {
        any |= b->waiting[i]->running;
    }
    if (!any) {
        return;
    }
    check_turn(&b->again);
    for (int i = 0; i < b->n; i++) {
        Waiting *w = b->waiting[i];
        if (w->running && check_is_ready(&b->again, w->program)) {
            run_again(b, w);
        } else if (w->running) {
            check_submit(&b->again, w->program); /* again, if too many were queued */
        }
    }
}

/* Waits until `end` for all that run. */
static void finish_running(Backlog *b, double end) {
    if (end > 0) {
        backlog_until(b, end);
    }
    for (int i = 0; i < b->n && !interrupt_came(); i++) {
        if (b->waiting[i]->running) {
            run_again(b, b->waiting[i]);
        }
    }
}

bool backlog_steady(const Backlog *b, const Waiting *w) {
    for (int i = 0; i < b->n; i++) {
        const Waiting *first = b->waiting[i];
        if (first->sketch == w->sketch && first->rank == 0) {
            return first->seen == first->runs;
        }
    }
    return true;
}

void backlog_repeat(Backlog *b, const CampaignOptions *o, double end) {
    finish_running(b, end);
    for (int v = 2; v <= VARIATIONS && b->n > 0 && !b->cannot_open && !interrupt_came(); v++) {
        if ((end > 0 && now_seconds() >= end) || !open_again(b, o, v)) {
            return;
        }
        for (int i = 0; i < b->n && !(end > 0 && now_seconds() >= end) && !interrupt_came(); i++) {
            if (b->waiting[i]->rank == 0 && strcmp(b->waiting[i]->finding.kind, "timeout") != 0) {
                run_again(b, b->waiting[i]);
            }
        }
    }
}

/* ---- keeping ---- */

void backlog_add(Backlog *b, const CampaignOptions *o, const Program *p, const Finding *finding,
                 uint32_t fired, int64_t index, bool bare) {
    Finding sketched = *finding;
    char text[sizeof b->sketch[0]->text];
    Arena scratch = ARENA_EMPTY;
    check_sketch(p, &sketched, &scratch);
    arena_destroy(&scratch);
    sketch_text(text, sizeof text, &sketched);
    int at = sketch_find(b, text);
    if (at < 0) {
        return;
    }
    Sketch *sketch = b->sketch[at];
    sketch->count++;
    if (sketch->kept == BACKLOG_OF_SKETCH) {
        return;
    }
    Waiting *w = arena_new(&b->arena, Waiting);
    *w = (Waiting){.program = program_clone(&b->arena, p),
                   .finding = sketched,
                   .fired = fired,
                   .index = index,
                   .bare = bare,
                   .sketch = at,
                   .rank = sketch->kept++};
    b->waiting[b->n++] = w;
    bool late = strcmp(finding->kind, "timeout") == 0; /* every run would take as long */
    if (w->rank == 0 && !late && (b->opened || (!b->cannot_open && open_again(b, o, 1)))) {
        w->running = true;
        check_submit(&b->again, w->program);
    }
}

double backlog_reserve(const Backlog *b, double seconds) {
    enum { START = 5, EACH = 10 };
    double most = 0.4 * seconds, wanted = b->nsketches ? START + EACH * b->nsketches : 0;
    return wanted < most ? wanted : most;
}

void backlog_until(Backlog *b, double until) {
    if (b->opened) {
        checker_until(&b->again, until);
    }
}

void backlog_close(Backlog *b) {
    if (b->opened) {
        checker_close(&b->again);
    }
    arena_destroy(&b->arena);
}
