/* The loop over the stream of programs. */
#include "harness/search/findings.h"

#include "harness/reduce/edit.h"
#include "harness/util/clock.h"
#include "harness/util/interrupt.h"
#include "harness/util/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_RUNS = 100000,
    IN_FLIGHT = 8, /* programs for each process of a target: results come in order, and a slow
                      program must not leave the other processes without one */
};

/* ---- the loop ---- */

/* Settings of the pair's compiling target: the program's own, or drawn ones. */
static CompileSettings *search_settings(const Search *s, SearchSlot *slot, const Program *p) {
    const Executor *e = executor_is_external_compiler(&s->checker.b)   ? &s->checker.b
                        : executor_is_external_compiler(&s->checker.a) ? &s->checker.a
                                                                       : NULL;
    return e && s->options->checker.targets.configs && !p->compile
               ? target_draw_settings(e->target, p, &slot->arena, s->options->seed,
                                      (uint64_t)s->stream)
               : p->compile;
}

/* The next program of the stream, the first ones those of the corpus; or, where probes matter, the
 * last one again without them. */
static void search_make_program(Search *s, SearchSlot *slot) {
    arena_reset(&slot->arena);
    slot->info = (GenerateInfo){0};
    Program *p = s->stream < s->seeds.n
                     ? program_clone(&slot->arena, s->seeds.v[s->stream].program)
                     : generate_program_info(&slot->arena, &s->generate, s->options->seed,
                                             (uint64_t)s->stream, &slot->info);
    p->compile = search_settings(s, slot, p);
    slot->p = p;
    slot->index = s->stream;
    slot->bare = s->bare_due;
    if (slot->bare) {
        edit_drop_probes(p);
    }
    s->bare_due = s->both_ways && !slot->bare && edit_has_probes(p);
    s->stream += s->bare_due ? 0 : s->options->shard.count;
}

static bool search_is_late(const Search *s) {
    double until = s->own.checker.targets.until;
    return until > 0 && now_seconds() >= until;
}

/* A target of the pair is gone: the search ends, the program was not checked. */
static bool search_is_over(Search *s) {
    const char *why = checker_gone(&s->checker);
    if (why) {
        s->events.problem(s->events.user, why);
        s->code = worst(s->code, EXIT_ENVIRONMENT);
    }
    return why != NULL;
}

/* Is there another program to be made? What is checked without its probes as well is one program of
 * the stream: shards are of the same programs as the whole run. */
static bool search_has_more(const Search *s) {
    const CampaignOptions *o = s->options;
    int64_t runs = o->runs > 0 ? o->runs : o->seconds > 0 ? INT64_MAX : DEFAULT_RUNS;
    return s->bare_due || s->stream < runs;
}

static void search_one(Search *s) {
    for (; s->generated < s->tally.programs + s->window && search_has_more(s); s->generated++) {
        SearchSlot *slot = &s->slot[s->generated % s->window];
        search_make_program(s, slot);
        if (s->window > 1) {
            check_submit(&s->checker, slot->p);
            check_collect(&s->checker, slot->p, &slot->arena);
        }
    }
    const CampaignOptions *o = s->options;
    const CompileOptions *compile = &o->checker.compile;
    SearchSlot *slot = &s->slot[s->tally.programs % s->window];
    Checker *c = &s->checker;
    s->arena = &slot->arena;
    CheckResult out;
    check_schedule(c, compile->verify, o->every_stage, slot->index);
    if (o->swarm_passes) {
        c->a.compile.disabled = compile->disabled;
        disabled_draw(&c->a.compile.disabled, o->seed, (uint64_t)slot->index);
        c->b.compile.disabled = c->a.compile.disabled;
    }
    c->run.executed = s->detailed ? s->tally.op_dtype : NULL;
    check_program(c, slot->p, s->arena, &out);
    c->run.executed = NULL; /* locating and minimizing run other programs */
    if (out.verdict == SKIP && out.skip == SKIP_LIMIT &&
        (search_is_late(s) || search_is_over(s))) { /* not run */
        c->verdicts[SKIP]--;
        c->skips[SKIP_LIMIT]--;
        return;
    }
    tally_program(&s->tally, slot->p, &slot->info, out.a, s->detailed);
    if (out.verdict == FINDING && !baseline_is_new(&s->base, slot->p, &out.finding)) {
        return;
    }
    if (out.verdict == FINDING && s->queued) {
        backlog_add(&s->backlog, &s->own, slot->p, &out.finding, out.fired, slot->index,
                    slot->bare);
    } else if (out.verdict == FINDING) {
        if (o->first) {
            check_forget(c);
        }
        search_take_finding(s, slot, &out);
    }
}

