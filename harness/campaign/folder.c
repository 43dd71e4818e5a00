/* The folder of a campaign: making, locking, resuming and seeding it. */
#include "harness/campaign/campaign.h"

#include "fuzz/codec/codec.h"
#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutate.h"
#include "harness/report/results.h"
#include "harness/util/io.h"
#include "harness/util/status.h"
#include "program/json/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *in_folder(Campaign *c, const char *name) {
    return arena_printf(&c->scratch, "%s/%s", c->folder, name);
}

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

int64_t folder_count(const char *path) {
    DIR *dir = opendir(path);
    int64_t n = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        n += entry->d_name[0] != '.';
    }
    if (dir) {
        closedir(dir);
    }
    return n;
}

static bool write_text(Campaign *c, const char *name, const char *text, char *message,
                       size_t message_size) {
    return io_write(in_folder(c, name), text, (int64_t)strlen(text), message, message_size);
}

/* ---- seeds ---- */

typedef struct Seeding {
    Campaign *campaign;
    const char *corpus;
    bool counts; /* only counts the programs */
    Arena arena;
    int64_t n;
    int code;
} Seeding;

static void add_seed(Seeding *s, const char *kind, const Program *p) {
    Bytes bytes = codec_encode(&s->arena, p);
    Campaign *c = s->campaign;
    char message[1024];
    const char *path =
        arena_printf(&s->arena, "%s/corpus/seed-%s-%06lld", c->folder, kind, (long long)s->n++);
    if (!io_put(path, arena_printf(&s->arena, "%s/seed.tmp", c->folder), bytes.v, bytes.n, message,
                sizeof message)) {
        s->code = output_problem(s->campaign->output, EXIT_ENVIRONMENT, "%s", message);
    }
}

static void seed_of(void *user, const Source *source) {
    Seeding *s = user;
    char message[512];
    arena_reset(&s->arena);
    if (source->status != IO_OK) {
        s->code = worst(s->code,
                        output_problem(s->campaign->output,
                                       source->status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT,
                                       "%s", source->message));
        return;
    }
    Program *p = NULL;
    if (source_is_neither(source, s->corpus)) {
        s->code = output_problem(s->campaign->output, EXIT_BAD_INPUT,
                                 "%s: neither JSON nor named .bytes", source->name);
    } else if (source_is_bytes(source)) {
        p = codec_decode(&s->arena, (const uint8_t *)source->text, source->length, &MUTATE_LIMITS,
                         message, sizeof message);
    } else if (program_parse_within(&s->arena, source->text, (size_t)source->length, &MUTATE_LIMITS,
                                    &p, message, sizeof message) != PARSE_OK ||
               !program_verify_within(p, &MUTATE_LIMITS, message, sizeof message)) {
        p = NULL;
    }
    if (p && s->counts) { /* a larger one is left out */
        s->n++;
    } else if (p) {
        add_seed(s, "given", p);
    }
}

/* Can the campaign begin with the programs of --corpus? */
static int check_corpus(Campaign *c, const CampaignOptions *o) {
    Seeding s = {.campaign = c, .corpus = o->corpus, .counts = true};
    if (o->corpus) {
        io_each_corpus(o->corpus, seed_of, &s);
        if (s.code == 0 && s.n == 0) {
            s.code = output_problem(c->output, EXIT_BAD_INPUT, "there is no program in '%.200s'",
                                    o->corpus);
        }
    }
    arena_destroy(&s.arena);
    return s.code;
}

/* Seeds of a campaign that was ended while it wrote them. */
static void drop_seeds(Campaign *c) {
    static const char *const kinds[] = {"seed-given-", "seed-made-"};
    for (int i = 0; i < COUNT_OF(kinds); i++) {
        char **path;
        int n = io_list(&c->scratch, in_folder(c, "corpus"), kinds[i], &path);
        for (int k = 0; k < n; k++) {
            unlink(path[k]);
        }
    }
}

