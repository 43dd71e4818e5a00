/* Composition of reads (pull_back, rules/view.c) against brute force: random places, sources and
 * views, element by element. */
#include "compiled/rules/rules.h"
#include "tests/support/runner.h"

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* The element of `place` that lies at an address, as its address in `source`; -1: none. */
static int64_t source_of(const Tensor *place, const Tensor *source, int64_t address) {
    Tensor a = *place, b = *source;
    for (int64_t i = 0; i < tensor_numel(place); i++) {
        int64_t rest = i, at = a.offset, from = b.offset;
        for (int d = a.ndim - 1; d >= 0; d--) {
            at += rest % a.size[d] * a.stride[d];
            from += rest % a.size[d] * b.stride[d];
            rest /= a.size[d];
        }
        if (at == address) {
            return from;
        }
    }
    return -1;
}

START_TEST(pull_back_answers_only_what_brute_force_confirms) {
    uint64_t state = 7;
    const Compile nothing = {.sample = NULL};
    int answers = 0;
    for (int turn = 0; turn < 200000; turn++) {
        Tensor place = {.dtype = DT_float32, .ndim = 1 + (int)draw(&state, 3)}, source,
               view = place, out;
        int64_t step = 1 + (int64_t)draw(&state, 2);
        for (int d = place.ndim - 1; d >= 0; d--) {
            place.size[d] = 1 + (int64_t)draw(&state, 4);
            place.stride[d] = step;
            step *= place.size[d] + (int64_t)draw(&state, 2);
        }
        place.offset = (int64_t)draw(&state, 3);
        source = place;
        source.offset = 10;
        for (int d = 0; d < source.ndim; d++) {
            bool kept = draw(&state, 2) == 0;
            int64_t other = (int64_t)draw(&state, 7) - 2;
            source.stride[d] = kept ? source.stride[d] : other;
        }
        view.ndim = 1 + (int)draw(&state, 2);
        view.offset = (int64_t)draw(&state, 6);
        for (int d = 0; d < view.ndim; d++) {
            view.size[d] = 1 + (int64_t)draw(&state, 3);
            view.stride[d] = (int64_t)draw(&state, 8);
        }
        if (!pull_back(&nothing, &view, &place, &source, &out)) {
            continue;
        }
        answers++;
        ck_assert(tensor_same_size(&out, &view));
        for (int64_t i = 0; i < tensor_numel(&view); i++) {
            int64_t rest = i, at = view.offset, have = out.offset;
            for (int d = view.ndim - 1; d >= 0; d--) {
                at += rest % view.size[d] * view.stride[d];
                have += rest % view.size[d] * out.stride[d];
                rest /= view.size[d];
            }
            ck_assert_int_eq(source_of(&place, &source, at), have);
        }
    }
    ck_assert_int_gt(answers, 5000);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiled/pull_back");
    TCase *tests = tcase_create("pull_back");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, pull_back_answers_only_what_brute_force_confirms);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/pull_back", suite);
}
