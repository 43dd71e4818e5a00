/* Two copies of the counts and the index of the valid one: a writer fills the other copy and then
 * switches, so that a reader, and a resumed process, finds a state between two programs. The table
 * of signatures only grows; an entry is complete before it is counted. Counts and signatures have
 * checksums, so that what is damaged is told from what is not. */
#include "harness/campaign/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEDGER_MAGIC UINT64_C(0x7467726164000000)
#define LEDGER_FORMAT (LEDGER_MAGIC + sizeof(Ledger))

/* ---- checksums ---- */

static uint64_t checksum(const void *v, size_t n) {
    uint64_t h = 0x9E3779B97F4A7C15u, word;
    CHECK(n % sizeof word == 0);
    for (size_t i = 0; i < n; i += sizeof word) {
        memcpy(&word, (const char *)v + i, sizeof word);
        h = (h ^ word) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t counts_check(const Counts *c) { return checksum(c, offsetof(Counts, check)); }
static uint64_t seen_check(const Seen *s) { return checksum(s, offsetof(Seen, check)); }

/* Keeps what the checksums vouch for; says what is lost. */
static void ledger_repair(Ledger *l, const char *path, bool cut, char *message,
                          size_t message_size) {
    bool header = l->format != LEDGER_FORMAT;
    l->format = LEDGER_FORMAT;
    const Counts *now = ledger_counts(l), *before = &l->copy[(l->now + 1) & 1];
    bool current = now->check == counts_check(now), earlier = before->check == counts_check(before);
    if (!current && !earlier) {
        l->copy[0] = (Counts){0};
        l->copy[0].check = counts_check(&l->copy[0]);
        l->now = 0;
    } else if (!current) {
        l->now++;
    }
    int64_t stated = l->nseen >= 0 && l->nseen <= MAX_SEEN ? l->nseen : -1, kept = 0;
    for (int64_t i = 0; i < (stated >= 0 ? stated : MAX_SEEN); i++) {
        if (l->seen[i].check == seen_check(&l->seen[i])) {
            memmove(&l->seen[kept++], &l->seen[i], sizeof l->seen[i]); /* with the padding */
        }
    }
    l->nseen = kept;
    if (!cut && !header && current && kept == stated) {
        return;
    }
    l->at = l->died_at = l->deaths = l->unlisted = 0;
    char signatures[64] = "";
    if (stated > kept) {
        snprintf(signatures, sizeof signatures, ", signatures lost: %lld",
                 (long long)(stated - kept));
    }
    snprintf(message, message_size, "'%.200s' was damaged: %s%s; the rest is kept", path,
             current   ? "its counts are whole"
             : earlier ? "its counts are those of the program before"
                       : "its counts begin at 0",
             signatures);
}

Ledger *ledger_open(const char *path, char *message, size_t message_size) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    Ledger *l = MAP_FAILED;
    struct stat info;
    int error = fd < 0 || fstat(fd, &info) != 0 ? errno : 0;
    bool is_new = error == 0 && info.st_size == 0,
         cut = error == 0 && info.st_size != (off_t)sizeof *l && !is_new;
    message[0] = '\0';
    uint64_t format = 0;
    if (cut && pread(fd, &format, sizeof format, 0) == (ssize_t)sizeof format &&
        (format >> 24) == (LEDGER_MAGIC >> 24) && format != LEDGER_FORMAT) {
        close(fd);
        snprintf(message, message_size,
                 "'%.200s' is of another version of twingrad: start again in another folder", path);
        return NULL;
    }
    error = error ? error : posix_fallocate(fd, 0, (off_t)sizeof *l);
    if (error == 0) {
        l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = l == MAP_FAILED ? errno : 0;
    } else if (is_new) {
        unlink(path);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (error != 0) {
        snprintf(message, message_size, "cannot map '%.200s': %s", path, strerror(error));
        return NULL;
    }
    if (is_new) {
        l->copy[0].check = counts_check(&l->copy[0]);
        l->format = LEDGER_FORMAT;
    }
    ledger_repair(l, path, cut, message, message_size);
    return l;
}

void ledger_close(Ledger *l) { munmap(l, sizeof *l); }

void ledger_set(Ledger *l, const Counts *counts) {
    Counts *next = &l->copy[(l->now + 1) & 1];
    *next = *counts;
    next->check = counts_check(next);
    atomic_signal_fence(memory_order_release); /* a killed process leaves its stores in order;
                                                  readers do not write */
    l->now++;
    l->at = 0;
}

void ledger_begin(Ledger *l, int64_t number) { l->at = number + 1; }

int64_t ledger_progress(const Ledger *l) { return ledger_counts(l)->programs + l->recalled; }

void ledger_note_death(Ledger *l) {
    if (l->at != 0) {
        l->deaths = l->at == l->died_at ? l->deaths + 1 : 1;
        l->died_at = l->at;
        l->at = 0;
    }
}

bool ledger_gives_up(const Ledger *l, int64_t number) {
    return l->died_at == number + 1 && l->deaths > 1;
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
    memset(s, 0, sizeof *s); /* padding too: it is part of the checksum */
    s->first = s->last = number;
    s->count = 1;
    snprintf(s->text, sizeof s->text, "%s", finding->signature);
    snprintf(s->group, sizeof s->group, "%s", finding->cause.group);
    s->check = seen_check(s);
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
