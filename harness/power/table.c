/* The trials of a run, one row per fault: how many found it, and medians of what they needed. */
#include "harness/power/power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double TrialValue(const PowerTrial *t);

static double programs_until(const Moment *m) {
    return m->programs > 0 ? (double)m->programs : INFINITY;
}
static double value_reached(const PowerTrial *t) { return programs_until(&t->reached); }
static double value_triggered(const PowerTrial *t) { return programs_until(&t->triggered); }
static double value_programs(const PowerTrial *t) { return programs_until(&t->detected); }
static double value_seconds(const PowerTrial *t) {
    return t->detected.programs > 0 ? t->detected.seconds : INFINITY;
}

int power_values(const PowerRun *run, const char *fault, bool seconds, double *v) {
    int n = 0;
    for (int i = 0; i < run->n; i++) {
        if (strcmp(run->trial[i].fault, fault) == 0) {
            v[n++] = (seconds ? value_seconds : value_programs)(&run->trial[i]);
        }
    }
    return n;
}

static double median_of(const PowerRun *run, const char *fault, TrialValue *value, double *v) {
    int n = 0;
    for (int i = 0; i < run->n; i++) {
        if (strcmp(run->trial[i].fault, fault) == 0) {
            v[n++] = value(&run->trial[i]);
        }
    }
    return statistics_median(v, n);
}

/* "values 18, gradients 2" */
static void list_oracles(const PowerRun *run, const char *fault, char *out, size_t size) {
    int count[ORACLE_COUNT] = {0};
    for (int i = 0; i < run->n; i++) {
        for (int id = 0; id < ORACLE_COUNT && strcmp(run->trial[i].fault, fault) == 0; id++) {
            count[id] += strcmp(run->trial[i].oracle, oracle_name((OracleId)id)) == 0;
        }
    }
    out[0] = '\0';
    for (;;) {
        int most = 0;
        for (int id = 1; id < ORACLE_COUNT; id++) {
            most = count[id] > count[most] ? id : most;
        }
        if (count[most] == 0) {
            return;
        }
        size_t n = strlen(out);
        snprintf(out + n, size - n, "%s%s %d", n ? ", " : "", oracle_name((OracleId)most),
                 count[most]);
        count[most] = 0;
    }
}

bool power_untriggered(const PowerTrial *t) {
    return t->canaries && t->detected.programs > 0 && t->triggered.programs == 0;
}

static void fill_row(const PowerRun *run, FaultPower *row, double *v) {
    for (int i = 0; i < run->n; i++) {
        const PowerTrial *t = &run->trial[i];
        if (strcmp(t->fault, row->fault) == 0) {
            row->trials++;
            row->found += t->detected.programs > 0;
            row->reached += t->reached.programs > 0;
            row->triggered += t->triggered.programs > 0;
            row->undetected += t->triggered.programs > 0 && t->detected.programs == 0;
            row->untriggered += power_untriggered(t);
            row->died += t->died;
            row->canaries |= t->canaries;
            row->slowest = fmax(row->slowest, value_seconds(t));
        }
    }
    row->programs_reached = median_of(run, row->fault, value_reached, v);
    row->programs_triggered = median_of(run, row->fault, value_triggered, v);
    row->programs = median_of(run, row->fault, value_programs, v);
    row->seconds = median_of(run, row->fault, value_seconds, v);
    list_oracles(run, row->fault, row->oracles, sizeof row->oracles);
}

int power_rows(const PowerRun *run, Arena *arena, FaultPower **out) {
    double *v = arena_array(arena, double, run->n + 1);
    int n = 0;
    *out = arena_array(arena, FaultPower, FAULT_COUNT);
    for (int id = 0; id < FAULT_COUNT; id++) {
        FaultPower row = {.fault = fault_info((FaultId)id)->id};
        fill_row(run, &row, v);
        if (row.trials > 0) {
            (*out)[n++] = row;
        }
    }
    return n;
}

PowerSummary power_summary(const PowerRun *run, const FaultPower *rows, int n, Arena *arena) {
    PowerSummary s = {.faults = n};
    double *programs = arena_array(arena, double, n + 1);
    double *seconds = arena_array(arena, double, n + 1);
    for (int i = 0; i < n; i++) {
        const FaultPower *row = &rows[i];
        s.reliable += 20 * row->found >= 19 * row->trials;
        s.sometimes += row->found > 0;
        s.died += row->died;
        s.undetected += row->undetected;
        s.untriggered += row->untriggered;
        programs[i] = row->programs;
        seconds[i] = row->seconds;
    }
    s.trials = run->n;
    s.programs = statistics_median(programs, n);
    s.seconds = statistics_median(seconds, n);
    return s;
}

