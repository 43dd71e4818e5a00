/* Two configurations, fault by fault. */
#include "harness/power/power.h"

#include <math.h>
#include <string.h>

enum { HARD = 10000 /* programs: a fault that needs more under the second run is hard */ };

typedef struct Compared {
    const char *fault;
    int found_a, found_b, trials_a, trials_b;
    double a, b; /* median programs until detection */
    double seconds_a, seconds_b;
    double a12, p; /* of the CPU seconds: `a` faster */
    double ratio;  /* seconds of b over those of a: how many times faster a is */
} Compared;

/* A time beyond the smaller of two budgets is known of one run only: both are cut there. */
static double compare_budget(const PowerRun *a, const PowerRun *b) {
    return fmin(a->budget, b->budget);
}

/* Censored medians count as the budget: the ratio is then at least (or at most) what it says. */
static double at_most(double v, double budget) { return isfinite(v) ? v : budget; }

static bool compare_fault(const PowerRun *a, const PowerRun *b, const FaultPower *row_a,
                          const FaultPower *row_b, Arena *arena, Compared *out) {
    double *va = arena_array(arena, double, a->n + 1), *vb = arena_array(arena, double, b->n + 1);
    int na = power_values(a, row_a->fault, true, va), nb = power_values(b, row_a->fault, true, vb);
    *out = (Compared){
        .fault = row_a->fault,
        .found_a = row_a->found,
        .found_b = row_b->found,
        .trials_a = row_a->trials,
        .trials_b = row_b->trials,
        .a = row_a->programs,
        .b = row_b->programs,
        .seconds_a = row_a->seconds,
        .seconds_b = row_b->seconds,
        .a12 = statistics_a12(va, na, vb, nb),
        .p = statistics_mann_whitney(va, na, vb, nb),
        .ratio = at_most(row_b->seconds, b->budget) / at_most(row_a->seconds, a->budget),
    };
    return true;
}

/* The run as it would be with a budget of `budget` CPU seconds: what it found later counts as not
 * found. A trial that a finding of something else has ended says nothing of its fault. */
static PowerRun compare_within(const PowerRun *run, double budget, Arena *arena) {
    PowerRun cut = *run;
    cut.budget = budget;
    cut.n = 0;
    cut.trial = arena_array(arena, PowerTrial, run->n + 1);
    for (int i = 0; i < run->n; i++) {
        if (power_untriggered(&run->trial[i])) {
            continue;
        }
        PowerTrial *t = &cut.trial[cut.n++];
        *t = run->trial[i];
        if (t->detected.seconds > budget) {
            t->detected = (Moment){0, 0};
        }
    }
    return cut;
}

static int compare_left_out(const PowerRun *run) {
    int n = 0;
    for (int i = 0; i < run->n; i++) {
        n += power_untriggered(&run->trial[i]);
    }
    return n;
}

static int compare_runs(const PowerRun *run_a, const PowerRun *run_b, Arena *arena,
                        Compared **out) {
    const double budget = compare_budget(run_a, run_b);
    const PowerRun a = compare_within(run_a, budget, arena);
    const PowerRun b = compare_within(run_b, budget, arena);
    FaultPower *row_a, *row_b;
    int na = power_rows(&a, arena, &row_a), nb = power_rows(&b, arena, &row_b), n = 0;
    *out = arena_array(arena, Compared, na + 1);
    for (int i = 0; i < na; i++) {
        for (int k = 0; k < nb; k++) {
            if (strcmp(row_a[i].fault, row_b[k].fault) == 0) {
                n += compare_fault(&a, &b, &row_a[i], &row_b[k], arena, &(*out)[n]);
            }
        }
    }
    return n;
}

typedef struct ComparedSummary {
    int faster, slower;       /* faults with p < 0.05 */
    int hard;                 /* faults that need more than HARD programs under b */
    double ratio, hard_ratio; /* median over the faults */
} ComparedSummary;

