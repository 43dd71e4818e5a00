/* The inputs of a call: geometry first, then data, since the data of a shared storage is as long as
 * its farthest input reaches.
 *
 * Invalid inputs are corrected while they are read: a name or a storage that is taken, a size past
 * the limits, requires_grad of an integer. A well-formed input is encoded without correction. */
#include "fuzz/codec/coder.h"

#include <string.h>

/* The input's extent in its storage, or -1 past the limits. */
static int64_t inputs_extent_of(const Coder *c, const Input *in) {
    int64_t extent, numel, most = c->limits->max_elements;
    Tensor t = {.dtype = in->dtype, .ndim = in->ndim, .offset = in->offset};
    memcpy(t.size, in->size, sizeof t.size);
    memcpy(t.stride, in->stride, sizeof t.stride);
    bool fits = sizes_numel(in->size, in->ndim, &numel) && numel <= most &&
                tensor_extent(&t, &extent) && extent <= most;
    return fits ? extent : -1;
}

static int64_t code_size(Coder *c, int64_t value) {
    int64_t read = code_int(c, value);
    return (int64_t)((uint64_t)read % (((uint64_t)1 << 53) + 1));
}

static void code_geometry(Coder *c, Input *in) {
    in->dtype = (DType)code_choice(c, (int)in->dtype, DT_COUNT);
    in->ndim = (int)code_count(c, in->ndim, MAX_DIMS);
    for (int d = 0; d < in->ndim; d++) {
        in->size[d] = code_size(c, in->size[d]);
    }
    in->stride_given = code_flag(c, in->stride_given);
    for (int d = 0; d < in->ndim && in->stride_given; d++) {
        in->stride[d] = code_size(c, in->stride[d]);
    }
    in->offset_given = code_flag(c, in->offset_given);
    in->offset = in->offset_given ? code_size(c, in->offset) : 0;
    in->requires_grad_given = code_flag(c, in->requires_grad_given);
    in->requires_grad = in->requires_grad_given && code_flag(c, in->requires_grad);
    bool shared = code_rare(c, c->encoding && in->storage != NAME_NONE);
    NameId storage = shared ? code_name(c, in->storage) : NAME_NONE;
    in->extra = code_extra(c, in->extra);
    if (c->encoding) {
        return;
    }
    in->storage = storage;
    in->requires_grad = in->requires_grad && dtype_is_float(in->dtype);
    for (int d = 0; d < in->ndim && inputs_extent_of(c, in) < 0; d++) {
        in->size[d] %= 4;
    }
    if (!in->stride_given) {
        contiguous_strides(in->size, in->ndim, in->stride);
    }
    if (inputs_extent_of(c, in) < 0) { /* the strides or the offset are too far */
        for (int d = 0; d < in->ndim; d++) {
            in->size[d] %= 2;
        }
        in->offset = 0;
        in->stride_given = in->offset_given = false;
        contiguous_strides(in->size, in->ndim, in->stride);
    }
}

/* A name that no input before has. */
static NameId free_name(Coder *c, const Input *inputs, int n, NameId name) {
    for (int try = 0;; try++) {
        bool taken = false;
        for (int i = 0; i < n; i++) {
            taken |= inputs[i].name == name;
        }
        if (!taken) {
            return name;
        }
        name = names_intern(&c->names, arena_printf(c->arena, "x%d", try));
        CHECK(name != NAME_NONE || try < MAX_NAMES);
    }
}

static int leader_of(const Input *inputs, int i) {
    int leader = 0;
    while (leader < i &&
           (inputs[i].storage == NAME_NONE || inputs[leader].storage != inputs[i].storage)) {
        leader++;
    }
    return leader;
}

static void code_data(Coder *c, InputData *data, DType dtype, int64_t extent) {
    typedef enum InputsSource { FILL, ELEMENTS, NOTHING, SOURCES } InputsSource;
    InputsSource source = !data->given ? NOTHING : data->is_fill ? FILL : ELEMENTS;
    source = (InputsSource)code_choice(c, (int)source, SOURCES);
    bool too_few = !c->encoding &&
                   extent * dtype_bytes(dtype) > c->n; /* elements are written out, every one */
    source = (source == NOTHING && extent > 0) || (source == ELEMENTS && too_few) ? FILL : source;
    data->given = source != NOTHING;
    data->is_fill = source == FILL;
    if (source == FILL) {
        data->fill = (FillKind)code_choice(c, (int)data->fill, FILL_COUNT);
        data->seed = (uint64_t)code_int(c, (int64_t)data->seed);
        data->extra = code_extra(c, data->extra);
    } else if (source == ELEMENTS) {
        data->numel = extent;
        if (!c->encoding) {
            data->data = arena_alloc(c->arena, max_i64(extent * dtype_bytes(dtype), 1));
        }
        code_elements(c, data->data, dtype, extent);
    }
}

Input *code_inputs(Coder *c, Input *inputs, int *n, const Input *like) {
    if (!like) {
        *n = (int)code_count(c, *n, MAX_INPUTS);
    }
    Input *out = c->encoding ? inputs : arena_array(c->arena, Input, *n);
    int64_t extent[MAX_INPUTS] = {0}, bytes = 0;
    for (int i = 0; i < *n; i++) {
        Input copy = c->encoding ? inputs[i] : (Input){.storage = NAME_NONE};
        NameId name = like ? like[i].name : code_name(c, copy.name);
        code_geometry(c, &copy);
        int64_t far = inputs_extent_of(c, &copy);
        if (!c->encoding) {
            copy.name = like ? name : free_name(c, out, i, name);
            out[i] = copy;
            if (out[leader_of(out, i)].dtype != copy.dtype) {
                out[i].storage = NAME_NONE;
            }
            int64_t more = max_i64(far - extent[leader_of(out, i)], 0) * dtype_bytes(copy.dtype);
            if (bytes + more > c->limits->max_bytes) {
                out[i].ndim = 1;
                out[i].size[0] = far = 0;
                out[i].stride[0] = 1;
                out[i].offset = 0;
                out[i].stride_given = out[i].offset_given = false;
                more = 0;
            }
            bytes += more;
        }
        int leader = leader_of(out, i);
        extent[leader] = max_i64(extent[leader], far);
    }
    for (int i = 0; i < *n; i++) {
        if (leader_of(out, i) == i) {
            code_data(c, &out[i].data, out[i].dtype, extent[i]);
        }
    }
    return out;
}
