/* Greedy minimization to a fixed point, as in Cranelift's bugpoint, with the chunks of ddmin among
 * the reducers. Every reducer offers candidates 0, 1, ..; one is kept if it shows the same
 * signature. After a kept step the same number names the next candidate, so that a round is linear.
 * It terminates: each kept step reduces one of (statements, names, sizes, magnitudes, written
 * arguments, rank of data, of dtypes and of ops) and increases none of those before it.
 *
 * One thread makes the candidates in order, and a batch of one per checker is checked at a time.
 * The first of a batch that shows the finding is kept and the others are discarded, so that the
 * number of checkers changes the time and nothing else. Candidates that do not show it are
 * remembered by a hash of their text. */
#include "harness/triage/minimize.h"
#include "tensor/hash.h"

#include "harness/triage/cause.h"
#include "harness/triage/unbound.h"
#include "harness/util/interrupt.h"
#include "harness/util/clock.h"
#include "harness/reduce/reduce.h"

#include <pthread.h>
#include <string.h>

static const struct {
    const char *name;
    Step (*reduce)(Program *p, int k);
} REDUCERS[] = {
#define REDUCER(name, text) {#name, reduce_##name},
#include "harness/reduce/reducers.def"
#undef REDUCER
};

/* ---- programs that were checked ---- */

typedef struct Key {
    uint64_t a, b;
} Key; /* {0, 0}: an empty slot */

typedef struct MinimizeSeen {
    Arena arena;
    Key *slot;
    int64_t n, capacity; /* a power of two, or 0 */
} MinimizeSeen;

static Key key_of(const Program *p, Arena *scratch) {
    Text t = {.arena = scratch};
    program_print(&t, p, true);
    Key key = {FNV64_START, 0x9E3779B97F4A7C15u};
    for (int64_t i = 0; i < t.n; i++) {
        key.a = fnv64_byte(key.a, (unsigned char)t.v[i]);
        key.b = (key.b + (unsigned char)t.v[i]) * 0xD6E8FEB86659FD93u;
        key.b ^= key.b >> 32;
    }
    key.a |= key.a == 0 && key.b == 0;
    return key;
}

static Key *seen_slot(const MinimizeSeen *seen, Key key) {
    int64_t at = (int64_t)(key.a & (uint64_t)(seen->capacity - 1));
    while ((seen->slot[at].a || seen->slot[at].b) &&
           (seen->slot[at].a != key.a || seen->slot[at].b != key.b)) {
        at = (at + 1) & (seen->capacity - 1);
    }
    return &seen->slot[at];
}

static bool seen_has(const MinimizeSeen *seen, Key key) {
    const Key *at = seen->capacity > 0 ? seen_slot(seen, key) : NULL;
    return at && (at->a || at->b);
}

static void seen_add(MinimizeSeen *seen, Key key) {
    if (2 * (seen->n + 1) > seen->capacity) {
        MinimizeSeen larger = {.arena = seen->arena,
                               .capacity = seen->capacity ? 4 * seen->capacity : 256};
        larger.slot = arena_array(&larger.arena, Key, larger.capacity);
        for (int64_t i = 0; i < seen->capacity; i++) {
            if (seen->slot[i].a || seen->slot[i].b) {
                *seen_slot(&larger, seen->slot[i]) = seen->slot[i];
            }
        }
        larger.n = seen->n;
        *seen = larger;
    }
    *seen_slot(seen, key) = key;
    seen->n++;
}

/* ---- checking a candidate ---- */

typedef struct MinimizeQuery {
    const Finding *finding; /* what must still be there */
    bool has_fault;         /* and be gone without the fault */
    Checker *base;          /* and agree there; or NULL */
    bool external;
    bool located; /* compare the whole symptom, not only oracle and kind */
    bool stands;  /* the finding disappears without the step that is its cause */
    int tries;    /* 1, or MINIMIZE_RETRIES for a finding that does not always show */
} MinimizeQuery;

/* One of the candidates of a batch. */
typedef struct Candidate {
    const MinimizeQuery *query;
    Checker checker; /* a copy: the caller's counters stay */
    Arena arena;     /* of the program */
    Arena scratch;   /* of its check */
    Program *p;
    int k; /* its number among those of the reducer */
    Key key;
    bool shows;
    bool other; /* `met` is a finding with another symptom */
    Finding met;
} Candidate;

