/* The sliding blocks of im2col and col2im. */
#ifndef PROGRAM_COLUMNS_H
#define PROGRAM_COLUMNS_H

#include "program/infer/infer.h"

typedef struct Columns {
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    int64_t plane[2], blocks[2]; /* rows and columns of the plane, and of blocks */
} Columns;

/* Reads and checks the four lists of `call`; leaves plane and blocks out. */
ErrCode columns_read(const Call *call, Columns *c, Error *err);
/* Sets plane, and counts the blocks; ERR_invalid if there are none. */
ErrCode columns_count(Columns *c, const int64_t *plane, Error *err);

#endif
