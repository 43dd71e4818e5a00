/* hunt.json: read strictly, written whole. */
#include "harness/hunt/hunt.h"

#include "harness/report/merge.h"
#include "harness/util/io.h"
#include "harness/util/json_file.h"
#include "harness/util/status.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *in_hunt(const Hunt *h, const char *name) {
    return arena_printf(h->arena, "%s/%s", h->out, name);
}

/* ---- reading ---- */

static bool read_round(Reader *r, const Json *j, Round *out) {
    const Json *mode = json_need(r, j, "mode"), *results = json_need(r, j, "results"),
               *seconds = json_need(r, j, "seconds"), *programs = json_need(r, j, "programs"),
               *findings = json_need(r, j, "findings"), *seed = json_need(r, j, "seed");
    if (!mode || !results || !seconds || !programs || !findings || !seed ||
        !json_want(r, mode, JSON_STRING, "a string") ||
        !json_want(r, results, JSON_STRING, "a string") ||
        !json_want(r, seconds, JSON_NUMBER, "a number") ||
        !json_read_int(r, programs, &out->programs) ||
        !json_read_int(r, findings, &out->findings) || !json_read_seed(r, seed, &out->seed)) {
        return false;
    }
    int64_t code = 0; /* older logs have none */
    if (json_get(j, "code") && !json_read_int(r, json_get(j, "code"), &code)) {
        return false;
    }
    out->code = code == EXIT_FINDINGS ? EXIT_FINDINGS : EXIT_AGREE;
    out->mode = mode->text;
    out->results = results->text;
    out->seconds = json_double(seconds);
    return true;
}

static void take_round(Hunt *h, const Round *round) {
    if (h->nrounds == h->room) {
        h->room = h->room ? 2 * h->room : 64;
        Round *more = arena_array(h->arena, Round, h->room);
        if (h->nrounds > 0) {
            memcpy(more, h->round, (size_t)h->nrounds * sizeof *more);
        }
        h->round = more;
    }
    h->round[h->nrounds++] = *round;
}

/* `user`: Hunt. */
static bool read_log(void *user, Reader *r, const Json *root) {
    Hunt *h = user;
    const Json *words = json_need(r, root, "words"), *rounds = json_need(r, root, "rounds");
    if (!words || !rounds || !json_want(r, words, JSON_ARRAY, "an array") ||
        !json_want(r, rounds, JSON_ARRAY, "an array") ||
        !json_limit(r, rounds, HUNT_MAX_ROUNDS, "rounds")) {
        return false;
    }
    h->words = arena_array(h->arena, char *, words->count + 1);
    for (const Json *j = words->child; j; j = j->next) {
        if (!json_want(r, j, JSON_STRING, "a string")) {
            return false;
        }
        h->words[h->nwords++] = arena_strdup(h->arena, j->text);
    }
    for (const Json *j = rounds->child; j; j = j->next) {
        Round round = {0};
        if (!json_want(r, j, JSON_OBJECT, "an object") || !read_round(r, j, &round)) {
            return false;
        }
        take_round(h, &round);
    }
    return true;
}

/* ---- writing ---- */

int hunt_write(const Hunt *h, char *message, size_t message_size) {
    Text t = {.arena = h->arena};
    text_add(&t, "{\"type\":\"hunt\",\"schema_version\":1,\"words\":[");
    for (int i = 0; i < h->nwords; i++) {
        text_add(&t, i ? "," : "");
        text_json_string(&t, h->words[i]);
    }
    text_add(&t, "],\n\"rounds\":[");
    for (int i = 0; i < h->nrounds; i++) {
        const Round *round = &h->round[i];
        text_add(&t, i ? ",\n{\"mode\":" : "\n{\"mode\":");
        text_json_string(&t, round->mode);
        text_printf(&t,
                    ",\"seed\":%llu,\"seconds\":%.1f,\"programs\":%lld,\"findings\":%lld,"
                    "\"code\":%d",
                    (unsigned long long)round->seed, round->seconds, (long long)round->programs,
                    (long long)round->findings, round->code);
        text_add(&t, ",\"results\":");
        text_json_string(&t, round->results);
        text_add(&t, "}");
    }
    text_add(&t, "]}\n");
    return io_write(in_hunt(h, "hunt.json"), t.v, t.n, message, message_size) ? 0
                                                                              : EXIT_ENVIRONMENT;
}

