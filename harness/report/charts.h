/* Charts of the report: inline SVG that scales with the page and takes its colours from the page's
 * style. */
#ifndef HARNESS_CHARTS_H
#define HARNESS_CHARTS_H

#include "harness/report/markup.h"

/* One curve: y over x, x growing. x is drawn on a logarithmic axis, y from 0. `title` is printed
 * above it, with the last value. */
typedef struct Curve {
    const char *title;
    const double *x, *y;
    int n;
} Curve;
void chart_curve(Markup *m, const Curve *curve);

/* Horizontal bars in the given order: one row each with name and count. */
typedef struct Bar {
    const char *name;
    double value;
} Bar;
void chart_bars(Markup *m, const char *title, const Bar *bars, int n);

/* One row of a heat map: `n` cells, shaded by the logarithm of their counts against `most`; 0 is
 * empty. columns[i] names a cell. */
void chart_heat_head(Markup *m, const char *const *columns,
                     int n);                   /* their names, vertical, above the rows */
void chart_heat_scale(Markup *m, double most); /* what the shades mean: from 0 to `most` */
void chart_heat_row(Markup *m, const char *row, const char *const *columns, const double *counts,
                    int n, double most);

#endif
