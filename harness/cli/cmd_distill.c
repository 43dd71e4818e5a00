/* distill: selects the fewest programs of a corpus that together show all coverage features of the
 * whole (campaign/coverage.h).
 *
 * Greedy set cover (Johnson, 1974): take the program with the most features that are not covered
 * yet, until all are covered; among equals the smaller one (in bytes of the codec), then the one
 * whose bytes come first, so that the answer depends only on the set of programs. Gains only
 * shrink, so with a heap of the last known gains few are counted again (Minoux, 1978).
 *
 *     DIR/programs.jsonl   the programs, the one with the largest gain first
 *     DIR/brings.jsonl     line by line, the features that each adds to those before it
 *
 * A program is held as bytes of the codec and its features as numbers in order of first appearance:
 * a few hundred bytes each. */
#include "fuzz/codec/codec.h"
#include "tensor/array.h"
#include "harness/cli/command.h"
#include "harness/campaign/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct DistillEntry {
    const char *source;
    Bytes bytes;
    Semantics semantics;     /* that the program states: bytes hold none */
    const uint32_t *feature; /* by number */
    int nfeatures;
    int gain; /* an upper bound of the features that it would add */
} DistillEntry;

typedef struct DistillState {
    const Options *options;
    Checker checker;
    Arena arena, home; /* of one program; of all that is held */
    DistillEntry *entry;
    int n, capacity;
    CoverageFeature *feature; /* by number */
    int nfeatures, coverage_capacity;
    int32_t *slot; /* open addressing: number + 1, or 0 */
    int nslot;
    CoverageList list;
    Signatures signatures;
    int64_t unknown, findings;
    double shown;
    int code;
} DistillState;

/* ---- entries and features ---- */

static int32_t *distill_slot_of(const DistillState *s, CoverageFeature feature) {
    uint64_t at = feature * 0x9E3779B97F4A7C15u >> 32;
    for (;; at++) {
        int32_t *slot = &s->slot[at & (uint64_t)(s->nslot - 1)];
        if (*slot == 0 || s->feature[*slot - 1] == feature) {
            return slot;
        }
    }
}

static uint32_t number_of(DistillState *s, CoverageFeature feature) {
    if (2 * s->nfeatures >= s->nslot) {
        free(s->slot);
        s->nslot = s->nslot ? 2 * s->nslot : 4096;
        s->slot = calloc((size_t)s->nslot, sizeof *s->slot);
        if (!s->slot) {
            die("no memory for %d features", s->nfeatures);
        }
        for (int i = 0; i < s->nfeatures; i++) {
            *distill_slot_of(s, s->feature[i]) = i + 1;
        }
    }
    int32_t *slot = distill_slot_of(s, feature);
    if (*slot == 0) {
        s->feature = array_reserve_heap(s->feature, s->nfeatures, &s->coverage_capacity, 1024,
                                        sizeof *s->feature);
        s->feature[s->nfeatures++] = feature;
        *slot = s->nfeatures;
    }
    return (uint32_t)*slot - 1;
}

static void distill_progress(DistillState *s) {
    double now = now_seconds();
    if (progress_wanted(s->options) && now - s->shown > 0.5) {
        s->shown = now;
        fprintf(stderr, "\r%d programs, %d features ", s->n, s->nfeatures);
    }
}

static void distill_take(DistillState *s, const char *source, const Program *p) {
    CheckResult outcome;
    coverage_of(&s->checker, p, &s->arena, &s->signatures, &s->list, &outcome);
    s->findings += outcome.verdict == FINDING;
    s->entry = array_reserve_heap(s->entry, s->n, &s->capacity, 1024, sizeof *s->entry);
    DistillEntry *e = &s->entry[s->n++];
    Bytes bytes = codec_encode(&s->arena, p);
    uint32_t *numbers = arena_alloc_raw(&s->home, (int64_t)sizeof *numbers * s->list.n);
    for (int i = 0; i < s->list.n; i++) {
        numbers[i] = number_of(s, s->list.v[i]);
    }
    *e = (DistillEntry){arena_strdup(&s->home, source),
                        {arena_copy(&s->home, bytes.v, bytes.n), bytes.n},
                        p->semantics,
                        numbers,
                        s->list.n,
                        s->list.n};
    distill_progress(s);
}

static void distill_visit(void *user, const Source *source) {
    DistillState *s = user;
    arena_reset(&s->arena);
    Program *p;
    bool known = true;
    int code = load_program(s->options, &s->arena, source, &p, &known);
    if (code == 0) {
        distill_take(s, printable(&s->arena, source->name), p);
    } else {
        s->unknown += !known;
        s->code = worst(s->code, known ? code : EXIT_AGREE);
    }
}

/* ---- the cover ---- */

