/* One run of bench/growth: programs are checked as campaigns check them, and after every second of
 * CPU time one line tells what has been reached:
 *
 *     {"cpu": 3, "programs": 41234, "edges": 5012, "rules": 101, "pairs": 2410}
 *
 * edges of compiled/ (counters that the C compiler inserts), steps of the optimizer that fired, and
 * pairs of steps that fired in one program. Linked three ways: with its own main, for the builtin
 * engine (OUT SEED SECONDS MUTATE), and twice under libFuzzer, in a job's folder, where the file
 * `growth` holds SECONDS and the lines go to the file `samples`. */
#include "harness/campaign/feedback.h"
#include "harness/campaign/worker.h"
#include "harness/cli/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { EVERY = 16 /* programs between two looks at the clock */, MAX_EDGES = 1 << 16 };

extern uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];

/* In a file mapped into memory: a run that crashes continues where it was. */
typedef struct Growth {
    double next,
        spent; /* CPU seconds of the processes before, and of this one when last looked at */
    double before;
    int64_t programs, fired[MAX_STEPS];
    uint8_t edge[MAX_EDGES], rule[MAX_STEPS], pair[MAX_STEPS][MAX_STEPS];
    int nedges, nrules, npairs;
} Growth;

static Growth *growth;
static FILE *samples;
static double seconds;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_edges(Growth *g) {
    int n = (int)(__stop___sancov_cntrs - __start___sancov_cntrs);
    if (n > MAX_EDGES) {
        die("more than %d edges", MAX_EDGES);
    }
    const uint8_t *now = __start___sancov_cntrs;
    for (int i = 0; i < n;) {
        uint64_t eight = 0;
        if (i + 8 <= n) {
            memcpy(&eight, now + i, 8);
            if (eight == 0) {
                i += 8;
                continue;
            }
        }
        for (int end = i + 8 < n ? i + 8 : n; i < end; i++) {
            bool fresh = now[i] && !g->edge[i];
            g->edge[i] |= fresh;
            g->nedges += fresh;
        }
    }
}

static void add_rules(Growth *g, const int64_t *fired) {
    int step[MAX_STEPS], n = 0;
    for (int i = 0; i < STEP_COUNT; i++) {
        if (fired[i] != g->fired[i]) {
            step[n++] = i;
            g->nrules += !g->rule[i];
            g->rule[i] = 1;
            for (int k = 0; k < n - 1; k++) {
                g->npairs += !g->pair[step[k]][i];
                g->pair[step[k]][i] = 1;
            }
        }
    }
    memcpy(g->fired, fired, sizeof g->fired);
}

static void take_up(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || (ftruncate(fd, sizeof *growth) != 0 && strcmp(path, "/dev/zero") != 0) ||
        (growth = mmap(NULL, sizeof *growth, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) ==
            MAP_FAILED) {
        die("cannot map '%s'", path);
    }
    close(fd);
    growth->before = growth->spent;
    memset(growth->fired, 0, sizeof growth->fired);
    growth->next = growth->next > 0 ? growth->next : 1;
}

static void after_program(const Worker *w) {
    Growth *g = growth;
    g->programs++;
    add_edges(g);
#ifndef UNDER_LIBFUZZER /* which clears them itself */
    memset(__start___sancov_cntrs, 0, (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs));
#endif
    add_rules(g, w->checker.b.counters.fired);
    if (g->programs % EVERY == 0) {
        g->spent = g->before + cpu_seconds();
    }
    if (g->spent >= g->next) {
        fprintf(
            samples,
            "{\"cpu\": %.0f, \"programs\": %lld, \"edges\": %d, \"rules\": %d, \"pairs\": %d}\n",
            g->next, (long long)g->programs, g->nedges, g->nrules, g->npairs);
        fflush(samples);
        g->next++;
        if (g->next > seconds) {
            _exit(0);
        }
    }
}

#ifdef UNDER_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!growth) {
        FILE *settings = fopen("growth", "r");
        samples = fopen("samples", "a");
        if (!settings || fscanf(settings, "%lf", &seconds) != 1 || !samples) {
            die("no file 'growth' with a number of seconds here");
        }
        fclose(settings);
        take_up("reached");
    }
    worker_input(data, size, fuzz_parse, after_program);
    return 0;
}

#ifdef WITHOUT_FEEDBACK
void feedback_tell_new(const Features *f) {
    (void)f;
    feedback_hide_edges();
}
#endif

#else

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) {
    (void)start;
    (void)stop;
}
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
    (void)start;
    (void)stop;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: growth_builtin FOLDER SEED SECONDS MUTATE\n");
        return 2;
    }
    op_table_init();
    char message[1024], *none[1] = {NULL};
    CampaignOptions o;
    if (!fuzz_parse(&o, 0, none, message, sizeof message)) {
        die("%s", message);
    }
    o.seed = strtoull(argv[2], NULL, 10);
    o.mutate = atoi(argv[4]);
    samples = stdout;
    seconds = atof(argv[3]);
    take_up("/dev/zero");
    int code = worker_builtin(&o, argv[1], 0, 1, after_program, message, sizeof message);
    if (code != 0) {
        fprintf(stderr, "growth_builtin: %s\n", message);
    }
    return code;
}

#endif