static Checker without_fault(const Checker *c) {
    Checker plain = *c;
    faults_clear(&plain.a.compile);
    faults_clear(&plain.b.compile);
    return plain;
}

static bool same_finding(Candidate *c, Finding *met) {
    const Finding *f = c->query->finding;
    if (c->query->external && (met->oracle != f->oracle || strcmp(met->kind, f->kind) != 0)) {
        return false;
    }
    if (!c->query->located) {
        return true;
    }
    check_symptom(&c->checker, c->p, met, &c->scratch);
    if (!symptom_same(&met->root, &f->root) || c->query->external) {
        return symptom_same(&met->root, &f->root);
    }
    met->cause = f->cause;
    if (c->query->stands &&
        !cause_stands(&c->checker, c->p, met)) { /* one check; to find the cause takes about ten */
        return false;
    }
    cause_find(&c->checker, c->p, met);
    return strcmp(met->cause.text, f->cause.text) == 0;
}

static bool agrees_on(Checker *checker, Candidate *c) {
    CheckResult out;
    check_program(checker, c->p, &c->scratch, &out);
    return out.verdict == AGREE;
}

/* Does the candidate show the finding, by its full signature, and only because of the fault, or not
 * on the base? */
static void check_candidate(Candidate *c) {
    CheckResult out;
    c->shows = c->other = false;
    for (int i = 0; i < c->query->tries && !c->shows; i++) {
        arena_reset(&c->scratch);
        check_program(&c->checker, c->p, &c->scratch, &out);
        if (out.verdict == FINDING) {
            c->met = out.finding;
            c->shows = same_finding(c, &c->met);
            c->other |= !c->shows;
        }
    }
    if (c->shows && c->query->has_fault) {
        Checker plain = without_fault(&c->checker);
        c->shows = agrees_on(&plain, c);
    }
    if (c->shows && c->query->base) {
        c->shows = agrees_on(c->query->base, c);
    }
}

static void *check_in_thread(void *candidate) {
    check_candidate(candidate);
    return NULL;
}

/* ---- the loop ---- */

typedef struct Minimize {
    MinimizeQuery query;
    Candidate *candidate; /* `jobs` of them */
    int jobs;
    Executor reference;
    int unbound;   /* names that nothing binds, in the program as found: no candidate has more */
    bool filtered; /* candidates that the reference does not complete are not checked */
    Arena home;
    MinimizeSeen seen;
    Arena best_arena;
    Program *best;
    MinimizeStats *stats;
    int64_t max_checks;
    double start, end;
    Arena *arena; /* the caller's */
} Minimize;

/* A target takes milliseconds, so it gets no program that the reference refuses, or whose meaning
 * is undefined. */
static bool reference_runs(Minimize *m, const Program *p, Arena *scratch) {
    RunOptions run = m->candidate[0].checker.run;
    run.detect_unspecified = true;
    const Result *r = m->reference.run(&m->reference, p, &run, scratch);
    bool ok = r->nundefined == 0 && !r->unspecified;
    for (int k = 0; k < r->ncalls && ok; k++) {
        ok = r->calls[k].ok;
    }
    return ok;
}

static bool within_budget(const Minimize *m) {
    return m->stats->checks < m->max_checks && now_seconds() < m->end && !interrupt_came();
}

/* Records the first finding of each other symptom. */
static void note_other(Minimize *m, const Candidate *c) {
    MinimizeStats *s = m->stats;
    if (!c->other || s->nother == MINIMIZE_MAX_OTHERS) {
        return;
    }
    for (int i = 0; i < s->nother; i++) {
        const Finding *f = &s->other[i].finding;
        if (m->query.external ? f->oracle == c->met.oracle && strcmp(f->kind, c->met.kind) == 0
                              : symptom_same(&f->root, &c->met.root) &&
                                    strcmp(f->cause.text, c->met.cause.text) == 0) {
            return;
        }
    }
    s->other[s->nother++] = (Other){program_clone(m->arena, c->p), c->met};
}

/* Is it one of the first `n` candidates? It would have been seen when its turn came. */
static bool is_among(const Minimize *m, int n, Key key) {
    for (int i = 0; i < n; i++) {
        if (m->candidate[i].key.a == key.a && m->candidate[i].key.b == key.b) {
            return true;
        }
    }
    return false;
}

