/* Ranks and survival curves. The samples are small (20 trials, or all trials of all faults), so
 * sorting is all the machinery. */
#include "harness/power/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/base.h"

static int compare_times(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double statistics_median(double *v, int n) {
    if (n == 0) {
        return 0;
    }
    qsort(v, (size_t)n, sizeof *v, compare_times);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double statistics_a12(const double *a, int na, const double *b, int nb) {
    double wins = 0;
    for (int i = 0; i < na; i++) {
        for (int k = 0; k < nb; k++) {
            wins += a[i] < b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
        }
    }
    return na > 0 && nb > 0 ? wins / ((double)na * nb) : 0.5;
}

double statistics_mann_whitney(const double *a, int na, const double *b, int nb) {
    int n = na + nb;
    double *all = calloc((size_t)n + 1, sizeof *all);
    CHECK(all);
    memcpy(all, a, sizeof *all * (size_t)na);
    memcpy(all + na, b, sizeof *all * (size_t)nb);
    qsort(all, (size_t)n, sizeof *all, compare_times);
    double ties = 0;
    for (int i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && all[k] == all[i]; k++) {
        }
        double t = k - i;
        ties += t * t * t - t;
    }
    free(all);
    double product = (double)na * nb, u = statistics_a12(a, na, b, nb) * product;
    double variance = n > 1 ? product / 12 * ((double)n + 1 - ties / ((double)n * (n - 1))) : 0;
    double distance = fabs(u - product / 2) - 0.5;
    return variance > 0 && distance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

typedef struct Observation {
    double time;
    bool event;
} Observation;

/* Censored observations stand after the events of their time: they were still at risk then. */
static int compare_observations(const void *a, const void *b) {
    const Observation *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (int)y->event - (int)x->event;
}

int statistics_kaplan_meier(const double *v, const _Bool *event, int n, double *time,
                            double *share) {
    Observation *all = calloc((size_t)n + 1, sizeof *all);
    CHECK(all);
    for (int i = 0; i < n; i++) {
        all[i] = (Observation){v[i], event[i]};
    }
    qsort(all, (size_t)n, sizeof *all, compare_observations);
    double survival = 1;
    int steps = 0;
    for (int i = 0, k; i < n; i = k) {
        int events = 0;
        for (k = i; k < n && all[k].time == all[i].time; k++) {
            events += all[k].event;
        }
        if (events > 0) {
            survival *= 1 - (double)events / (n - i);
            time[steps] = all[i].time;
            share[steps++] = 1 - survival;
        }
    }
    free(all);
    return steps;
}
