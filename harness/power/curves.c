/* Kaplan-Meier curves as an SVG picture: a logarithmic axis of programs or CPU seconds, the share
 * of trials above it. Coordinates have one decimal, so that equal trials are equal bytes. */
#include "harness/power/power.h"

#include "harness/report/markup.h"

#include <math.h>
#include <stdio.h>

enum { WIDE = 720, HIGH = 380, LEFT = 52, RIGHT = 16, TOP = 16, BOTTOM = 44, MAX_SERIES = 8 };

static const char *const COLORS[MAX_SERIES] = {"#1f6feb", "#d29922", "#2da44e", "#cf222e",
                                               "#8250df", "#57606a", "#bf3989", "#1b7c83"};

typedef struct Series {
    const char *name;
    double *time, *share;
    int steps;
} Series;

typedef struct Axis {
    double low, high; /* logarithms */
    const char *unit;
} Axis;

/* ---- data ---- */

typedef enum CurveOf { CURVE_REACHED, CURVE_TRIGGERED, CURVE_DETECTED, CURVE_SECONDS } CurveOf;

static Series series_make(const PowerRun *run, CurveOf of, const char *name, Arena *arena) {
    double *v = arena_array(arena, double, run->n + 1);
    bool *event = arena_array(arena, bool, run->n + 1);
    int n = 0;
    for (int i = 0; i < run->n; i++) {
        const PowerTrial *t = &run->trial[i];
        const Moment *m = of == CURVE_REACHED     ? &t->reached
                          : of == CURVE_TRIGGERED ? &t->triggered
                                                  : &t->detected;
        bool seconds = of == CURVE_SECONDS, happened = m->programs > 0;
        if (!t->died) {
            event[n] = happened;
            v[n++] = happened ? (seconds ? m->seconds : (double)m->programs)
                              : (seconds ? t->seconds : (double)t->programs);
        }
    }
    Series s = {name, arena_array(arena, double, n + 1), arena_array(arena, double, n + 1), 0};
    s.steps = statistics_kaplan_meier(v, event, n, s.time, s.share);
    return s;
}

/* ---- picture ---- */

static double curves_x(const Axis *axis, double time) {
    double at = (log10(fmax(time, 1e-6)) - axis->low) / (axis->high - axis->low);
    return LEFT + (WIDE - LEFT - RIGHT) * fmin(fmax(at, 0), 1);
}

static double curves_y(double share) { return HIGH - BOTTOM - (HIGH - BOTTOM - TOP) * share; }

static void curves_line(Markup *m, double x1, double y1, double x2, double y2) {
    char a[32], b[32], c[32], d[32];
    snprintf(a, sizeof a, "%.1f", x1);
    snprintf(b, sizeof b, "%.1f", y1);
    snprintf(c, sizeof c, "%.1f", x2);
    snprintf(d, sizeof d, "%.1f", y2);
    markup_open(m, "line", "x1", a, "y1", b, "x2", c, "y2", d, "stroke", "#d0d7de", NULL);
    markup_close(m);
}

static void curves_label(Markup *m, double x, double y, const char *anchor, const char *color,
                         const char *text) {
    char a[32], b[32];
    snprintf(a, sizeof a, "%.1f", x);
    snprintf(b, sizeof b, "%.1f", y);
    markup_open(m, "text", "x", a, "y", b, "text-anchor", anchor, "fill", color, NULL);
    markup_text(m, "%s", text);
    markup_close(m);
}

static void curves_frame(Markup *m, const Axis *axis) {
    char text[64];
    for (int k = 0; k <= 4; k++) {
        double y = curves_y(k / 4.0);
        curves_line(m, LEFT, y, WIDE - RIGHT, y);
        snprintf(text, sizeof text, "%d%%", 25 * k);
        curves_label(m, LEFT - 6, y + 4, "end", "#57606a", text);
    }
    for (int k = (int)axis->low; k <= (int)axis->high; k++) {
        double x = curves_x(axis, pow(10, k));
        curves_line(m, x, TOP, x, HIGH - BOTTOM);
        snprintf(text, sizeof text, k < 0 ? "%.*f" : "%.*f", k < 0 ? -k : 0, pow(10, k));
        curves_label(m, x, HIGH - BOTTOM + 16, "middle", "#57606a", text);
    }
    curves_label(m, (LEFT + WIDE - RIGHT) / 2.0, HIGH - 6, "middle", "#24292f", axis->unit);
}

static void curves_draw(Markup *m, const Axis *axis, const Series *s, const char *color, int number,
                        Arena *arena) {
    Text points = {.arena = arena};
    double share = 0;
    text_printf(&points, "%.1f,%.1f", (double)LEFT, curves_y(0));
    for (int i = 0; i < s->steps; i++) {
        double x = curves_x(axis, s->time[i]);
        text_printf(&points, " %.1f,%.1f %.1f,%.1f", x, curves_y(share), x, curves_y(s->share[i]));
        share = s->share[i];
    }
    text_printf(&points, " %.1f,%.1f", (double)(WIDE - RIGHT), curves_y(share));
    markup_open(m, "polyline", "points", points.v, "fill", "none", "stroke", color, "stroke-width",
                "2", NULL);
    markup_close(m);
    curves_label(m, LEFT + 12, TOP + 16 + 18 * number, "start", color,
                 arena_printf(arena, "%s: %.1f%% at the end", s->name, 100 * share));
}

static Axis curves_axis(const Series *s, int n, const char *unit) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        if (s[i].steps > 0) {
            least = fmin(least, s[i].time[0]);
            most = fmax(most, s[i].time[s[i].steps - 1]);
        }
    }
    least = isfinite(least) ? fmax(least, 1e-6) : 1;
    double low = floor(log10(least)), high = ceil(log10(fmax(most, least)));
    return (Axis){low, fmax(high, low + 1), unit};
}

void power_curves(const PowerRun *runs, int n, Arena *arena, Text *out) {
    static const char *const names[] = {"reached", "triggered", "detected"};
    Series s[MAX_SERIES];
    bool several = n > 1;
    int count = several ? (n < MAX_SERIES ? n : MAX_SERIES) : COUNT_OF(names);
    for (int i = 0; i < count; i++) {
        s[i] = several ? series_make(&runs[i], CURVE_SECONDS, runs[i].label, arena)
                       : series_make(&runs[0], (CurveOf)(CURVE_REACHED + i), names[i], arena);
    }
    Axis axis = curves_axis(s, count, several ? "CPU seconds" : "programs");
    Markup *m = markup_begin(true);
    char box[64];
    snprintf(box, sizeof box, "0 0 %d %d", WIDE, HIGH);
    markup_open(m, "svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", box, "font-family",
                "sans-serif", "font-size", "12", NULL);
    markup_open(m, "title", NULL);
    markup_text(m, "Share of trials by %s (Kaplan-Meier)", axis.unit);
    markup_close(m);
    markup_open(m, "rect", "width", "100%", "height", "100%", "fill", "#ffffff", NULL);
    markup_close(m);
    curves_frame(m, &axis);
    for (int i = 0; i < count; i++) {
        curves_draw(m, &axis, &s[i], COLORS[i], i, arena);
    }
    markup_close(m);
    markup_end(m, out);
}
