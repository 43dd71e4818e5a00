/* A campaign that begins in the folder of one that ended: of that one, only the corpus is left,
 * which becomes seeds, and the reports. */
#include "harness/campaign/campaign.h"

#include "harness/util/io.h"
#include "tensor/hash.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint64_t content_hash(const char *v, int64_t n) {
    uint64_t h = FNV64_START;
    for (int64_t i = 0; i < n; i++) {
        h = fnv64_byte(h, (unsigned char)v[i]);
    }
    return h;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *at) {
    (void)info, (void)type, (void)at;
    return remove(path);
}

/* Names the programs of the corpus by their contents: jobs count anew. */
static void keep_corpus(Campaign *c) {
    char **path, *text, message[256];
    int64_t length;
    Arena arena = ARENA_EMPTY;
    int n = io_list(&c->scratch, arena_printf(&c->scratch, "%s/corpus", c->folder), "", &path);
    for (int i = 0; i < n; i++) {
        arena_reset(&arena);
        if (strncmp(strrchr(path[i], '/') + 1, "seed-kept-", strlen("seed-kept-")) != 0 &&
            io_read(&arena, path[i], IO_MAX_BYTES, &text, &length, message, sizeof message) ==
                IO_OK) {
            rename(path[i], arena_printf(&arena, "%s/corpus/seed-kept-%016llx", c->folder,
                                         (unsigned long long)content_hash(text, length)));
        }
    }
    arena_destroy(&arena);
}

/* Is it something that a campaign writes, or the folder of a job? Other files are not ours. */
static bool is_of_campaign(Campaign *c, const char *path) {
    static const char *const ours[] = {"new",    DONE_FOLDER,     "verdicts",     "afl",
                                       "words",  "records.jsonl", "summary.json", "settings",
                                       "seeded", "ledger",        "take.tmp",     "seed.tmp"};
    for (int i = 0; i < COUNT_OF(ours); i++) {
        if (strcmp(strrchr(path, '/') + 1, ours[i]) == 0) {
            return true;
        }
    }
    return access(arena_printf(&c->scratch, "%s/ledger", path), F_OK) == 0 ||
           access(arena_printf(&c->scratch, "%s/job", path), F_OK) == 0;
}

void folder_begin_anew(Campaign *c) {
    enum { DEEP = 16 };
    unlink(arena_printf(&c->scratch, "%s/words", c->folder)); /* there is no campaign now */
    keep_corpus(c);
    char **path;
    int n = io_list(&c->scratch, c->folder, "", &path);
    for (int i = 0; i < n; i++) {
        if (is_of_campaign(c, path[i])) {
            nftw(path[i], remove_entry, DEEP, FTW_DEPTH | FTW_PHYS);
        }
    }
    unlink(arena_printf(&c->scratch, "%s/ended", c->folder)); /* last: until then, it begins anew */
}
