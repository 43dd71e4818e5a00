/* The kernels for AVX-512. */
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("fma,avx2,avx512f,avx512dq,avx512bw,avx512vl"))), apply_to = function)
#elif defined(__x86_64__) && defined(__GNUC__)
#pragma GCC optimize("O3", "unroll-loops")
#pragma GCC target("fma,avx2,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")
#endif

#define TILE_ISA tile_isa_avx512
#define TILE_ISA_NAME "avx512"
#define HAS_FMA 1
#if defined(__x86_64__)
#include "compiled/tile/kernels.h"
#else
extern int tile_isa_avx512_is_not_for_this_machine;
#endif

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
