/* The report page while it is built: shared by its parts. */
#ifndef HARNESS_PAGE_H
#define HARNESS_PAGE_H

#include "harness/report/charts.h"
#include "harness/report/results.h"

enum { MAX_ROWS = 500 };

typedef struct Page {
    Markup *m;
    Arena *arena;
    const Json *root, *summary;
} Page;

/* ---- report/page.c ---- */
/* A member of an object; NULL where either is missing. */
const Json *page_member(const Json *object, const char *key);
void page_heading(Page *p, const char *title, const char *text);
/* 1234567 as "1,234,567". */
const char *page_number(Arena *arena, double n);
/* "1 signature", "2 signatures". */
const char *page_count(Arena *arena, double n, const char *what);
void page_cell(Page *p, const char *class_name, const char *text);
/* A number; the title is its unit where a narrow screen has no room for the head. */
void page_number_cell(Page *p, const char *unit, double n);
void page_tag(Page *p, const char *outcome);
/* Heads that end in '#' are right-aligned, for columns of numbers. */
void page_table_head(Page *p, const char *class_name, const char *const *head, int n);
void page_table_end(Page *p);

/* ---- report/page_findings.c: findings, by group ---- */
void page_groups(Page *p);
void page_findings(Page *p);

/* ---- report/page_charts.c: coverage, and how it grew ---- */
void page_heat_of_findings(Page *p);
void page_heat_of_ops(Page *p);
void page_growth(Page *p);

#endif
