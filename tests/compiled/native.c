/* The native tier's cache of shared objects, and the thread count of BLAS: what several sessions in
 * one process share. */
#include "compiled/native/native.h"
#include "tests/support/graph_case.h"
#include "tests/support/runner.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2, PLANS = 8, ELEMENTS = 4 };

/* A session: compiles PLANS plans one after the other, in step with the other session. */
typedef struct CacheUser {
    const char *folder;
    int first; /* its plans add first, first + 1, .. to their input */
    pthread_barrier_t *step;
    char wrong[200]; /* what went wrong, or empty */
} CacheUser;

/* Compiles y = x + addend through `native` and runs it; false if y is something else. */
static bool add_natively(Native *native, int addend) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_float32, ELEMENTS, FILL_arange, 0);
    Node *y = case_scalar(&k, OP_add_Scalar, x, scalar_float(addend));
    case_return(&k, y);
    pass_plan(&k.c);
    Plan *plan = graph_lower(&k.c);
    plan->native = native_functions(native, plan, false);
    void *data[1] = {k.input[0]->data}, *tangent[1] = {NULL};
    Execution out;
    plan_execute(plan, data, tangent, &k.arena, &out);
    bool same = plan->native != NULL && plan->native[0] != NULL && out.failed_sid < 0;
    for (int i = 0; i < ELEMENTS && same; i++) {
        same = ((float *)plan_data(plan, y))[i] == ((float *)data[0])[i] + (float)addend;
    }
    case_end(&k);
    return same;
}

static void *use_cache(void *argument) {
    CacheUser *user = argument;
    NativeSettings settings = {user->folder};
    Native *native = native_open(&settings, user->wrong, sizeof user->wrong);
    for (int i = 0; i < PLANS; i++) {
        pthread_barrier_wait(user->step); /* both compile at the same time */
        if (native && !add_natively(native, user->first + i)) {
            snprintf(user->wrong, sizeof user->wrong, "x + %d computes something else",
                     user->first + i);
        }
    }
    native_close(native);
    return NULL;
}

static void remove_folder(const char *folder) {
    DIR *dir = opendir(folder);
    char path[600];
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (dir) {
        closedir(dir);
    }
    rmdir(folder);
}

/* Two sessions in one process once used the same temporary names: an object was renamed to the hash
 * of the other session's text. */
START_TEST(sessions_in_two_threads_share_a_cache) {
    char folder[] = "/tmp/twingrad-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    op_table_init();
    pthread_barrier_t step;
    pthread_barrier_init(&step, NULL, THREADS);
    CacheUser user[THREADS];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
        user[t] = (CacheUser){.folder = folder, .first = 1 + t * PLANS, .step = &step};
        ck_assert_int_eq(pthread_create(&thread[t], NULL, use_cache, &user[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
    }
    pthread_barrier_destroy(&step);
    for (int t = 0; t < THREADS; t++) {
        ck_assert_msg(user[t].wrong[0] == '\0', "session %d: %s", t, user[t].wrong);
    }
    /* what the cache holds now is what its names say: a new session finds every plan in it */
    char message[200] = "";
    NativeSettings settings = {folder};
    for (int t = 0; t < THREADS; t++) {
        Native *native = native_open(&settings, message, sizeof message);
        ck_assert_msg(native != NULL, "%s", message);
        for (int i = 0; i < PLANS; i++) {
            ck_assert_msg(add_natively(native, user[t].first + i), "cached x + %d computes %s",
                          user[t].first + i, "something else");
        }
        native_close(native);
    }
    remove_folder(folder);
}
END_TEST

#ifndef TWINGRAD_NO_BLAS
/* One product that is large enough for BLAS, lowered; run as well if `run`. */
static void product(bool run) {
    Case k;
    case_start(&k, FAULT_NONE);
    static const int64_t size[2] = {64, 64}, stride[2] = {64, 1};
    Node *a =
        case_view(&k, case_input(&k, DT_float32, 64 * 64, FILL_uniform, 1), 2, size, stride, 0);
    Node *b =
        case_view(&k, case_input(&k, DT_float32, 64 * 64, FILL_uniform, 2), 2, size, stride, 0);
    case_return(&k, case_binary(&k, OP_mm, a, b));
    pass_plan(&k.c);
    Plan *plan = graph_lower(&k.c);
    CHECK(plan->nloop == 1 && plan->loop[0].kind == LOOP_MATMUL && plan->loop[0].matmul->blas);
    if (run) {
        void *data[2] = {k.input[0]->data, k.input[1]->data}, *tangent[1] = {NULL};
        Execution out;
        plan_execute(plan, data, tangent, &k.arena, &out);
    }
    case_end(&k);
}

static void *run_product(void *argument) {
    (void)argument;
    product(true);
    return NULL;
}

/* Lowering leaves BLAS alone, as most processes need no product of that size; the first product, in
 * whatever thread, loads the library with one thread. */
START_TEST(the_first_product_loads_blas_with_one_thread_and_lowering_does_not) {
    static const char name[] = "libopenblas.so.0";
    product(false);
    ck_assert_ptr_null(dlopen(name, RTLD_NOW | RTLD_NOLOAD));
    ck_assert_int_eq(setenv("OPENBLAS_NUM_THREADS", "2", 1), 0);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_product, NULL), 0);
    pthread_join(thread, NULL);
    void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(library);
    int (*threads)(void);
    void *symbol = dlsym(library, "openblas_get_num_threads");
    memcpy(&threads, &symbol, sizeof symbol);
    ck_assert_int_eq(threads(), 1);
    ck_assert_str_eq(getenv("OPENBLAS_NUM_THREADS"), "2"); /* what targets see is unchanged */
    dlclose(library);
}
END_TEST
#endif

int main(void) {
    Suite *suite = suite_create("native");
    TCase *tc = tcase_create("native");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, sessions_in_two_threads_share_a_cache);
#ifndef TWINGRAD_NO_BLAS
    tcase_add_test(tc, the_first_product_loads_blas_with_one_thread_and_lowering_does_not);
#endif
    suite_add_tcase(suite, tc);
    return run_suite("compiled/native", suite);
}
