/* Confirming what a job left: an artifact counts only if its program shows the finding again here.
 * It runs in a process of its own first; one that dies there is a finding too, located by running
 * longer and longer prefixes in further processes. A difference is minimized and reported. */
#include "harness/campaign/campaign.h"

#include "harness/campaign/worker.h"

#include "fuzz/mutate/mutate.h"
#include "harness/reduce/edit.h"
#include "harness/triage/group.h"
#include "harness/triage/sub_finding.h"
#include "harness/filing/report.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { APART_SECONDS = 30, MINIMIZE_CHECKS = 4000, TARGET_CHECKS = 400, TARGET_SECONDS = 30 };

typedef struct Confirmation {
    Campaign *campaign;
    Checker checker;
    Arena *arena;
    const char *name;
    char *text; /* of the file */
    int64_t n;
    const Program *program;
} Confirmation;

/* JSON may hold whatever the checker takes; bytes mean what engines decode them to. */
static bool confirm_decode(Confirmation *j, char *message, size_t message_size) {
    const Limits *limits = j->n > 0 && j->text[0] == '{' ? &j->checker.run.limits : &MUTATE_LIMITS;
    Program *p =
        codec_decode(j->arena, (const uint8_t *)j->text, j->n, limits, message, message_size);
    if (p) {
        p->semantics = run_semantics(p, &j->checker.run);
    }
    j->program = p;
    return j->program != NULL;
}

/* Standard error becomes /dev/null. It stays open: a closed descriptor 2 would be taken by the next
 * file that the process opens, and a message would be written into that. */
static void discard_standard_error(void) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDERR_FILENO);
    }
}

/* Decodes the file and checks its program, or the program cut behind statement `last`, in another
 * process: the status that it ended with. */
static int run_apart(Confirmation *j, int last) {
    fflush(NULL); /* what is buffered is written once, by this process */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        char message[256];
        io_leave_lock(); /* it writes nothing to the folder */
        worker_follow_parent();
        if (getppid() != parent) {
            _exit(0);
        }
        alarm(APART_SECONDS);
        discard_standard_error(); /* a death is reported as a finding only */
        if (confirm_decode(j, message, sizeof message)) {
            Program *p = program_clone(j->arena, j->program);
            if (last >= 0) {
                edit_cut(p, last);
            }
            CheckResult out;
            check_program(&j->checker, p, j->arena, &out);
        }
        _exit(0);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : 0;
}

