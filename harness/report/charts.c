/* Curves, bars and heat rows as SVG. Coordinates are printed with one decimal, so that equal data
 * are equal bytes; every picture has a <title> for screen readers and tooltips. Shades are
 * classes h1..h5 of the page's style. */
#include "harness/report/charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WIDE = 210,
    HIGH = 105,
    LEFT = 4,
    RIGHT = 4,
    TOP = 8,
    BOTTOM = 16,
    CELL = 13,
    HEAD = 52,
    SHADES = 5
};

static void charts_number(char *out, size_t size, double v) { snprintf(out, size, "%.1f", v); }

static void line(Markup *m, double x1, double y1, double x2, double y2, const char *class_name) {
    char a[32], b[32], c[32], d[32];
    charts_number(a, sizeof a, x1);
    charts_number(b, sizeof b, y1);
    charts_number(c, sizeof c, x2);
    charts_number(d, sizeof d, y2);
    markup_open(m, "line", "x1", a, "y1", b, "x2", c, "y2", d, "class", class_name, NULL);
    markup_close(m);
}

static void charts_label(Markup *m, double x, double y, const char *anchor, const char *text) {
    char a[32], b[32];
    charts_number(a, sizeof a, x);
    charts_number(b, sizeof b, y);
    markup_open(m, "text", "x", a, "y", b, "text-anchor", anchor, NULL);
    markup_text(m, "%s", text);
    markup_close(m);
}

/* 1234567 as "1.2M". */
static void human(char *out, size_t size, double v) {
    static const char *const suffix[] = {"", "k", "M", "G", "T"};
    int k = 0;
    for (; v >= 10000 && k < COUNT_OF(suffix) - 1; k++) {
        v /= 1000;
    }
    snprintf(out, size, k && v < 100 ? "%.1f%s" : "%.0f%s", v, suffix[k]);
}

void chart_curve(Markup *m, const Curve *c) {
    char text[64], last[32], first[32];
    double most = 1, low = log(fmax(c->n ? c->x[0] : 1, 1)), high = low + 1e-9;
    for (int i = 0; i < c->n; i++) {
        most = fmax(most, c->y[i]);
        high = fmax(high, log(fmax(c->x[i], 1)));
    }
    markup_open(m, "figure", NULL);
    markup_open(m, "figcaption", NULL);
    human(last, sizeof last, c->n ? c->y[c->n - 1] : 0);
    markup_text(m, "%s ", c->title);
    markup_element(m, "b", NULL, NULL, last);
    markup_close(m);
    snprintf(text, sizeof text, "0 0 %d %d", WIDE, HIGH);
    markup_open(m, "svg", "viewBox", text, "role", "img", "class", "curve", NULL);
    markup_open(m, "title", NULL);
    markup_text(m, "%s: %s at the end", c->title, last);
    markup_close(m);
    line(m, LEFT, HIGH - BOTTOM, WIDE - RIGHT, HIGH - BOTTOM, "axis");
    markup_open(m, "polyline", "class", "line", NULL);
    char *at = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&at, &size);
    CHECK(f);
    for (int i = 0; i < c->n; i++) {
        double x = LEFT + (WIDE - LEFT - RIGHT) * (log(fmax(c->x[i], 1)) - low) / (high - low);
        fprintf(f, "%s%.1f,%.1f", i ? " " : "", x,
                HIGH - BOTTOM - (HIGH - BOTTOM - TOP) * c->y[i] / most);
    }
    fclose(f);
    markup_attribute(m, "points", "%s", at);
    free(at);
    markup_close(m);
    human(text, sizeof text, most);
    charts_label(m, LEFT, TOP, "start", text);
    human(first, sizeof first, c->n ? c->x[0] : 0);
    charts_label(m, LEFT, HIGH - 3, "start", first);
    human(text, sizeof text, c->n ? c->x[c->n - 1] : 0);
    charts_label(m, WIDE - RIGHT, HIGH - 3, "end", text);
    markup_close(m);
    markup_close(m);
}

