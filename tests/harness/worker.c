/* A job of a campaign (harness/campaign/worker.h): what the campaign sees of it in its ledger. */
#include "harness/campaign/worker.h"
#include "harness/util/interrupt.h"
#include "tests/support/harness_case.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char campaign[64];
static Worker worker;
static const CampaignOptions OPTIONS = {.checker = {.pair = "reference,compiled",
                                                    .compile = COMPILE_DEFAULT,
                                                    .limits = LIMITS_DEFAULT}};

static void open_worker(void) {
    char message[1024];
    set_up();
    strcpy(campaign, "/tmp/twingrad-worker-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(campaign));
    ck_assert_msg(worker_open(&worker, &OPTIONS, campaign, "builtin-0", message, sizeof message) ==
                      0,
                  "%s", message);
}

static void close_worker(void) {
    char path[100];
    worker_close(&worker);
    snprintf(path, sizeof path, "%s/builtin-0/ledger", campaign);
    unlink(path);
    snprintf(path, sizeof path, "%s/builtin-0", campaign);
    rmdir(path);
    rmdir(campaign);
    tear_down();
}

START_TEST(restoring_an_earlier_state_is_progress) {
    const Program *p = parse(PROGRAM);
    for (int64_t i = 0; i < 3; i++) {
        int64_t before = ledger_progress(worker.ledger);
        worker_recall(&worker, p, i, &arena);
        ck_assert_int_gt(ledger_progress(worker.ledger), before);
    }
    ck_assert_int_eq(ledger_counts(worker.ledger)->programs, 0);
}
END_TEST

START_TEST(a_checked_program_is_progress) {
    int64_t before = ledger_progress(worker.ledger);
    worker_check(&worker, parse(PROGRAM), 0, &arena);
    ledger_set(worker.ledger, &worker.counts);
    ck_assert_int_gt(ledger_progress(worker.ledger), before);
}
END_TEST

/* How a process ends that gets two requests to end, so many milliseconds apart. */
static int status_after_two_signals(int apart) {
    pid_t pid = fork();
    if (pid == 0) {
        interrupt_note();
        raise(SIGTERM);
        usleep((useconds_t)apart * 1000);
        raise(SIGTERM);
        _exit(interrupt_came() ? 7 : 8);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

/* `timeout` sends a signal to the process and one to its group. */
START_TEST(two_signals_at_once_are_one_request) {
    int status = status_after_two_signals(0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    status = status_after_two_signals(600);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("worker");
    TCase *tcase = tcase_create("worker");
    tcase_add_checked_fixture(tcase, open_worker, close_worker);
    tcase_add_test(tcase, two_signals_at_once_are_one_request);
    tcase_add_test(tcase, restoring_an_earlier_state_is_progress);
    tcase_add_test(tcase, a_checked_program_is_progress);
    suite_add_tcase(suite, tcase);
    return run_suite("harness/worker", suite);
}