int folder_seed(Campaign *c) {
    const CampaignOptions *o = c->options;
    Seeding s = {.campaign = c, .corpus = o->corpus};
    if (exists(in_folder(c, "seeded"))) {
        return 0;
    }
    drop_seeds(c);
    if (o->corpus) {
        io_each_corpus(o->corpus, seed_of, &s);
    }
    s.n = 0;
    for (int i = 0; s.code == 0 && i < c->engine->first_seeds; i++) {
        arena_reset(&s.arena);
        const Program *p =
            generate_program_info(&s.arena, &o->generate, o->seed, (uint64_t)i, NULL);
        char message[256];
        if (program_verify_within(p, &MUTATE_LIMITS, message, sizeof message)) {
            add_seed(&s, "made", p);
        }
    }
    char message[512];
    if (s.code == 0 && !write_text(c, "seeded", "", message, sizeof message)) {
        s.code = output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
    }
    arena_destroy(&s.arena);
    return s.code;
}

/* ---- making and resuming ---- */

static char *folder_read_text(Campaign *c, const char *path) {
    char *text, message[256];
    int64_t n;
    return io_read(&c->arena, path, IO_MAX_BYTES, &text, &n, message, sizeof message) == IO_OK
               ? text
               : NULL;
}

/* `*o` becomes the stored options, overridden by its own. */
static int take_options(Campaign *c, CampaignOptions *o, CampaignParse *parse) {
    char *text = folder_read_text(c, in_folder(c, "words")), message[1024];
    if (!text) {
        return output_problem(c->output, EXIT_BAD_INPUT,
                              "'%s' holds no campaign that could be resumed", o->out);
    }
    int n = 0;
    char **word = arena_array(&c->arena, char *, (int64_t)strlen(text) + o->nwords + 1);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        word[n++] = line;
    }
    for (int i = 0; i < o->nwords; i++) {
        word[n++] = o->words[i];
    }
    CampaignOptions all;
    if (!parse(&all, n, word, message, sizeof message)) {
        return output_problem(c->output, EXIT_ENVIRONMENT,
                              "%s/words is not what a campaign wrote: %s", c->folder, message);
    }
    *o = all;
    return 0;
}

static int lock(Campaign *c) {
    char message[512];
    return io_lock_folder(c->folder, "campaign", message, sizeof message)
               ? 0
               : output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
}

static const char *words_of(Campaign *c, const CampaignOptions *o) {
    Text t = {.arena = &c->scratch};
    text_add(&t, "");
    for (int i = 0; i < o->nwords; i++) {
        text_printf(&t, "%s\n", o->words[i]);
    }
    return t.v;
}

static int check_options(Campaign *c, const CampaignOptions *o) {
    c->engine = engine_find(o->engine ? o->engine : "builtin");
    if (!c->engine) {
        return output_problem(c->output, EXIT_BAD_INPUT, "there is no engine '%.60s'; known: %s",
                              o->engine, engine_names());
    }
    if (o->jobs == 0 || o->jobs > MAX_JOBS) {
        return output_problem(c->output, EXIT_BAD_INPUT, "--jobs needs a number from 1 to %d",
                              MAX_JOBS);
    }
    if (o->mutate > 100) {
        return output_problem(c->output, EXIT_BAD_INPUT, "--mutate needs a number from 0 to 100");
    }
    if (o->stats || o->every || o->swarm_passes) {
        return output_problem(c->output, EXIT_BAD_INPUT,
                              "--%s is not for campaigns of --engine or --jobs",
                              o->stats   ? "stats"
                              : o->every ? "every"
                                         : "swarm-passes");
    }
    for (int i = 0; i < o->nwords; i++) {
        if (strchr(o->words[i], '\n')) {
            return output_problem(c->output, EXIT_BAD_INPUT,
                                  "an argument of a campaign cannot hold a newline");
        }
    }
    if (strcmp(c->engine->name, "builtin") != 0) {
        if (o->shard.count > 1) {
            return output_problem(c->output, EXIT_BAD_INPUT,
                                  "--shard is for the builtin engine: %s follows no fixed stream",
                                  c->engine->name);
        }
        for (const char *at = o->checker.pair; (at = strchr(at, ':')); at++) {
            if (strncmp(at, ":native", 7) != 0) {
                return output_problem(c->output, EXIT_BAD_INPUT,
                                      "engine %s runs pairs of this process only, not '%s'",
                                      c->engine->name, o->checker.pair);
            }
        }
    }
    Known known;
    char message[1024];
    int code = known_open(&c->arena, o->known, &known, message, sizeof message);
    if (code != 0) {
        return output_problem(c->output, code, "%s", message);
    }
    Checker checker;
    code = checker_open_options(&checker, &o->checker, message, sizeof message);
    if (code != 0) {
        return output_problem(c->output, code, "%s", message);
    }
    checker_close(&checker);
    return c->engine->ready(c, message, sizeof message)
               ? 0
               : output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
}

