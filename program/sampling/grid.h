/* What grid_sampler_2d and grid_sampler_3d are made of: weighted sums of the elements around
 * positions, or those sums transposed (aten/src/ATen/native/GridSampler.cpp,
 * cpu/GridSamplerKernel.cpp). Written in other ops. */
#ifndef PROGRAM_SAMPLING_GRID_H
#define PROGRAM_SAMPLING_GRID_H

#include "program/ops/functions.h"

enum { GRID_DIMS = 3 /* at most */, GRID_TAPS = 4 };
enum { GRID_LINEAR, GRID_NEAREST, GRID_CUBIC };    /* interpolation_mode */
enum { GRID_ZEROS, GRID_BORDER, GRID_REFLECTION }; /* padding_mode */

/* One of the elements around each position, along one dim: [N, 1, points]. */
typedef struct GridTap {
    Tensor *index;     /* int64, within the dim */
    Tensor *inside;    /* bool: is there such an element? */
    Tensor *weight[3]; /* and its first two derivatives by the position; NULL: `constant` */
    double constant[3];
} GridTap;

typedef struct GridAxis {
    int64_t size;
    double scale;  /* the derivative of the position by the grid, where nothing is padded */
    Tensor *slope; /* the same as [N, 1, points], or NULL: `scale` */
    int ntap;
    GridTap tap[GRID_TAPS];
} GridAxis;

typedef struct GridPlan {
    Emit *e;
    int mode, padding, n; /* n: spatial dims */
    bool align;
    DType dtype;
    int64_t batch, channels, points, cells;
    int64_t out[GRID_DIMS];   /* sizes of the grid's spatial dims */
    const Tensor *input;      /* metadata */
    GridAxis axis[GRID_DIMS]; /* of coordinate k, which is the dim k from the last one */
} GridPlan;

/* The positions that the grid names in an input of this size. With an error, e->err. */
GridPlan grid_plan(Emit *e, const Tensor *input, Tensor *grid, int mode, int padding, bool align);
/* Is there nothing to sum: no point, no channel or no batch? */
bool grid_is_empty(const GridPlan *p);
/* Sums of elements of `input` [N, C, ..] as [N, C, points]; order[k]: which derivative of the
 * weights along coordinate k. */
Tensor *grid_gather(const GridPlan *p, Tensor *input, const int order[GRID_DIMS]);
/* The transposed sums: `values` [N, C, points] into [N, C, cells]. NULL: zeros. */
Tensor *grid_scatter(const GridPlan *p, Tensor *values, const int order[GRID_DIMS]);
/* t * the slope of coordinate k. */
Tensor *grid_scaled(const GridPlan *p, Tensor *t, int k);
/* The gradient of the grid, in its size: for each coordinate the sum over the channels of values *
 * input, with the derivative of the weights. */
Tensor *grid_gradient(const GridPlan *p, Tensor *values, Tensor *input);
/* One tensor [N, 1, points] for each coordinate, or NULL: zeros, as a gradient in the size of the
 * grid. */
Tensor *grid_joined(const GridPlan *p, Tensor *const *part);
/* t [N, C, out..] as [N, C, points]. */
Tensor *grid_flat(const GridPlan *p, Tensor *t);

#endif
