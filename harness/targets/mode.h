/* Names of the modes of PyTorch: a base ("inductor"), then suffixes ("_dynamic", "_fullgraph",
 * "_cuda"; docs/guide/targets.md). */
#ifndef TWINGRAD_HARNESS_TARGETS_MODE_H
#define TWINGRAD_HARNESS_TARGETS_MODE_H

#include "tensor/arena.h"

/* What is the same as in eager mode, each with those before it. */
typedef enum ModeKeeps {
    KEEPS_NOTHING,
    KEEPS_LAYOUT,  /* strides and offsets of new tensors */
    KEEPS_VERSIONS /* how often a write is counted */
} ModeKeeps;

typedef struct ModeRow {
    const char *name;
    bool compiles; /* torch.compile does */
    ModeKeeps keeps;
    const char *backend, *script;
} ModeRow;

enum {
#define MODE(name, compiles, keeps, backend, script) MODE_##name,
#include "harness/targets/modes.def"
#undef MODE
    MODE_ROWS
};

extern const ModeRow MODES[MODE_ROWS]; /* modes.def */

/* The next name of a list, "dynamo,aot_eager", of which *at is what is left: its length, and *at
 * behind it; 0: none is left. Empty names are passed over. */
int mode_next(const char **at, const char **name);
/* How many names a list has. */
int mode_count(const char *list);
/* The row of a mode, whatever its suffixes; NULL if a target calls it something else. */
const ModeRow *mode_row(const char *mode);
/* Are its tensors on the GPU? */
bool mode_is_cuda(const char *mode);
/* Does it compare the kernels of fake tensors with eager mode, and compile nothing? */
bool mode_is_fake(const char *mode);
/* Characters of the name without its suffixes: 8 of "inductor_dynamic_cuda". */
size_t mode_base_length(const char *mode);
/* The suffix of the device: "_cuda" or "". */
const char *mode_device(const char *mode);
/* The mode that interprets on the same device: "eager_cuda" for "inductor_cuda", else "eager". */
const char *mode_eager(const char *mode);
/* The mode of a script of its own that shows what `mode` shows, in `arena`: "inductor_dynamic" for
 * "inductor_passes_dynamic", whose backend is one of targets/passes.py, else the mode itself. */
const char *mode_of_script(Arena *arena, const char *mode);
/* The arguments of torch.compile, in `arena`: "backend=\"eager\", dynamic=True" for
 * "dynamo_dynamic". */
const char *mode_options(Arena *arena, const char *mode);

#endif
