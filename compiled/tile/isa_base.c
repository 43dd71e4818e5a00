/* The kernels for the instruction set of the build. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#define TILE_ISA tile_isa_base
#define TILE_ISA_NAME "base"
#define HAS_FMA 0 /* a call, here */
#include "compiled/tile/kernels.h"