/* Seconds of the run that the findings that wait will need. */
static double search_reserve(const Search *s) {
    const CampaignOptions *o = s->options;
    return o->patience > 0 ? 0 : backlog_reserve(&s->backlog, o->seconds);
}

static bool search_goes_on(const Search *s) {
    const CampaignOptions *o = s->options;
    return (s->tally.programs < s->generated || search_has_more(s)) &&
           !(o->first && s->nsignatures > 0) &&
           !(o->seconds > 0 && s->now - s->start >= o->seconds - search_reserve(s)) &&
           s->code < EXIT_ENVIRONMENT && !interrupt_came();
}

/* Targets are not waited for much longer than that; 0: no limit. */
static void search_wait_until(Search *s, double end) {
    enum { GRACE = 2 };
    if (checker_is_external(&s->checker) && end > 0) {
        s->own.checker.targets.until = end + GRACE;
        checker_until(&s->checker, end + GRACE);
        if (baseline_checker(&s->base)) {
            checker_until(baseline_checker(&s->base), end + GRACE);
        }
        backlog_until(&s->backlog, end + GRACE);
    }
}

void search_run(Search *s) {
    interrupt_note();
    s->now = now_seconds();
    s->start = s->now; /* the targets have started */
    if (s->options->seconds > 0) {
        s->end = s->start + s->options->seconds;
    }
    search_wait_until(s, s->end);
    while (search_goes_on(s)) {
        search_one(s);
        backlog_turn(&s->backlog);
        s->now = now_seconds();
        s->events.progress(s->events.user, s);
        if (s->detailed && tally_due(&s->tally)) {
            tally_sample(&s->tally, search_compile_counters(s), s->nsignatures, s->now - s->start);
        }
    }
    if (s->options->patience > 0 && s->end > 0 && s->backlog.n > 0) {
        s->end = s->now + s->options->patience;
        search_wait_until(s, s->end);
    }
    search_settle(s);
    groups_join(&s->groups);
}

const CompileCounters *search_compile_counters(const Search *s) {
    const Checker *c = &s->checker;
    return c->b.counters.compiles > 0 ? &c->b.counters : &c->a.counters;
}

Search *search_open(const CampaignOptions *o, const SearchEvents *events, int *code, char *message,
                    size_t message_size) {
    Search *s = calloc(1, sizeof *s);
    if (!s) {
        die("no memory for a search");
    }
    s->own = *o;
    s->own.checker.targets.shares_compiler = !o->first && !o->every; /* else nothing confirms it */
    s->options = o;
    s->events = *events;
    s->detailed = o->stats || o->out || o->reports.results || results_wanted(&o->reports);
    s->groups = groups_new(&s->home);
    *code = results_ready(&o->reports, o->out, message, message_size);
    *code =
        *code ? *code : checker_open_options(&s->checker, &s->own.checker, message, message_size);
    bool opened = *code == 0;
    *code = *code ? *code : baseline_open(&s->base, &s->own, message, message_size);
    *code = *code
                ? *code
                : known_open_for(&s->home, o->known, &s->checker, &s->known, message, message_size);
    *code = *code ? *code
                  : search_seeds_read(&s->seeds, &s->home, o->corpus, &s->checker.run, message,
                                      message_size);
    if (*code != 0) {
        if (opened) {
            checker_close(&s->checker);
        }
        baseline_close(&s->base);
        arena_destroy(&s->home);
        free(s);
        return NULL;
    }
    s->stream = o->shard.index;
    s->generate = o->generate;
    s->generate.semantics =
        s->checker.run.semantics != SEMANTICS_NONE ? s->checker.run.semantics : SEMANTICS_DEFAULT;
    s->queued = checker_is_external(&s->checker) && !o->first && !o->every;
    s->window =
        checker_is_external(&s->checker)
            ? (int)max_i64(1, min_i64(IN_FLIGHT * o->checker.targets.workers, SEARCH_MAX_WINDOW))
        : checker_collects(&s->checker) ? SEARCH_MAX_WINDOW
                                        : 1;
    s->both_ways = !o->checker.targets.no_probes && (executor_is_external_compiler(&s->checker.a) ||
                                                     executor_is_external_compiler(&s->checker.b));
    return s;
}

void search_close(Search *s) {
    stages_close(&s->stages);
    backlog_close(&s->backlog);
    baseline_close(&s->base);
    checker_close(&s->checker);
    for (int i = 0; i < SEARCH_MAX_WINDOW; i++) {
        arena_destroy(&s->slot[i].arena);
    }
    arena_destroy(&s->work);
    arena_destroy(&s->home);
    free(s);
}
