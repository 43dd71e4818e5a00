/* The ledger of a job (harness/campaign/ledger.h): what a damaged one keeps, and what it says. */
#include "harness/campaign/ledger.h"
#include "tests/support/runner.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[80], message[1024];

static void setup(void) {
    strcpy(folder, "/tmp/twingrad-ledger-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ledger", folder);
}

static void teardown(void) {
    unlink(path);
    rmdir(folder);
}

/* A ledger of 7 programs, with signatures s0, s1, s2. */
static void make(void) {
    Ledger *l = ledger_open(path, message, sizeof message);
    ck_assert_ptr_nonnull(l);
    ck_assert_str_eq(message, "");
    for (int64_t i = 1; i <= 7; i++) {
        Counts counts = *ledger_counts(l);
        counts.programs = counts.next = i;
        ledger_set(l, &counts);
    }
    for (int i = 0; i < 3; i++) {
        Finding f = {0};
        snprintf(f.signature, sizeof f.signature, "s%d", i);
        ck_assert(ledger_see(l, &f, i));
        ck_assert(!ledger_see(l, &f, i + 1));
    }
    ledger_close(l);
}

/* Writes `n` bytes of 0xA5 at `at`. */
static void damage(size_t at, size_t n) {
    int fd = open(path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(pwrite(fd, "\xA5", 1, (off_t)(at + i)), 1);
    }
    close(fd);
}

/* Opens it again: what it says, how many programs and signatures are left; a second time it says
 * nothing. */
static void expect(const char *said, int64_t programs, int64_t signatures) {
    Ledger *l = ledger_open(path, message, sizeof message);
    ck_assert_msg(l != NULL, "%s", message);
    ck_assert_msg(strstr(message, said) != NULL, "expected: %s\nfound: %s", said, message);
    ck_assert_int_eq(ledger_counts(l)->programs, programs);
    ck_assert_int_eq(l->nseen, signatures);
    ledger_close(l);
    l = ledger_open(path, message, sizeof message);
    ck_assert_str_eq(message, "");
    ck_assert_int_eq(ledger_counts(l)->programs, programs);
    ck_assert_int_eq(l->nseen, signatures);
    ledger_close(l);
}

START_TEST(an_undamaged_ledger_is_opened_without_a_word) {
    make();
    expect("", 7, 3);
}
END_TEST

START_TEST(damaged_counts_fall_back_to_those_of_the_program_before) {
    make();
    damage(offsetof(Ledger, copy) + sizeof(Counts) + offsetof(Counts, programs), 1);
    expect("its counts are those of the program before; the rest is kept", 6, 3);
    damage(offsetof(Ledger, copy), 2 * sizeof(Counts));
    expect("its counts begin at 0; the rest is kept", 0, 3);
}
END_TEST

START_TEST(a_damaged_signature_is_lost_alone) {
    make();
    damage(offsetof(Ledger, seen) + sizeof(Seen) + 1, 3);
    expect("its counts are whole, signatures lost: 1; the rest is kept", 7, 2);
}
END_TEST

START_TEST(a_damaged_header_loses_nothing) {
    make();
    damage(0, offsetof(Ledger, now));
    expect("its counts are whole; the rest is kept", 7, 3);
    damage(offsetof(Ledger, nseen), sizeof(int64_t));
    expect("its counts are whole; the rest is kept", 7, 3);
}
END_TEST

START_TEST(a_truncated_ledger_keeps_what_is_left) {
    make();
    ck_assert_int_eq(truncate(path, (off_t)(offsetof(Ledger, seen) + 2 * sizeof(Seen) + 5)), 0);
    expect("its counts are whole, signatures lost: 1", 7, 2);
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_eq(info.st_size, (off_t)sizeof(Ledger));
    ck_assert_int_eq(truncate(path, 5), 0);
    expect("its counts begin at 0", 0, 0);
}
END_TEST

START_TEST(a_file_of_other_contents_is_damage_and_never_a_crash) {
    make();
    damage(0, sizeof(Ledger));
    expect("its counts begin at 0", 0, 0);
    int fd = open(path, O_WRONLY | O_TRUNC);
    ck_assert_int_eq(write(fd, "hello\n", 6), 6);
    close(fd);
    expect("its counts begin at 0", 0, 0);
}
END_TEST

START_TEST(a_ledger_of_another_layout_is_refused) {
    uint64_t format = UINT64_C(0x7467726164000000) + 1000;
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_eq(write(fd, &format, sizeof format), (ssize_t)sizeof format);
    close(fd);
    ck_assert_ptr_null(ledger_open(path, message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "is of another version of twingrad"));
}
END_TEST

START_TEST(the_space_of_a_ledger_is_reserved) {
    make();
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_ge(info.st_blocks * 512, info.st_size);
}
END_TEST

/* A process of the job is at program `number`, or at none (-1), and dies. */
static void die_at(Ledger *l, int64_t number) {
    if (number >= 0) {
        ledger_begin(l, number);
    }
    ledger_note_death(l);
}

START_TEST(a_program_is_given_up_when_two_processes_died_at_it) {
    Ledger *l = ledger_open(path, message, sizeof message);
    die_at(l, 7);
    ck_assert(!ledger_gives_up(l, 7)); /* the process may have been killed from outside */
    die_at(l, 8);
    ck_assert(!ledger_gives_up(l, 7) && !ledger_gives_up(l, 8));
    die_at(l, 8);
    ck_assert(ledger_gives_up(l, 8) && !ledger_gives_up(l, 9));
    ledger_close(l);
}
END_TEST

START_TEST(a_death_between_programs_is_no_programs_doing) {
    Ledger *l = ledger_open(path, message, sizeof message);
    die_at(l, -1); /* while an earlier state is restored */
    die_at(l, -1);
    ck_assert(!ledger_gives_up(l, 0));
    ledger_begin(l, 0);
    Counts counts = *ledger_counts(l);
    counts.next = 1;
    ledger_set(l, &counts);
    die_at(l, -1);
    die_at(l, -1);
    ck_assert(!ledger_gives_up(l, 0) && !ledger_gives_up(l, 1));
    ledger_close(l);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ledger");
    TCase *tcase = tcase_create("ledger");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_undamaged_ledger_is_opened_without_a_word);
    tcase_add_test(tcase, damaged_counts_fall_back_to_those_of_the_program_before);
    tcase_add_test(tcase, a_damaged_signature_is_lost_alone);
    tcase_add_test(tcase, a_damaged_header_loses_nothing);
    tcase_add_test(tcase, a_truncated_ledger_keeps_what_is_left);
    tcase_add_test(tcase, a_file_of_other_contents_is_damage_and_never_a_crash);
    tcase_add_test(tcase, a_ledger_of_another_layout_is_refused);
    tcase_add_test(tcase, the_space_of_a_ledger_is_reserved);
    tcase_add_test(tcase, a_program_is_given_up_when_two_processes_died_at_it);
    tcase_add_test(tcase, a_death_between_programs_is_no_programs_doing);
    suite_add_tcase(suite, tcase);
    return run_suite("harness/ledger", suite);
}