/* Gathers the next candidates from number *k on, up to `jobs`, that are well-formed and new, until
 * the budget ends: few of very many may be. Returns how many. *k becomes the number after them;
 * *ended is true if the reducer has no more. */
static int gather_candidates(Minimize *m, int reducer, int *k, bool *ended) {
    int n = 0;
    *ended = false;
    while (n < m->jobs && m->stats->checks + n < m->max_checks && within_budget(m)) {
        Candidate *c = &m->candidate[n];
        arena_reset(&c->arena);
        arena_reset(&c->scratch);
        c->p = program_clone(&c->arena, m->best);
        c->k = (*k)++;
        Step step = REDUCERS[reducer].reduce(c->p, c->k);
        if (step == STEP_END) {
            *ended = true;
            break;
        }
        char message[256];
        if (step == STEP_NOTHING ||
            !program_verify_within(c->p, &c->checker.run.limits, message, sizeof message)) {
            continue;
        }
        c->key = key_of(c->p, &c->scratch);
        if (seen_has(&m->seen, c->key) || is_among(m, n, c->key)) {
            m->stats->repeated++;
        } else if (names_unbound(c->p) <= m->unbound &&
                   (!m->filtered || reference_runs(m, c->p, &c->scratch))) {
            n++;
        } else {
            seen_add(&m->seen, c->key);
            m->stats->invalid++;
        }
    }
    return n;
}

enum { THREAD_STACK = 8 << 20 };

static void check_batch(Minimize *m, int n) {
    pthread_t thread[MINIMIZE_MAX_JOBS];
    bool apart[MINIMIZE_MAX_JOBS];
    pthread_attr_t attributes; /* the default stack is what `ulimit -s` was at the start */
    bool made = n > 1 && pthread_attr_init(&attributes) == 0 &&
                pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0;
    for (int i = 1; i < n; i++) {
        apart[i] = pthread_create(&thread[i], made ? &attributes : NULL, check_in_thread,
                                  &m->candidate[i]) == 0;
    }
    if (made) {
        pthread_attr_destroy(&attributes);
    }
    check_candidate(&m->candidate[0]);
    for (int i = 1; i < n; i++) {
        if (apart[i]) {
            pthread_join(thread[i], NULL);
        } else {
            check_candidate(&m->candidate[i]);
        }
    }
}

static void keep_candidate(Minimize *m, Candidate *c) {
    Arena before = m->best_arena;
    m->best_arena = c->arena;
    m->best = c->p;
    c->arena = before;
    m->stats->kept++;
}

/* Tries all candidates of one reducer; true if one was kept. */
static bool reduce_all(Minimize *m, int reducer, MinimizeStep *on_step, void *user) {
    bool changed = false, ended = false;
    for (int k = 0; !ended && within_budget(m);) {
        int n = gather_candidates(m, reducer, &k, &ended), i = 0;
        if (n > 0) {
            check_batch(m, n);
        }
        while (i < n && !m->candidate[i].shows) {
            seen_add(&m->seen, m->candidate[i].key);
            note_other(m, &m->candidate[i]);
            i++;
        }
        m->stats->checks += i < n ? i + 1 : n;
        if (i < n) {
            k = m->candidate[i].k; /* after the step, this number is the next candidate */
            ended = false;
            changed = true;
            keep_candidate(m, &m->candidate[i]);
            if (on_step) {
                on_step(user, REDUCERS[reducer].name, m->best, m->stats);
            }
        }
    }
    return changed;
}

/* Checks the program a few times more: does it show the finding every time? */
static bool is_flaky(Minimize *m, const Program *p) {
    Candidate *c = &m->candidate[0];
    c->p = program_clone(&c->arena, p);
    int shown = 0;
    for (int i = 0; i < MINIMIZE_RETRIES - 1; i++) {
        check_candidate(c);
        shown += c->shows;
    }
    return shown < MINIMIZE_RETRIES - 1;
}

