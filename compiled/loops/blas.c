/* Loads OpenBLAS at run time instead of linking it. A linked OpenBLAS starts a thread for each
 * processor before main; where the threads do not get their memory (`ulimit -v`), the process hangs
 * at its exit. Most runs have no product that is large enough for BLAS. */
#include "compiled/loops/blas.h"

#ifndef TWINGRAD_NO_BLAS
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The library with its code, and the buffer of one thread (BUFFER_SIZE of OpenBLAS is 128 MB),
 * which it cannot do without. */
enum { NEEDED_BYTES = 192 << 20 };

static Blas library;
static const Blas *opened;

static bool has_memory(void) {
    void *v = mmap(NULL, NEEDED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return v != MAP_FAILED && munmap(v, NEEDED_BYTES) == 0;
}

/* With more threads than one the order of a sum would depend on the machine. The library reads the
 * variable while it is loaded; processes that start later do not see it. */
static void *load_with_one_thread(void) {
    static const char name[] = "OPENBLAS_NUM_THREADS";
    const char *given = getenv(name);
    char *kept = given ? strdup(given) : NULL;
    void *handle = NULL;
    if ((!given || kept) && setenv(name, "1", 1) == 0) {
        handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    }
    if (kept) {
        setenv(name, kept, 1);
    } else if (!given) {
        unsetenv(name);
    }
    free(kept);
    return handle;
}

static void load(void) {
    void *handle = has_memory() ? load_with_one_thread() : NULL;
    void *sgemm = handle ? dlsym(handle, "cblas_sgemm") : NULL,
         *dgemm = handle ? dlsym(handle, "cblas_dgemm") : NULL;
    if (sgemm && dgemm) { /* C has no conversion of a pointer to that of a function */
        memcpy(&library.sgemm, &sgemm, sizeof sgemm);
        memcpy(&library.dgemm, &dgemm, sizeof dgemm);
        opened = &library;
    }
}

const Blas *blas_open(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return opened;
}
#endif