/* Is `a` taken before `b`? */
static bool distill_before(const DistillEntry *a, const DistillEntry *b) {
    if (a->gain != b->gain) {
        return a->gain > b->gain;
    }
    if (a->bytes.n != b->bytes.n) {
        return a->bytes.n < b->bytes.n;
    }
    int order = memcmp(a->bytes.v, b->bytes.v, (size_t)a->bytes.n);
    if (order == 0) {
        order = a->semantics != b->semantics ? (int)a->semantics - (int)b->semantics
                                             : strcmp(a->source, b->source);
    }
    return order < 0;
}

static void distill_sift(const DistillState *s, int *heap, int n, int at) {
    for (int child; (child = 2 * at + 1) < n; at = child) {
        child +=
            child + 1 < n && distill_before(&s->entry[heap[child + 1]], &s->entry[heap[child]]);
        if (!distill_before(&s->entry[heap[child]], &s->entry[heap[at]])) {
            return;
        }
        int keep = heap[at];
        heap[at] = heap[child];
        heap[child] = keep;
    }
}

static int distill_gain(const DistillEntry *e, const bool *covered) {
    int gain = 0;
    for (int i = 0; i < e->nfeatures; i++) {
        gain += !covered[e->feature[i]];
    }
    return gain;
}

/* Writes the selected entries to `order`, in order; returns their number. */
static int distill_cover(DistillState *s, int *order) {
    int *heap = arena_array(&s->home, int, s->n), n = s->n, taken = 0;
    bool *covered = arena_array(&s->home, bool, s->nfeatures);
    for (int i = 0; i < n; i++) {
        heap[i] = i;
    }
    for (int i = n / 2 - 1; i >= 0; i--) {
        distill_sift(s, heap, n, i);
    }
    while (n > 0) {
        DistillEntry *e = &s->entry[heap[0]];
        int gain = distill_gain(e, covered);
        if (gain == 0) {
            heap[0] = heap[--n];
        } else if (gain < e->gain) {
            e->gain = gain;
        } else {
            order[taken++] = heap[0];
            for (int i = 0; i < e->nfeatures; i++) {
                covered[e->feature[i]] = true;
            }
            heap[0] = heap[--n];
        }
        distill_sift(s, heap, n, 0);
    }
    return taken;
}

/* ---- output ---- */

static void distill_brings_line(DistillState *s, Text *t, const DistillEntry *e, int line,
                                const Program *p, bool *covered) {
    text_printf(t, "{\"program\":%d,\"name\":", line);
    text_json_string(t, p->name ? p->name : "");
    text_add(t, ",\"source\":");
    text_json_string(t, e->source);
    text_printf(t, ",\"statements\":%d,\"brings\":[", program_size(p));
    int edges = 0, listed = 0;
    for (int i = 0; i < e->nfeatures; i++) {
        if (!covered[e->feature[i]]) {
            CoverageFeature feature = s->feature[e->feature[i]];
            covered[e->feature[i]] = true;
            if (strcmp(coverage_kind_name(coverage_kind(feature)), "edge") == 0) {
                edges++;
                continue;
            }
            text_add(t, listed++ ? "," : "");
            text_json_string(t, coverage_name(&s->arena, feature, &s->signatures));
        }
    }
    text_add(t, "]");
    if (edges > 0) {
        text_printf(t, ",\"edges\":%d", edges);
    }
    text_add(t, "}\n");
}

static int distill_write_file(DistillState *s, const char *name, const Text *t) {
    char message[512];
    const char *path = arena_printf(&s->arena, "%s/%s", s->options->out, name);
    return io_write(path, t->n > 0 ? t->v : "", t->n, message, sizeof message)
               ? EXIT_AGREE
               : complain(EXIT_ENVIRONMENT, "%s", message);
}

static int distill_write_all(DistillState *s, const int *order, int taken) {
    Text programs = {.arena = &s->home}, brings = {.arena = &s->home};
    bool *covered = arena_array(&s->home, bool, s->nfeatures);
    for (int k = 0; k < taken; k++) {
        const DistillEntry *e = &s->entry[order[k]];
        arena_reset(&s->arena);
        Program *p = codec_decode(&s->arena, e->bytes.v, e->bytes.n, &LIMITS_DEFAULT, NULL, 0);
        p->semantics = e->semantics;
        program_print(&programs, p, true);
        if (programs.v[programs.n - 1] != '\n') {
            text_add(&programs, "\n");
        }
        distill_brings_line(s, &brings, e, k + 1, p, covered);
    }
    int code = distill_write_file(s, "programs.jsonl", &programs);
    return code ? code : distill_write_file(s, "brings.jsonl", &brings);
}