/* Makes OUT if it does not exist; without --out, a new folder among the system's temporary files.
 * Reports are named by the path as it was given: code scanning wants one within the repository. */
static int open_out(Campaign *c, const CampaignOptions *o) {
    char message[1024];
    const char *out = o->out;
    if (!out) {
        const char *tmp = getenv("TMPDIR");
        out = mkdtemp(arena_printf(&c->arena, "%s/twingrad-XXXXXX", tmp && tmp[0] ? tmp : "/tmp"));
        if (!out) {
            return output_problem(c->output, EXIT_ENVIRONMENT,
                                  "cannot make a folder for the campaign: %s", strerror(errno));
        }
    }
    if (!io_mkdirs(out, message, sizeof message)) {
        return output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
    }
    char *real = realpath(out, NULL);
    if (!real) {
        return output_problem(c->output, EXIT_ENVIRONMENT, "cannot find '%s': %s", out,
                              strerror(errno));
    }
    size_t length = strlen(out);
    while (length > 1 && out[length - 1] == '/') {
        length--;
    }
    c->out = arena_printf(&c->arena, "%.*s", (int)length, out);
    c->folder = arena_printf(&c->arena, "%s/campaign", real);
    free(real);
    return 0;
}

static int make_parts(Campaign *c) {
    static const char *const parts[] = {"corpus", "new", DONE_FOLDER, "verdicts"};
    char message[1024];
    int code = 0;
    for (int i = 0; code == 0 && i < COUNT_OF(parts); i++) {
        if (!io_mkdirs(in_folder(c, parts[i]), message, sizeof message)) {
            code = output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
        }
    }
    return code;
}

