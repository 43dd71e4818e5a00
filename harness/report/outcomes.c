/* The file of outcomes: read strictly, kept in order, written one program a line. */
#include "harness/report/outcomes.h"

#include "harness/util/io.h"
#include "harness/util/json_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int outcome_order(const Outcome *a, const Outcome *b) {
    int order = strcmp(a->program, b->program);
    if (order == 0) {
        long x = version_number(a->release), y = version_number(b->release);
        order = x != y ? (x > y) - (x < y) : strcmp(a->release, b->release);
    }
    return order ? order : strcmp(a->mode, b->mode);
}

/* Where it is, or where it would be put. */
static int outcome_place(const Outcomes *outcomes, const Outcome *wanted, bool *found) {
    int low = 0, high = outcomes->n;
    *found = false;
    while (low < high) {
        int middle = (low + high) / 2, order = outcome_order(&outcomes->v[middle], wanted);
        if (order == 0) {
            *found = true;
            return middle;
        }
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return low;
}

const char *outcomes_find(const Outcomes *outcomes, const char *program, const char *release,
                          const char *mode) {
    bool found;
    int at = outcome_place(outcomes, &(Outcome){program, release, mode, NULL}, &found);
    return found ? outcomes->v[at].text : NULL;
}

void outcomes_set(Arena *arena, Outcomes *outcomes, const Outcome *outcome) {
    bool found;
    int at = outcome_place(outcomes, outcome, &found);
    if (found) {
        outcomes->v[at] = *outcome;
        return;
    }
    if (outcomes->n == outcomes->capacity) {
        int capacity = outcomes->capacity ? 2 * outcomes->capacity : 256;
        Outcome *v = arena_array(arena, Outcome, capacity);
        if (outcomes->n > 0) {
            memcpy(v, outcomes->v, (size_t)outcomes->n * sizeof *v);
        }
        outcomes->v = v;
        outcomes->capacity = capacity;
    }
    memmove(&outcomes->v[at + 1], &outcomes->v[at], (size_t)(outcomes->n - at) * sizeof *outcome);
    outcomes->v[at] = *outcome;
    outcomes->n++;
}

static bool read_outcomes_of(Reader *r, const Json *program, Outcomes *out) {
    if (!json_want(r, program, JSON_OBJECT, "an object")) {
        return false;
    }
    for (const Json *release = program->child; release; release = release->next) {
        if (!json_want(r, release, JSON_OBJECT, "an object")) {
            return false;
        }
        for (const Json *mode = release->child; mode; mode = mode->next) {
            if (!json_want(r, mode, JSON_STRING, "a string")) {
                return false;
            }
            outcomes_set(r->arena, out,
                         &(Outcome){program->key, release->key, mode->key, mode->text});
        }
    }
    return true;
}

/* `user`: Outcomes. */
static bool read_outcomes(void *user, Reader *r, const Json *root) {
    static const char *const keys[] = {"outcomes", NULL};
    const Json *programs = json_keys(r, root, keys, NULL) ? json_need(r, root, "outcomes") : NULL;
    bool ok = programs && json_want(r, programs, JSON_OBJECT, "an object");
    for (const Json *p = ok ? programs->child : NULL; p && ok; p = p->next) {
        ok = read_outcomes_of(r, p, user);
    }
    return ok;
}

int outcomes_read(Arena *arena, const char *path, Outcomes *out, char *message,
                  size_t message_size) {
    *out = (Outcomes){0};
    return access(path, F_OK) == 0
               ? json_file_read(arena, path, read_outcomes, out, message, message_size)
               : 0;
}

bool outcomes_write(Arena *arena, const char *path, const Outcomes *outcomes, char *message,
                    size_t message_size) {
    Text t = {.arena = arena};
    text_add(&t, "{\"outcomes\": {");
    const Outcome *last = NULL;
    for (int i = 0; i < outcomes->n; i++) {
        const Outcome *o = &outcomes->v[i];
        bool program = !last || strcmp(last->program, o->program) != 0;
        bool release = program || strcmp(last->release, o->release) != 0;
        if (program) {
            text_add(&t, last ? "}},\n  " : "\n  ");
            text_json_string(&t, o->program);
            text_add(&t, ": {");
        }
        if (release) {
            text_add(&t, program ? "" : "}, ");
            text_json_string(&t, o->release);
            text_add(&t, ": {");
        }
        text_add(&t, release ? "" : ", ");
        text_json_string(&t, o->mode);
        text_add(&t, ": ");
        text_json_string(&t, o->text);
        last = o;
    }
    text_add(&t, last ? "}}\n}}\n" : "\n}}\n");
    return io_write(path, t.v, t.n, message, message_size);
}