static bool died(int status) {
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

static const char *op_at(const Program *p, int sid) {
    const Stmt *s = sid >= 0 ? program_stmt(p, sid) : NULL;
    return s && s->kind == STMT_OP ? s->op->name : s ? "statement" : "program";
}

/* How a process died. */
typedef enum DeathWay { DEATH_TIMEOUT, DEATH_SIGNAL, DEATH_EXIT } DeathWay;

/* A finding that is a death, in the statement `culprit`; `number` is that of seconds, of the signal
 * or of the exit status. */
static void death_finding(Confirmation *j, DeathWay way, int number, int culprit, Finding *f) {
    static const char *const kinds[] = {"timeout", "crash_signal_%d", "crash_exit_%d"},
                             *const answers[] = {"no answer in %d seconds",
                                                 "the process died of signal %d",
                                                 "the process ended with status %d"};
    char kind[sizeof f->kind];
    snprintf(kind, sizeof kind, kinds[way], number);
    finding_start(f, ORACLE_status, kind, 0, SUBJECT_CALL, -1, AT_UNKNOWN);
    f->culprit = culprit;
    snprintf(f->a, sizeof f->a, "%s", "not known");
    snprintf(f->b, sizeof f->b, answers[way], number);
    snprintf(f->signature, sizeof f->signature, "%s-%s-%s", oracle_name(f->oracle), kind,
             j->program ? op_at(j->program, culprit) : "decoding");
}

/* The death of run_apart: at the first statement whose prefix dies. */
static void describe_death(Confirmation *j, int status, Finding *f) {
    const Program *p = j->program;
    bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    int culprit = AT_UNKNOWN;
    for (int sid = 0; p && !late && sid < p->nstmts && culprit == AT_UNKNOWN; sid++) {
        culprit = died(run_apart(j, sid)) ? sid : AT_UNKNOWN;
    }
    death_finding(j,
                  late                  ? DEATH_TIMEOUT
                  : WIFSIGNALED(status) ? DEATH_SIGNAL
                                        : DEATH_EXIT,
                  late                  ? APART_SECONDS
                  : WIFSIGNALED(status) ? WTERMSIG(status)
                                        : WEXITSTATUS(status),
                  culprit, f);
}

/* The smallest program known that shows the finding, and that finding. */
static const Program *confirm_smaller(Confirmation *j, Finding *finding, MinimizeStats *stats) {
    const Program *small =
        minimize_program(j->arena, j->program, &j->checker, finding, stats, NULL, NULL);
    CheckResult last;
    check_program(&j->checker, small, j->arena, &last);
    if (last.verdict != FINDING) {
        return j->program;
    }
    check_locate(&j->checker, small, &last.finding, j->arena);
    *finding = last.finding;
    return small;
}

static void confirm_print_finding(const Confirmation *j, const Program *small,
                                  const Finding *finding, uint32_t fired, const char *path) {
    const Output *output = j->campaign->output;
    Text t = {.arena = j->arena};
    if (j->campaign->options->json) {
        text_add(&t, "{\"type\":\"finding\",\"schema_version\":1,\"file\":");
        text_json_string(&t, j->name);
        text_printf(&t, ",\"statements\":%d,\"finding\":", program_size(small));
        report_finding_json(&t, small, finding, fired);
        text_add(&t, ",\"report\":");
        text_json_string(&t, path);
        text_add(&t, "}\n");
    } else {
        int n = program_size(small);
        text_printf(&t, "%sFINDING%s %s: %d statement%s, %s\n", output->red, output->plain,
                    finding->signature, n, n == 1 ? "" : "s", path);
        report_finding(&t, small, finding, &j->checker);
    }
    output_clear(output);
    output->text(output->user, t.v, t.n);
}

/* The triage result of a signature, read at the end of the campaign and of resumed ones:
 * CAMPAIGN/verdicts/NAME, one line each for its fields. */
static bool write_verdict(Confirmation *j, const char *name, FindingStatus status,
                          const Finding *finding, const KnownIssue *issue, const Program *small,
                          uint32_t fired, const char *path) {
    Campaign *c = j->campaign;
    Text t = {.arena = j->arena};
    text_printf(&t, "%s\n%s\n%s\n%d\n%s%s\n", finding_status_name(status), group_key(finding),
                issue ? issue->issue : "", program_size(small), path ? path : "",
                path ? "/minimized.json" : "");
    report_finding_json(&t, small, finding, fired);
    text_printf(&t, "\n%s\n", group_ops(j->arena, small));
    char message[512];
    const char *file = arena_printf(j->arena, "%s/verdicts/%s", c->folder, name);
    if (!io_put(file, arena_printf(j->arena, "%s/verdict.tmp", c->folder), t.v, t.n, message,
                sizeof message)) {
        output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
        return false;
    }
    return true;
}

static bool is_new_group(Campaign *c, const Finding *finding) {
    campaign_sum(c);
    Groups groups = verdicts_group(c, verdicts_read(c));
    return !group_find(&groups, group_key(finding));
}

/* The report of a signature is in the folder of its name, unless another group's is there. */
static const char *folder_of(Confirmation *j, const Finding *finding) {
    Campaign *c = j->campaign;
    campaign_sum(c);
    TriageResult *all = verdicts_read(c);
    bool taken = false;
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        taken |= all[i].confirmed && all[i].file &&
                 strcmp(all[i].seen->text, finding->signature) == 0 &&
                 strcmp(all[i].group, group_key(finding)) != 0;
    }
    return taken ? seen_name(j->arena, finding->signature, finding->cause.group)
                 : arena_strdup(j->arena, finding->signature);
}

/* Has another signature led to the same report in this campaign? Then it was printed. */
static bool is_reported(Confirmation *j, const char *path) {
    Campaign *c = j->campaign;
    const char *file = arena_printf(j->arena, "%s/minimized.json", path);
    campaign_sum(c);
    TriageResult *all = verdicts_read(c);
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        if (all[i].confirmed && all[i].file && strcmp(all[i].file, file) == 0) {
            return true;
        }
    }
    return false;
}