/* The results of a round; NULL, an exit code and one sentence. */
static const Json *round_results(const Hunt *h, Arena *arena, const char *name, char *message,
                                 size_t message_size, int *code) {
    const char *path = in_hunt(h, name);
    char *text;
    int64_t length;
    IoStatus status = io_read(arena, path, IO_MAX_BYTES, &text, &length, message, message_size);
    const Json *root =
        status == IO_OK ? results_parse(arena, path, text, length, message, message_size) : NULL;
    *code = root ? 0 : status == IO_ENVIRONMENT ? EXIT_ENVIRONMENT : EXIT_BAD_INPUT;
    return root;
}

static int write_results(const Hunt *h, char *message, size_t message_size) {
    Arena arena = ARENA_EMPTY;
    const Json **root = arena_array(&arena, const Json *, h->nrounds);
    char **name = arena_array(&arena, char *, h->nrounds);
    int code = 0;
    for (int i = 0; i < h->nrounds && code == 0; i++) {
        name[i] = arena_strdup(&arena, h->round[i].results);
        root[i] = round_results(h, &arena, name[i], message, message_size, &code);
    }
    Text text = {.arena = &arena};
    code =
        code ? code : results_merge(root, name, h->nrounds, &arena, &text, message, message_size);
    const ReportFiles files = {.results = in_hunt(h, "results.json"),
                               .html = in_hunt(h, "report.html")};
    code = code ? code : results_write(&files, &text, message, message_size);
    arena_destroy(&arena);
    return code;
}

/* ---- for the command ---- */

int hunt_open(Hunt *h, Arena *arena, const char *out, bool resume, char *message,
              size_t message_size) {
    *h = (Hunt){.arena = arena, .out = out};
    if (!io_mkdirs(in_hunt(h, "rounds"), message, message_size) ||
        !io_lock_folder(out, "hunt", message, message_size)) {
        return EXIT_ENVIRONMENT;
    }
    const char *path = in_hunt(h, "hunt.json");
    bool exists = access(path, F_OK) == 0;
    int code = exists ? json_file_read(arena, path, read_log, h, message, message_size) : 0;
    if (code == 0 && exists != resume && (resume || h->nrounds > 0)) {
        snprintf(message, message_size,
                 exists ? "there is a hunt in '%.200s': continue it with --resume, or take another "
                          "folder"
                        : "there is no hunt in '%.200s' to resume",
                 out);
        return EXIT_BAD_INPUT;
    }
    if (!resume) {
        h->nwords = 0; /* of a hunt that has done nothing */
    }
    return code == 0 && h->nrounds > 0 ? write_results(h, message, message_size) : code;
}

int hunt_code(const Hunt *h) {
    int code = EXIT_AGREE;
    for (int i = 0; i < h->nrounds; i++) {
        code = worst(code, h->round[i].code);
    }
    return code;
}

static bool has_round(const Hunt *h, const char *mode, uint64_t seed) {
    bool there = false;
    for (int i = 0; i < h->nrounds; i++) {
        there |= h->round[i].seed == seed && strcmp(h->round[i].mode, mode) == 0;
    }
    return there;
}

uint64_t hunt_new_seed(const Hunt *h, const char *mode, uint64_t seed) {
    while (has_round(h, mode, seed)) {
        seed++;
    }
    return seed;
}

double hunt_seconds(const Hunt *h) {
    double sum = 0;
    for (int i = 0; i < h->nrounds; i++) {
        sum += h->round[i].seconds;
    }
    return sum;
}

const char *hunt_results_name(const Hunt *h, const char *mode) {
    return arena_printf(h->arena, "rounds/%04d-%s.json", h->nrounds, mode);
}

int hunt_add(Hunt *h, const Round *round, char *message, size_t message_size) {
    Arena arena = ARENA_EMPTY;
    int code;
    const Json *root = round_results(h, &arena, round->results, message, message_size, &code),
               *summary = root ? json_get(root, "summary") : NULL;
    Round own = *round;
    if (summary) {
        own.programs = (int64_t)results_number(summary, "programs");
        own.findings = (int64_t)results_number(summary, "findings");
    }
    arena_destroy(&arena);
    if (code != 0) {
        return code;
    }
    take_round(h, &own);
    code = hunt_write(h, message, message_size);
    return code ? code : write_results(h, message, message_size);
}
