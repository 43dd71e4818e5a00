/* Two copies of the counts and the index of the valid one: a writer fills the other copy and then
 * switches, so that a reader, and a resumed process, finds a state between two programs. The table
 * of signatures only grows; an entry is complete before it is counted. */
#include "harness/campaign/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEDGER_FORMAT (UINT64_C(0x7467726164000000) + sizeof(Ledger))

Ledger *ledger_open(const char *path, char *message, size_t message_size) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    Ledger *l = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *l) == 0) {
        l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    int error = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (l == MAP_FAILED) {
        snprintf(message, message_size, "cannot map '%.200s': %s", path, strerror(error));
        return NULL;
    }
    if (l->format == 0) {
        l->format = LEDGER_FORMAT;
    }
    if (l->format != LEDGER_FORMAT) {
        snprintf(message, message_size,
                 "'%.200s' is of another version of twingrad: start again in another folder", path);
        ledger_close(l);
        return NULL;
    }
    return l;
}

void ledger_close(Ledger *l) { munmap(l, sizeof *l); }

void ledger_set(Ledger *l, const Counts *counts) {
    l->copy[(l->now + 1) & 1] = *counts;
    atomic_signal_fence(memory_order_release); /* a killed process leaves its stores in order;
                                                  readers do not write */
    l->now++;
}

static Seen *seen_of(Ledger *l, const char *signature, const char *group) {
    for (int64_t i = 0; i < l->nseen; i++) {
        if (strcmp(l->seen[i].text, signature) == 0 && strcmp(l->seen[i].group, group) == 0) {
            return &l->seen[i];
        }
    }
    return NULL;
}

const char *seen_name(Arena *arena, const char *signature, const char *group) {
    char *name = arena_printf(arena, "%s%s%s", signature, group[0] ? "@" : "", group);
    for (char *c = strchr(name, '/'); c; c = strchr(c, '/')) {
        *c = '-';
    }
    return name;
}

bool ledger_see(Ledger *l, const Finding *finding, int64_t number) {
    Seen *s = seen_of(l, finding->signature, finding->cause.group);
    if (s) {
        s->count += s->last != number;
        s->last = number;
        return s->first == number;
    }
    if (l->nseen == MAX_SEEN) {
        l->unlisted++;
        return false;
    }
    s = &l->seen[l->nseen];
    *s = (Seen){.first = number, .last = number, .count = 1};
    snprintf(s->text, sizeof s->text, "%s", finding->signature);
    snprintf(s->group, sizeof s->group, "%s", finding->cause.group);
    atomic_signal_fence(memory_order_release);
    l->nseen++;
    return true;
}

int ledger_feature(Ledger *l, const Features *f) {
    int fresh = 0;
    for (int i = 0; i < f->n; i++) {
        uint8_t bucket = feature_bucket(f->counter[f->touched[i]]),
                *seen = &l->feature[f->touched[i]];
        fresh += (*seen & bucket) == 0;
        *seen |= bucket;
    }
    return fresh;
}

static void merge_counts(Counts *to, const Counts *from) {
    to->programs += from->programs;
    to->calls += from->calls;
    to->statements += from->statements;
    to->refusals += from->refusals;
    to->corpus += from->corpus;
    for (int i = 0; i < ERR_COUNT; i++) {
        to->errors[i] += from->errors[i];
    }
    for (int i = 0; i < 3; i++) {
        to->verdicts[i] += from->verdicts[i];
    }
    for (int i = 0; i < SKIP_COUNT; i++) {
        to->skips[i] += from->skips[i];
    }
    for (int i = 0; i < ORACLE_COUNT; i++) {
        to->fired[i] += from->fired[i];
    }
}

void ledger_merge(Ledger *to, const Ledger *from) {
    Counts *counts = &to->copy[to->now & 1];
    merge_counts(counts, ledger_counts(from));
    counts->features = 0;
    for (int i = 0; i < FEATURES; i++) {
        to->feature[i] |= from->feature[i];
        counts->features += __builtin_popcount(to->feature[i]);
    }
    to->unlisted += from->unlisted;
    for (int64_t i = 0; i < from->nseen; i++) {
        const Seen *s = &from->seen[i];
        Seen *known = seen_of(to, s->text, s->group);
        if (known) {
            known->count += s->count;
            known->first = min_i64(known->first, s->first);
        } else if (to->nseen < MAX_SEEN) {
            to->seen[to->nseen++] = *s;
        } else {
            to->unlisted += s->count;
        }
    }
}