/* A number of programs or seconds for people, "-" if it is not finite. */
const char *power_number(double v, char *text, size_t size) {
    if (!isfinite(v)) {
        snprintf(text, size, "-");
    } else if (v == floor(v) && v >= 1) {
        snprintf(text, size, "%.0f", v);
    } else {
        snprintf(text, size, v < 10 ? "%.3f" : "%.1f", v);
    }
    return text;
}

/* " FU-4 5, FU-4 14": each trial's fault and number. */
static void list_untriggered(const PowerRun *run, Text *out) {
    const char *before = "";
    for (int i = 0; i < run->n; i++) {
        if (power_untriggered(&run->trial[i])) {
            text_printf(out, "%s %s %d", before, run->trial[i].fault, run->trial[i].number);
            before = ",";
        }
    }
    text_add(out, "\n");
}

void power_table(const PowerRun *run, Arena *arena, Text *out) {
    FaultPower *row;
    char a[32], b[32], c[32], d[32], e[32];
    int n = power_rows(run, arena, &row);
    text_printf(out, "%-7s %-8s %10s %10s %10s %10s %10s  %s\n", "fault", "found", "reached",
                "triggered", "programs", "seconds", "slowest", "oracles");
    for (int i = 0; i < n; i++) {
        const FaultPower *r = &row[i];
        char found[32];
        snprintf(found, sizeof found, "%d/%d", r->found, r->trials);
        text_printf(out, "%-7s %-8s %10s %10s %10s %10s %10s  %s%s\n", r->fault, found,
                    r->canaries ? power_number(r->programs_reached, a, sizeof a) : "",
                    r->canaries ? power_number(r->programs_triggered, b, sizeof b) : "",
                    power_number(r->programs, c, sizeof c), power_number(r->seconds, d, sizeof d),
                    power_number(r->slowest, e, sizeof e), r->oracles, r->died ? ", died" : "");
    }
    PowerSummary s = power_summary(run, row, n, arena);
    text_printf(out,
                "%d faults, %d trials of %g CPU seconds: %d found in at least 95 %% of their "
                "trials, %d in some, "
                "%d never; medians over the faults: %s programs, %s CPU seconds\n",
                s.faults, s.trials, run->budget, s.reliable, s.sometimes - s.reliable,
                s.faults - s.sometimes, power_number(s.programs, a, sizeof a),
                power_number(s.seconds, b, sizeof b));
    if (s.undetected > 0) {
        text_printf(out, "%d trials triggered the fault and did not detect it\n", s.undetected);
    }
    if (s.untriggered > 0) {
        text_printf(out,
                    "%d trials ended in a finding and did not trigger the fault:", s.untriggered);
        list_untriggered(run, out);
    }
    if (s.died > 0) {
        text_printf(out, "%d trials died\n", s.died);
    }
}

/* The same as JSON: null stands for "not in half of the trials". */
void power_json_number(Text *out, const char *key, double v) {
    if (isfinite(v)) {
        text_printf(out, ",\"%s\":%.17g", key, v);
    } else {
        text_printf(out, ",\"%s\":null", key);
    }
}

void power_json(const PowerRun *run, Arena *arena, Text *out) {
    FaultPower *row;
    int n = power_rows(run, arena, &row);
    for (int i = 0; i < n; i++) {
        const FaultPower *r = &row[i];
        text_printf(out,
                    "{\"type\":\"power_fault\",\"schema_version\":1,\"fault\":\"%s\",\"trials\":%d,"
                    "\"found\":%d,\"died\":%d",
                    r->fault, r->trials, r->found, r->died);
        if (r->canaries) {
            text_printf(out, ",\"reached\":%d,\"triggered\":%d,\"detected_untriggered\":%d",
                        r->reached, r->triggered, r->untriggered);
            power_json_number(out, "programs_until_reached", r->programs_reached);
            power_json_number(out, "programs_until_triggered", r->programs_triggered);
        }
        power_json_number(out, "programs", r->programs);
        power_json_number(out, "seconds", r->seconds);
        power_json_number(out, "slowest", r->slowest);
        text_add(out, ",\"oracles\":");
        text_json_string(out, r->oracles);
        text_add(out, "}\n");
    }
    PowerSummary s = power_summary(run, row, n, arena);
    text_add(out, "{\"type\":\"power_summary\",\"schema_version\":1,\"label\":");
    text_json_string(out, run->label);
    text_printf(out,
                ",\"faults\":%d,\"trials\":%d,\"budget\":%g,\"reliable\":%d,\"sometimes\":%d,"
                "\"never\":%d,\"triggered_and_missed\":%d,\"detected_untriggered\":%d,"
                "\"died\":%d",
                s.faults, s.trials, run->budget, s.reliable, s.sometimes - s.reliable,
                s.faults - s.sometimes, s.undetected, s.untriggered, s.died);
    power_json_number(out, "programs", s.programs);
    power_json_number(out, "seconds", s.seconds);
    text_add(out, "}\n");
}
