/* Builds the input tensors of a call and the tangents of its backward, and determines which inputs
 * belong to which call.
 *
 * A storage is as long as the furthest element of any input on it. So inputs are processed in two
 * passes: first the extents, then one storage for each group, filled by the first input that names
 * it. */
#include "program/lang/program.h"

#include <string.h>

int program_nargs(const Program *p) { return p->args_given ? p->nargs : p->ninputs; }
NameId program_arg(const Program *p, int index) {
    return p->args_given ? p->args[index] : p->inputs[index].name;
}
bool program_pokes(const Program *p, int number) {
    return number >= p->nrecalls || !p->recalls[number].keep;
}

/* Index of the first input that is on the same storage as input i. */
static int inputs_storage_leader(const Input *inputs, int i) {
    if (inputs[i].storage != NAME_NONE) {
        for (int j = 0; j < i; j++) {
            if (inputs[j].storage == inputs[i].storage) {
                return j;
            }
        }
    }
    return i;
}

static void input_geometry(const Input *input, Tensor *t) {
    t->dtype = input->dtype;
    t->ndim = input->ndim;
    t->offset = input->offset;
    t->storage = NULL;
    for (int d = 0; d < input->ndim; d++) {
        t->size[d] = input->size[d];
    }
    if (input->stride_given) {
        for (int d = 0; d < input->ndim; d++) {
            t->stride[d] = input->stride[d];
        }
    } else {
        contiguous_strides(input->size, input->ndim, t->stride);
    }
}

static void storage_fill(Storage *storage, const InputData *data) {
    if (!data->given || storage->numel == 0) {
        return;
    }
    if (data->is_fill) {
        fill_buffer(storage->data, storage->dtype, storage->numel, data->fill, data->seed);
    } else {
        int64_t n = min_i64(storage->numel, data->numel);
        memcpy(storage->data, data->data, (size_t)(n * dtype_bytes(storage->dtype)));
    }
}

ErrCode inputs_build(const Program *p, const Input *inputs, int ninputs, Arena *arena,
                     const Limits *limits, Tensor *out, Error *err) {
    CHECK(ninputs <= MAX_INPUTS);
    int64_t extent[MAX_INPUTS]; /* by leader: number of elements of the storage */
    int64_t bytes = 0, storages = 0;
    for (int i = 0; i < ninputs; i++) {
        const char *name = p->names[inputs[i].name];
        input_geometry(&inputs[i], &out[i]);
        int leader = inputs_storage_leader(inputs, i);
        if (leader == i) {
            extent[i] = 0;
        }
        int64_t numel, far;
        if (!sizes_numel(out[i].size, out[i].ndim, &numel) || numel > limits->max_elements ||
            !tensor_extent(&out[i], &far) || far > limits->max_elements) {
            return error_set(err, ERR_limit, "input '%s' passes the limit of %lld elements", name,
                             (long long)limits->max_elements);
        }
        if (far > extent[leader]) {
            bytes += (far - extent[leader]) * dtype_bytes(inputs[i].dtype);
            extent[leader] = far;
        }
        if (bytes > limits->max_bytes) {
            return error_set(err, ERR_limit, "the inputs pass the limit of %lld bytes",
                             (long long)limits->max_bytes);
        }
    }
    for (int i = 0; i < ninputs; i++) {
        int leader = inputs_storage_leader(inputs, i);
        if (leader != i) {
            out[i].storage = out[leader].storage;
            continue;
        }
        out[i].storage = storage_new(arena, inputs[i].dtype, extent[i]);
        out[i].storage->id = storages++;
        storage_fill(out[i].storage, &inputs[i].data);
    }
    return ERR_none;
}

const Input *program_call_inputs(const Program *p, int call, int *ninputs, bool *grad_mode) {
    CHECK(call >= 0 && call <= p->nrecalls);
    const Recall *r = call > 0 ? &p->recalls[call - 1] : NULL;
    *grad_mode = r && r->grad_mode_given ? r->grad_mode : p->grad_mode;
    while (call > 0 && p->recalls[call - 1].keep) {
        call--; /* same tensors as in the previous call */
    }
    *ninputs = call > 0 ? p->recalls[call - 1].ninputs : p->ninputs;
    return call > 0 ? p->recalls[call - 1].inputs : p->inputs;
}

void backward_fill(const Backward *b, int index, const Tensor *t) {
    char *at = (char *)t->storage->data + t->offset * dtype_bytes(t->dtype);
    fill_buffer(at, t->dtype, tensor_numel(t), b->fill, b->seed + (uint64_t)index);
}

bool backward_includes(const Backward *b, int index) {
    if (!b->given || b->nof < 0) {
        return b->given;
    }
    for (int i = 0; i < b->nof; i++) {
        if (b->of[i] == index) {
            return true;
        }
    }
    return false;
}
