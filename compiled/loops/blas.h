/* OpenBLAS, loaded when the first product needs it. */
#ifndef COMPILED_LOOPS_BLAS_H
#define COMPILED_LOOPS_BLAS_H

#ifndef TWINGRAD_NO_BLAS
#include <cblas.h>

typedef struct Blas {
    __typeof__(&cblas_sgemm) sgemm;
    __typeof__(&cblas_dgemm) dgemm;
} Blas;

/* The products of the library, on one thread; NULL if it is not installed or if the process may not
 * map the memory that it needs: products are then computed by plain loops. The first call decides
 * for the rest of the process. Any thread may call it. */
const Blas *blas_open(void);
#endif

#endif