void chart_bars(Markup *m, const char *title, const Bar *bars, int n) {
    double most = 1;
    for (int i = 0; i < n; i++) {
        most = fmax(most, bars[i].value);
    }
    markup_open(m, "table", "class", "bars", NULL);
    markup_element(m, "caption", NULL, NULL, title);
    for (int i = 0; i < n; i++) {
        char count[32], width[32];
        snprintf(count, sizeof count, "%.0f", bars[i].value);
        charts_number(width, sizeof width, fmax(0.5, 100 * bars[i].value / most));
        markup_open(m, "tr", NULL);
        markup_element(m, "th", "scope", "row", bars[i].name);
        markup_element(m, "td", "class", "n", count);
        markup_open(m, "td", "class", "bar", NULL);
        markup_open(m, "svg", "viewBox", "0 0 100 8", "preserveAspectRatio", "none", "aria-hidden",
                    "true", NULL);
        markup_open(m, "rect", "width", width, "height", "8", NULL);
        markup_close(m);
        markup_close(m);
        markup_close(m);
        markup_close(m);
    }
    markup_close(m);
}

static void charts_cell(Markup *m, int i, int shade) {
    char x[32], class_name[16];
    snprintf(x, sizeof x, "%d", i * CELL);
    snprintf(class_name, sizeof class_name, "h%d", shade);
    markup_open(m, "rect", "x", x, "width", "12", "height", "12", "class", class_name, NULL);
}

void chart_heat_head(Markup *m, const char *const *columns, int n) {
    char text[64], y[16];
    snprintf(text, sizeof text, "0 0 %d %d", n * CELL, HEAD);
    snprintf(y, sizeof y, "%d", HEAD - 3);
    markup_open(m, "div", "class", "heat head", NULL);
    markup_open(m, "svg", "viewBox", text, "aria-hidden", "true", NULL);
    for (int i = 0; i < n; i++) {
        char x[16], turn[64];
        snprintf(x, sizeof x, "%d", i * CELL + 9);
        snprintf(turn, sizeof turn, "rotate(-90 %s %s)", x, y);
        markup_open(m, "text", "x", x, "y", y, "transform", turn, NULL);
        markup_text(m, "%s", columns[i]);
        markup_close(m);
    }
    markup_close(m);
    markup_close(m);
}

void chart_heat_row(Markup *m, const char *row, const char *const *columns, const double *counts,
                    int n, double most) {
    char text[64];
    markup_open(m, "div", "class", "heat", NULL);
    markup_element(m, "span", NULL, NULL, row);
    snprintf(text, sizeof text, "0 0 %d %d", n * CELL, CELL);
    markup_open(m, "svg", "viewBox", text, "role", "img", NULL);
    for (int i = 0; i < n; i++) {
        charts_cell(m, i,
                    counts[i] <= 0
                        ? 0
                        : 1 + (int)fmin(SHADES - 1, SHADES * log(counts[i]) / log(fmax(most, 2))));
        markup_open(m, "title", NULL);
        markup_text(m, "%s, %s: %.0f", row, columns[i], counts[i]);
        markup_close(m);
        markup_close(m);
    }
    markup_close(m);
    markup_close(m);
}

void chart_heat_scale(Markup *m, double most) {
    char text[64], last[32];
    markup_open(m, "div", "class", "heat scale", NULL);
    markup_element(m, "span", NULL, NULL, "0");
    snprintf(text, sizeof text, "0 0 %d %d", (SHADES + 1) * CELL, CELL);
    markup_open(m, "svg", "viewBox", text, "aria-hidden", "true", NULL);
    for (int i = 0; i <= SHADES; i++) {
        charts_cell(m, i, i);
        markup_close(m);
    }
    markup_close(m);
    human(last, sizeof last, most);
    markup_element(m, "span", NULL, NULL, last);
    markup_close(m);
}
