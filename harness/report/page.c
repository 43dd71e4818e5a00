/* Shared by the parts of the report page: headings, numbers, tables. */
#include "harness/report/page.h"

#include <string.h>

const Json *page_member(const Json *object, const char *key) {
    return object && object->kind == JSON_OBJECT ? json_get(object, key) : NULL;
}

void page_heading(Page *p, const char *title, const char *text) {
    markup_element(p->m, "h2", NULL, NULL, title);
    if (text) {
        markup_element(p->m, "p", NULL, NULL, text);
    }
}

const char *page_number(Arena *arena, double n) {
    const char *digits = arena_printf(arena, "%.0f", n);
    Text t = {.arena = arena};
    for (size_t i = 0, length = strlen(digits); i < length; i++) {
        text_printf(&t, i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0 ? ",%c" : "%c",
                    digits[i]);
    }
    return t.v;
}

const char *page_count(Arena *arena, double n, const char *what) {
    return arena_printf(arena, "%s %s%s", page_number(arena, n), what, n == 1 ? "" : "s");
}

void page_cell(Page *p, const char *class_name, const char *text) {
    markup_element(p->m, "td", "class", class_name, text);
}

void page_number_cell(Page *p, const char *unit, double n) {
    markup_open(p->m, "td", "class", "n", "title", unit, NULL);
    markup_text(p->m, "%s", page_number(p->arena, n));
    markup_close(p->m);
}

void page_tag(Page *p, const char *outcome) {
    markup_open(p->m, "td", NULL);
    markup_element(p->m, "span", "class", arena_printf(p->arena, "tag %s", outcome), outcome);
    markup_close(p->m);
}

void page_table_head(Page *p, const char *class_name, const char *const *head, int n) {
    markup_open(p->m, "table", "class", class_name, NULL);
    markup_open(p->m, "thead", NULL);
    markup_open(p->m, "tr", NULL);
    for (int i = 0; i < n; i++) {
        int length = (int)strcspn(head[i], "#");
        markup_open(p->m, "th", "scope", "col", "class", head[i][length] ? "n" : NULL, NULL);
        markup_text(p->m, "%.*s", length, head[i]);
        markup_close_full(p->m);
    }
    markup_close(p->m);
    markup_close(p->m);
    markup_open(p->m, "tbody", NULL);
}

void page_table_end(Page *p) {
    markup_close(p->m);
    markup_close(p->m);
}
