/* trials.jsonl: a line that says what was run, then one line for each trial, as it ended. Appending
 * a line is the only write, so a run that is killed keeps all but its last line. */
#include "harness/power/power.h"

#include "harness/report/results.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <stdio.h>
#include <string.h>

void power_header(const PowerOptions *o, Text *out) {
    const CampaignOptions *c = &o->campaign;
    text_add(out, "{\"type\":\"power\",\"schema_version\":1,\"label\":");
    text_json_string(out, o->label);
    text_add(out, ",\"commit\":");
    text_json_string(out, o->commit);
    text_add(out, ",\"pair\":");
    text_json_string(out, c->checker.pair);
    text_add(out, ",\"engine\":");
    text_json_string(out, c->engine ? c->engine : "generator");
    text_add(out, ",\"options\":[");
    for (int i = 0; i < c->nwords; i++) {
        text_add(out, i ? "," : "");
        text_json_string(out, c->words[i]);
    }
    text_printf(out, "],\"seed\":%llu,\"budget\":%g,\"trials\":%d}\n", (unsigned long long)c->seed,
                o->budget, o->trials);
}

bool power_same_run(const char *a, const char *b) {
    static const char next[] = ",\"trials\":"; /* ends the budget: 6 is not 60 */
    const char *end = strstr(a, next);
    return end && strncmp(a, b, (size_t)(end - a) + strlen(next)) == 0;
}

static void store_moment(const char *key, const Moment *m, Text *out) {
    if (m->programs > 0) {
        text_printf(out, ",\"%s\":{\"programs\":%lld,\"seconds\":%.6f}", key,
                    (long long)m->programs, m->seconds);
    }
}

void power_print_trial(const PowerTrial *t, Text *out) {
    text_printf(out,
                "{\"type\":\"trial\",\"fault\":\"%s\",\"number\":%d,\"programs\":%lld,"
                "\"seconds\":%.6f,\"canaries\":%s,\"died\":%s",
                t->fault, t->number, (long long)t->programs, t->seconds,
                t->canaries ? "true" : "false", t->died ? "true" : "false");
    store_moment("reached", &t->reached, out);
    store_moment("triggered", &t->triggered, out);
    store_moment("detected", &t->detected, out);
    if (t->detected.programs > 0) {
        text_printf(out, ",\"oracle\":\"%s\",\"fired\":%u", t->oracle, t->fired);
    }
    text_add(out, "}\n");
}

static Moment store_read_moment(const Json *line, const char *key) {
    const Json *m = json_get(line, key);
    return m ? (Moment){(int64_t)results_number(m, "programs"), results_number(m, "seconds")}
             : (Moment){0, 0};
}

static bool store_flag(const Json *line, const char *key) {
    const Json *j = json_get(line, key);
    return j && j->kind == JSON_BOOL && j->boolean;
}

static bool store_fill_trial(const Json *line, PowerTrial *out) {
    *out = (PowerTrial){
        .number = (int)results_number(line, "number"),
        .canaries = store_flag(line, "canaries"),
        .died = store_flag(line, "died"),
        .reached = store_read_moment(line, "reached"),
        .triggered = store_read_moment(line, "triggered"),
        .detected = store_read_moment(line, "detected"),
        .programs = (int64_t)results_number(line, "programs"),
        .seconds = results_number(line, "seconds"),
        .fired = (uint32_t)results_number(line, "fired"),
    };
    snprintf(out->fault, sizeof out->fault, "%s", results_text(line, "fault", ""));
    snprintf(out->oracle, sizeof out->oracle, "%s", results_text(line, "oracle", ""));
    return strcmp(results_text(line, "type", ""), "trial") == 0 && out->fault[0];
}

bool power_read_trial(const char *text, int64_t n, PowerTrial *out) {
    Arena arena = ARENA_EMPTY;
    char message[256];
    Reader r = {.arena = &arena, .message = message, .message_size = sizeof message};
    const Json *line = json_parse(&r, text, (size_t)n);
    bool ok = line && line->kind == JSON_OBJECT && store_fill_trial(line, out);
    arena_destroy(&arena);
    return ok;
}

/* The first line: what was run. */
static bool store_read_header(const char *text, int64_t n, Arena *arena, PowerRun *run) {
    char message[256];
    Reader r = {.arena = arena, .message = message, .message_size = sizeof message};
    const Json *line = json_parse(&r, text, (size_t)n);
    if (!line || line->kind != JSON_OBJECT ||
        strcmp(results_text(line, "type", ""), "power") != 0) {
        return false;
    }
    run->label = arena_strdup(arena, results_text(line, "label", ""));
    run->trials = (int)results_number(line, "trials");
    run->budget = results_number(line, "budget");
    return true;
}

static int store_bad(const char *path, int line, const char *why, char *message, size_t size) {
    snprintf(message, size, "%s:%d: %s", path, line, why);
    return EXIT_BAD_INPUT;
}

int power_read(Arena *arena, const char *folder, PowerRun *run, const char **header, char *message,
               size_t message_size) {
    const char *path = arena_printf(arena, "%s/trials.jsonl", folder);
    char *text;
    int64_t length;
    IoStatus status = io_read(arena, path, IO_MAX_BYTES, &text, &length, message, message_size);
    if (status != IO_OK) {
        return status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
    }
    int lines = 0;
    for (int64_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
    }
    *run = (PowerRun){.trial = arena_array(arena, PowerTrial, lines)};
    int number = 1;
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, number++) {
        bool ok = number == 1 ? store_read_header(at, end - at, arena, run)
                              : power_read_trial(at, end - at, &run->trial[run->n]);
        if (!ok) {
            return store_bad(path, number, "no line of 'twingrad power --out'", message,
                             message_size);
        }
        run->n += number > 1;
        if (number == 1 && header) {
            *header = arena_printf(arena, "%.*s", (int)(end - at), at);
        }
    }
    return number > 1
               ? 0
               : store_bad(path, 1, "no line of 'twingrad power --out'", message, message_size);
}
