/* Statistics of times that may be censored: INFINITY stands for "not within the budget". */
#ifndef HARNESS_POWER_STATISTICS_H
#define HARNESS_POWER_STATISTICS_H

/* The median of n times (0 if n is 0). INFINITY if half of them or more are censored, where the
 * mean of the two in the middle is; `v` is sorted. */
double statistics_median(double *v, int n);

/* Vargha and Delaney's A12 (2000): the probability that a time drawn from `a` is shorter than one
 * from `b`, plus half the probability that both are equal. 0.5: no difference; 1: `a` is always
 * faster. Censored times are equal. */
double statistics_a12(const double *a, int na, const double *b, int nb);

/* The two-sided p-value of the Mann-Whitney U test, by the normal approximation with corrections
 * for ties and continuity (as in R's wilcox.test with exact=FALSE). 1 if all times are equal or a
 * side is empty. */
double statistics_mann_whitney(const double *a, int na, const double *b, int nb);

/* Kaplan and Meier's estimator (1958) of the share for which the event has happened by a time. The
 * i-th step is at time[i] up to share[i]; both have room for n. `event[i]` says whether time v[i]
 * is an event, or the moment at which observation i was censored. Returns the number of steps. */
int statistics_kaplan_meier(const double *v, const _Bool *event, int n, double *time,
                            double *share);

#endif