int folder_open(Campaign *c, CampaignOptions *o, CampaignParse *parse) {
    char message[1024];
    if (o->resume && !o->out) {
        return output_problem(c->output, EXIT_BAD_INPUT,
                              "--resume needs --out, the folder of the campaign that goes on");
    }
    if (o->resume && !exists(arena_printf(&c->scratch, "%s/campaign/words", o->out))) {
        return output_problem(c->output, EXIT_BAD_INPUT,
                              "'%s' holds no campaign that could be resumed", o->out);
    }
    if (o->resume && o->corpus) {
        return output_problem(c->output, EXIT_BAD_INPUT,
                              "--corpus is for a campaign that begins: --resume goes on with its "
                              "own");
    }
    int code = o->resume ? 0 : check_options(c, o);
    code = code || o->resume ? code : check_corpus(c, o);
    code = code ? code : open_out(c, o);
    if (code == 0 && o->resume) {
        code = take_options(c, o, parse);
        code = code ? code : check_options(c, o);
    }
    if (code == 0) {
        code = results_ready(&o->reports, o->out, message, sizeof message);
        code = code == 0 ? 0 : output_problem(c->output, code, "%s", message);
    }
    if (code == 0 && !io_mkdirs(c->folder, message, sizeof message)) {
        code = output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
    }
    code = code ? code : lock(c);
    if (code != 0) {
        return code;
    }
    bool there = exists(in_folder(c, "words")), ended = exists(in_folder(c, "ended"));
    const char *settings = settings_print(c, o),
               *before = there ? folder_read_text(c, in_folder(c, "settings")) : NULL;
    if (there && !ended && !o->resume) {
        return output_problem(
            c->output, EXIT_BAD_INPUT,
            "'%s' holds a campaign that was cut short: go on with --resume, or take another folder",
            c->out);
    }
    const char *other = o->resume && before ? settings_difference(c, before, settings) : NULL;
    if (other) {
        return output_problem(c->output, EXIT_BAD_INPUT,
                              "'%s' holds a campaign with another %s: it goes on with the same, or "
                              "begins anew elsewhere",
                              c->out, other);
    }
    c->is_new = !o->resume;
    if (c->is_new && (there || ended)) {
        folder_begin_anew(c);
    }
    code = make_parts(c);
    if (code != 0) {
        return code;
    }
    unlink(in_folder(c, "ended"));
    bool written = write_text(c, "settings", settings, message, sizeof message) &&
                   (!c->is_new || write_text(c, "words", words_of(c, o), message, sizeof message));
    if (!written || !(c->own = ledger_open(in_folder(c, "ledger"), message, sizeof message))) {
        return output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
    }
    if (message[0]) {
        output_problem(c->output, EXIT_AGREE, "%s", message);
    }
    return 0;
}

/* ---- files to be confirmed ---- */

bool folder_settled(const Campaign *c, const char *path) {
    enum { SETTLED_MS = 1000 };
    struct stat file;
    struct timespec now;
    bool running = false;
    for (int k = 0; k < c->njobs; k++) {
        running |= c->job[k].pid > 0;
    }
    if (!running || stat(path, &file) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return true;
    }
    int64_t age = (int64_t)(now.tv_sec - file.st_mtim.tv_sec) * 1000 +
                  (now.tv_nsec - file.st_mtim.tv_nsec) / 1000000;
    return age < 0 || age >= SETTLED_MS; /* the clock may have been set back */
}

char *folder_next(Campaign *c) {
    char **path, *name = NULL;
    Arena arena = ARENA_EMPTY;
    int n = io_list(&arena, in_folder(c, "new"), "", &path);
    for (int i = 0; i < n && !name; i++) {
        const char *base = strrchr(path[i], '/') + 1;
        name = folder_settled(c, path[i]) && !confirm_left(c, base) ? strdup(base) : NULL;
    }
    arena_destroy(&arena);
    return name;
}

void folder_confirmed(Campaign *c, const char *name) {
    const char *from = arena_printf(&c->scratch, "%s/new/%s", c->folder, name);
    if (rename(from, arena_printf(&c->scratch, "%s/" DONE_FOLDER "/%s", c->folder, name)) != 0) {
        campaign_problem(c, EXIT_ENVIRONMENT, "cannot move '%s': %s", from, strerror(errno));
    }
}

void folder_take(Campaign *c, const char *from, const char *folder, const char *name) {
    char *text, message[512];
    int64_t n;
    const char *to = arena_printf(&c->scratch, "%s/%s/%s", c->folder, folder, name);
    if (exists(to) ||
        (strcmp(folder, "new") == 0 &&
         exists(arena_printf(&c->scratch, "%s/" DONE_FOLDER "/%s", c->folder, name)))) {
        return;
    }
    if (io_read(&c->scratch, from, IO_MAX_BYTES, &text, &n, message, sizeof message) == IO_OK) {
        io_put(to, arena_printf(&c->scratch, "%s/take.tmp", c->folder), text, n, message,
               sizeof message);
    }
}