static ComparedSummary compare_summarize(const Compared *v, int n, Arena *arena) {
    ComparedSummary s = {0};
    double *all = arena_array(arena, double, n + 1), *hard = arena_array(arena, double, n + 1);
    for (int i = 0; i < n; i++) {
        s.faster += v[i].p < 0.05 && v[i].a12 > 0.5;
        s.slower += v[i].p < 0.05 && v[i].a12 < 0.5;
        all[i] = v[i].ratio;
        if (v[i].b > HARD) {
            hard[s.hard++] = v[i].ratio;
        }
    }
    s.ratio = statistics_median(all, n);
    s.hard_ratio = statistics_median(hard, s.hard);
    return s;
}

void power_compare_table(const PowerRun *a, const PowerRun *b, Arena *arena, Text *out) {
    Compared *v;
    int n = compare_runs(a, b, arena, &v);
    char t[6][32];
    text_printf(out, "%s (A) against %s (B)\n%-7s %7s %7s %10s %10s %10s %10s %8s %6s %8s\n",
                a->label, b->label, "fault", "found A", "found B", "programs A", "programs B",
                "seconds A", "seconds B", "times", "A12", "p");
    for (int i = 0; i < n; i++) {
        const Compared *c = &v[i];
        text_printf(out, "%-7s %3d/%-3d %3d/%-3d %10s %10s %10s %10s %8s %6.2f %8.2g\n", c->fault,
                    c->found_a, c->trials_a, c->found_b, c->trials_b,
                    power_number(c->a, t[0], sizeof t[0]), power_number(c->b, t[1], sizeof t[1]),
                    power_number(c->seconds_a, t[2], sizeof t[2]),
                    power_number(c->seconds_b, t[3], sizeof t[3]),
                    power_number(c->ratio, t[4], sizeof t[4]), c->a12, c->p);
    }
    if (a->budget != b->budget) {
        text_printf(out,
                    "trials of A have %g CPU seconds, of B %g: what took longer than %g counts as "
                    "not found in both\n",
                    a->budget, b->budget, compare_budget(a, b));
    }
    int left_a = compare_left_out(a), left_b = compare_left_out(b);
    if (left_a + left_b > 0) {
        text_printf(out,
                    "left out: %d trials of A and %d of B, which ended in a finding and did not "
                    "trigger the fault\n",
                    left_a, left_b);
    }
    ComparedSummary s = compare_summarize(v, n, arena);
    text_printf(out,
                "%d faults: A is faster for %d, slower for %d (p < 0.05); median ratio of the "
                "medians %s; over the %d faults that need more than %d programs under B: %s\n",
                n, s.faster, s.slower, power_number(s.ratio, t[0], sizeof t[0]), s.hard, HARD,
                power_number(s.hard_ratio, t[1], sizeof t[1]));
}

void power_compare_json(const PowerRun *a, const PowerRun *b, Arena *arena, Text *out) {
    Compared *v;
    int n = compare_runs(a, b, arena, &v);
    for (int i = 0; i < n; i++) {
        const Compared *c = &v[i];
        text_printf(out,
                    "{\"type\":\"power_comparison\",\"schema_version\":1,\"fault\":\"%s\","
                    "\"found_a\":%d,\"trials_a\":%d,\"found_b\":%d,\"trials_b\":%d",
                    c->fault, c->found_a, c->trials_a, c->found_b, c->trials_b);
        power_json_number(out, "programs_a", c->a);
        power_json_number(out, "programs_b", c->b);
        power_json_number(out, "seconds_a", c->seconds_a);
        power_json_number(out, "seconds_b", c->seconds_b);
        power_json_number(out, "ratio", c->ratio);
        power_json_number(out, "a12", c->a12);
        power_json_number(out, "p", c->p);
        text_add(out, "}\n");
    }
    ComparedSummary s = compare_summarize(v, n, arena);
    text_add(out, "{\"type\":\"power_comparison_summary\",\"schema_version\":1,\"a\":");
    text_json_string(out, a->label);
    text_add(out, ",\"b\":");
    text_json_string(out, b->label);
    text_printf(out, ",\"faults\":%d,\"faster\":%d,\"slower\":%d,\"hard\":%d,\"budget\":%g", n,
                s.faster, s.slower, s.hard, compare_budget(a, b));
    text_printf(out, ",\"left_out_a\":%d,\"left_out_b\":%d", compare_left_out(a),
                compare_left_out(b));
    power_json_number(out, "ratio", s.ratio);
    power_json_number(out, "hard_ratio", s.hard_ratio);
    text_add(out, "}\n");
}