/* A finding of a signature that has no triage result yet: it is known, or it is reported. */
static ConfirmStatus confirm_triage(Confirmation *j, const CheckResult *out, bool as_is) {
    Campaign *c = j->campaign;
    const CampaignOptions *o = c->options;
    Finding finding = out->finding;
    const char *name = seen_name(j->arena, finding.signature, finding.cause.group);
    Known known;
    char message[512], path[4096];
    int code = known_open_for(j->arena, o->known, &j->checker, &known, message, sizeof message);
    if (code != 0) {
        output_problem(c->output, code, "%s", message);
        return CONFIRM_TROUBLE;
    }
    if (!as_is && is_new_group(c, &finding)) {
        j->program = sub_finding(j->arena, j->program, &j->checker, &finding);
    }
    const KnownPair pair = known_pair(&j->checker);
    const KnownIssue *issue = known_find(&known, &pair, j->program, false, &finding);
    if (issue) {
        if (!o->json) {
            output_printf(c->output, "known %s: %s, %s\n", finding.signature, j->name,
                          issue->issue);
        }
        return write_verdict(j, name, STATUS_KNOWN, &finding, issue, j->program, out->fired, NULL)
                   ? CONFIRM_KNOWN
                   : CONFIRM_TROUBLE;
    }
    finding_breakpoint(&finding);
    bool external = checker_is_external(&j->checker),
         late = strcmp(finding.kind, "timeout") == 0; /* every candidate would take as long */
    MinimizeStats stats = {.checks = external ? TARGET_CHECKS : MINIMIZE_CHECKS,
                           .seconds = external ? TARGET_SECONDS : 0};
    const char *folder = folder_of(j, &finding);
    snprintf(path, sizeof path, "%s/%s", c->out, folder);
    bool kept = is_reported(j, path), /* an earlier campaign's report is replaced */
        minimize = !as_is && o->minimize && !(external && late);
    const Program *small = minimize && !kept ? confirm_smaller(j, &finding, &stats) : j->program;
    Report r = {j->program,
                small,
                &finding,
                &j->checker,
                minimize ? &stats : NULL,
                arena_printf(j->arena, "fuzz --engine %s --seed %llu, %s", c->engine->name,
                             (unsigned long long)o->seed, j->name),
                folder};
    if (!kept && !report_write(j->arena, c->out, &r, path, sizeof path, message, sizeof message)) {
        output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
        return CONFIRM_TROUBLE;
    }
    if (!kept) {
        confirm_print_finding(j, small, &finding, out->fired, path);
    }
    snprintf(finding.signature, sizeof finding.signature, "%s", out->finding.signature);
    return write_verdict(j, name, stats.flaky ? STATUS_FLAKY : STATUS_NEW, &finding, NULL, small,
                         out->fired, path)
               ? CONFIRM_FINDING
               : CONFIRM_TROUBLE;
}

static bool confirm_open(Confirmation *j) {
    Campaign *c = j->campaign;
    char message[1024];
    if (io_read(j->arena, arena_printf(j->arena, "%s/new/%s", c->folder, j->name), IO_MAX_BYTES,
                &j->text, &j->n, message, sizeof message) != IO_OK) {
        return false;
    }
    int code = checker_open_options(&j->checker, &c->options->checker, message, sizeof message);
    if (code != 0) {
        output_problem(c->output, code, "%s", message);
    }
    return code == 0;
}

/* Has the signature a triage result? */
static bool has_verdict(Confirmation *j, const Finding *finding) {
    return access(arena_printf(j->arena, "%s/verdicts/%s", j->campaign->folder,
                               seen_name(j->arena, finding->signature, finding->cause.group)),
                  F_OK) == 0;
}

ConfirmStatus confirm_file(Campaign *c, const char *name, bool as_is) {
    Confirmation j = {.campaign = c, .arena = &c->scratch, .name = name};
    char message[1024];
    if (!confirm_open(&j)) {
        return CONFIRM_TROUBLE;
    }
    int status = run_apart(&j, -1);
    bool dead = died(status), decoded = !dead && confirm_decode(&j, message, sizeof message);
    CheckResult out = {.verdict = FINDING, .fired = 1u << ORACLE_status};
    if (dead) {
        confirm_decode(&j, message, sizeof message);
        describe_death(&j, status, &out.finding);
        ledger_see(c->own, &out.finding, ledger_counts(c->own)->next);
    } else if (decoded) {
        check_program(&j.checker, j.program, j.arena, &out);
        if (out.verdict == FINDING) {
            check_locate(&j.checker, j.program, &out.finding, j.arena);
        }
    }
    if (out.verdict != FINDING || !j.program) {
        return CONFIRM_NOTHING;
    }
    return has_verdict(&j, &out.finding) ? CONFIRM_SEEN : confirm_triage(&j, &out, dead || as_is);
}

ConfirmStatus confirm_death(Campaign *c, const char *name, int signal, int seconds) {
    Confirmation j = {.campaign = c, .arena = &c->scratch, .name = name};
    CheckResult out = {.verdict = FINDING, .fired = 1u << ORACLE_status};
    char message[1024];
    if (!confirm_open(&j)) {
        return CONFIRM_TROUBLE;
    }
    if (!confirm_decode(&j, message, sizeof message)) {
        return CONFIRM_NOTHING;
    }
    death_finding(&j, signal ? DEATH_SIGNAL : DEATH_TIMEOUT, signal ? signal : seconds, AT_UNKNOWN,
                  &out.finding);
    ledger_see(c->own, &out.finding, ledger_counts(c->own)->next);
    return has_verdict(&j, &out.finding) ? CONFIRM_SEEN : confirm_triage(&j, &out, true);
}