static void distill_summary(DistillState *s, int taken) {
    Text t = {.arena = &s->arena};
    int64_t kinds[16] = {0};
    for (int i = 0; i < s->nfeatures; i++) {
        kinds[coverage_kind(s->feature[i])]++;
    }
    bool json = s->options->json;
    text_printf(&t,
                json ? "{\"type\":\"distill\",\"schema_version\":1,\"programs\":%d,\"kept\":%d,"
                       "\"findings\":%lld,\"not_expressible\":%lld,\"traits\":{"
                     : "%d programs, %d kept; %lld with a finding, %lld not expressible; they show",
                s->n, taken, (long long)s->findings, (long long)s->unknown);
    for (int k = 0; coverage_kind_name(k); k++) {
        text_printf(&t, json ? "%s\"%s\":%lld" : "%s %s %lld", k == 0 ? "" : ",",
                    coverage_kind_name(k), (long long)kinds[k]);
    }
    text_add(&t, json ? "}}" : "");
    puts(t.v);
}

/* ---- inputs that would be replaced ---- */

typedef struct DistillOutputs {
    const char *path[2];
    const char *replaced; /* the one that a source is, or NULL */
} DistillOutputs;

static void distill_note_replaced(void *user, const Source *source) {
    DistillOutputs *outputs = user;
    char file[4096];
    const char *line = strrchr(source->name, ':'); /* "programs.jsonl:17" */
    int n = line && line[1 + strspn(line + 1, "0123456789")] == '\0' ? (int)(line - source->name)
                                                                     : (int)strlen(source->name);
    snprintf(file, sizeof file, "%.*s", n, source->name);
    for (int i = 0; i < COUNT_OF(outputs->path); i++) {
        if (io_same_file(outputs->path[i], file) || io_same_file(outputs->path[i], source->name)) {
            outputs->replaced = outputs->path[i];
        }
    }
}

/* 0, or an exit code after complaining: what distill keeps must not replace what it reads. */
static int distill_keeps_sources(const Options *o) {
    Arena arena = ARENA_EMPTY;
    DistillOutputs outputs = {{arena_printf(&arena, "%s/programs.jsonl", o->out),
                               arena_printf(&arena, "%s/brings.jsonl", o->out)},
                              NULL};
    bool any = access(outputs.path[0], F_OK) == 0 || access(outputs.path[1], F_OK) == 0;
    for (int i = 0; any && i < o->nfiles && !outputs.replaced; i++) {
        if (strcmp(o->files[i], "-") == 0) { /* it can be read once */
            distill_note_replaced(&outputs, &(Source){.name = "-"});
        } else {
            io_each_corpus(o->files[i], distill_note_replaced, &outputs);
        }
    }
    int code = outputs.replaced
                   ? complain(EXIT_BAD_INPUT, "%.200s is part of the corpus: name another --out",
                              outputs.replaced)
                   : 0;
    arena_destroy(&arena);
    return code;
}

int cmd_distill(const Options *o) {
    DistillState s = {.options = o};
    GenerateOptions generate;
    char message[512];
    s.signatures.arena = &s.home;
    if (!o->out) {
        return complain(EXIT_BAD_INPUT, "distill needs --out DIR");
    }
    if (o->nfiles == 0 && o->runs == 0) {
        return complain(EXIT_BAD_INPUT,
                        "distill needs a corpus: files, directories, or --runs N random programs");
    }
    int code = generate_options(o, &generate);
    code = code ? code : distill_keeps_sources(o);
    code = code ? code : open_checker(o, &s.checker);
    if (code != 0) {
        return code;
    }
    s.checker.stages = false;
    for (int i = 0; i < o->nfiles; i++) {
        int64_t n = io_each_corpus(o->files[i], distill_visit, &s);
        s.code = worst(s.code, any_program(o->files[i], n));
    }
    for (int64_t i = 0; i < o->runs; i++) {
        arena_reset(&s.arena);
        const Program *p = generate_program_info(&s.arena, &generate, o->seed, (uint64_t)i, NULL);
        distill_take(&s,
                     arena_printf(&s.arena, "fuzz --seed %llu, program %lld",
                                  (unsigned long long)o->seed, (long long)i),
                     p);
    }
    if (progress_wanted(o)) {
        fprintf(stderr, "\r%60s\r", "");
    }
    int *order = arena_array(&s.home, int, s.n), taken = s.n > 0 ? distill_cover(&s, order) : 0;
    if (s.n > 0 || s.code == 0) {
        code = io_mkdirs(o->out, message, sizeof message)
                   ? distill_write_all(&s, order, taken)
                   : complain(EXIT_ENVIRONMENT, "%s", message);
        if (code == 0 && !o->quiet) {
            distill_summary(&s, taken);
        }
    }
    checker_close(&s.checker);
    coverage_free(&s.list);
    free(s.slot);
    free(s.feature);
    free(s.entry);
    arena_destroy(&s.arena);
    arena_destroy(&s.home);
    return worst(code, s.code);
}