static void minimize_open(Minimize *m, const Program *p, Checker *c, const Finding *finding) {
    m->query = (MinimizeQuery){
        .finding = finding, .base = m->stats->base, .external = checker_is_external(c), .tries = 1};
    m->query.located = !m->query.external && !m->stats->anything;
    m->query.has_fault = c->a.compile.fault != FAULT_NONE || c->b.compile.fault != FAULT_NONE;
    m->jobs = 1 + (int)min_i64(m->stats->nmore, MINIMIZE_MAX_JOBS - 1);
    m->candidate = arena_array(&m->home, Candidate, m->jobs);
    for (int i = 0; i < m->jobs; i++) {
        m->candidate[i].query = &m->query;
        m->candidate[i].checker = i == 0 ? *c : m->stats->more[i - 1];
        m->candidate[i].checker.stages =
            finding->oracle == ORACLE_stages; /* it costs more than all other oracles */
    }
    if (m->query.has_fault) { /* a program that differs without the fault, too, shows another
                                    bug: then that one is minimized */
        Checker plain = without_fault(c);
        CheckResult out;
        check_program(&plain, p, &m->home, &out);
        m->query.has_fault = out.verdict == AGREE;
    }
    m->query.stands = !m->query.external && cause_stands(&m->candidate[0].checker, p, finding);
    m->unbound = names_unbound(p);
    m->reference = c->reference;
    m->filtered = m->query.external && reference_runs(m, p, &m->home);
    m->stats->flaky = is_flaky(m, p);
    m->query.tries = m->stats->flaky ? MINIMIZE_RETRIES : 1;
}

/* Applies all reducers until none changes the program. */
static void reduce_to_the_end(Minimize *m, MinimizeStep *on_step, void *user) {
    bool changed = true;
    while (changed && within_budget(m)) {
        changed = false;
        m->stats->rounds++;
        for (int r = 0; r < COUNT_OF(REDUCERS); r++) {
            changed |= reduce_all(m, r, on_step, user);
        }
    }
    m->stats->complete = !changed && within_budget(m);
}

/* Only oracle and kind of a target's finding were compared: has it become another finding? If so,
 * that one is recorded as another. */
static bool slipped(Minimize *m) {
    Candidate *c = &m->candidate[0];
    arena_reset(&c->arena);
    c->p = program_clone(&c->arena, m->best);
    m->query.located = true;
    check_candidate(c);
    if (!c->shows) {
        note_other(m, c);
    }
    return !c->shows;
}

Program *minimize_program(Arena *arena, const Program *p, Checker *c, const Finding *finding,
                          MinimizeStats *stats, MinimizeStep *on_step, void *user) {
    MinimizeStats none = {0};
    Minimize m = {.stats = stats ? stats : &none, .arena = arena};
    m.max_checks = m.stats->checks > 0 ? m.stats->checks : 20000;
    m.start = now_seconds();
    m.end = m.start + (m.stats->seconds > 0 ? m.stats->seconds : 60);
    *m.stats = (MinimizeStats){.more = m.stats->more,
                               .nmore = m.stats->nmore,
                               .base = m.stats->base,
                               .anything = m.stats->anything};
    minimize_open(&m, p, c, finding);
    m.best = program_clone(&m.best_arena, p);
    reduce_to_the_end(&m, on_step, user);
    if (m.query.external && m.stats->kept > 0 &&
        slipped(&m)) { /* again, with every step located; what was refused stays refused */
        arena_reset(&m.best_arena);
        m.best = program_clone(&m.best_arena, p);
        m.stats->kept = 0;
        reduce_to_the_end(&m, on_step, user);
    }
    m.stats->seconds = now_seconds() - m.start;
    Program *answer = program_clone(arena, m.best);
    for (int i = 0; i < m.jobs; i++) {
        arena_destroy(&m.candidate[i].arena);
        arena_destroy(&m.candidate[i].scratch);
    }
    arena_destroy(&m.best_arena);
    arena_destroy(&m.seen.arena);
    arena_destroy(&m.home);
    return answer;
}

int64_t program_elements(const Program *p) {
    int64_t n = 0;
    for (int i = 0; i < p->ninputs; i++) {
        int64_t numel = 1;
        for (int d = 0; d < p->inputs[i].ndim; d++) {
            numel *= p->inputs[i].size[d];
        }
        n += numel;
    }
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        n += s->kind == STMT_OP && s->op->id == OP_tensor ? s->arg[op_param(s->op, "data")].data.n
                                                          : 0;
    }
    return n;
}
