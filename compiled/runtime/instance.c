/* Compilations of a region beside that of a call: at other sizes, for its numbers only; and of a
 * symbolic graph from fuse on, for the sizes of a call. */
#include "compiled/runtime/pipeline.h"
#include "compiled/loops/lower.h"
#include "compiled/runtime/stages.h"
#include "compiled/runtime/symbols.h"

/* Stages are interpreted on the data of the call. */
static void compile_attach_data(Compile *c, const CaptureInput *in) {
    if (c->options->stages) {
        int n;
        Storage **storage = arena_array(c->arena, Storage *, 2 * in->n + 1); /* capture_adopt */
        storages_of(in->tensors, in->n, storage, &n);
        c->input_data = storage;
    }
}

SampleCompilation sample_new(const RuntimeSession *r) {
    return (SampleCompilation){.observed = {.arena = r->arena},
                               .captured = {.arena = r->arena},
                               .artifact = {.arena = r->arena},
                               .first_step = r->counters->gate_steps};
}

Compile *compile_new(RuntimeSession *r, const CaptureInput *in) {
    Compile *c = arena_new(r->arena, Compile);
    *c = (Compile){.arena = r->arena,
                   .options = r->compile,
                   .counters = r->counters,
                   .first_step = r->first_step,
                   .program = r->p,
                   .stream = &r->stream,
                   .limits = r->options->limits};
    compile_attach_data(c, in);
    return c;
}

void sample_compile(RuntimeSession *r, const CaptureInput *in, int64_t first_step,
                    SampleCompilation *out) {
    *out = sample_new(r);
    Compile *c = compile_new(r, in);
    CompileOptions *options = arena_copy(r->arena, r->compile, (int64_t)sizeof *options);
    options->on_dump = NULL;
    options->stages = NULL;
    c->options = options;
    c->input_data = NULL;
    c->counters = arena_new(r->arena, CompileCounters);
    c->counters->gate_steps = first_step;
    c->sample = out;
    capture_program(c, in);
    if (c->capture->end == END_OK || c->capture->end == END_BREAK) {
        out->exit = capture_exit(c->capture);
        compile_front(c);
    }
}

static bool lies_in(const Tensor *layout, int64_t numel) {
    int64_t elements, extent;
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->stride[d] < 0) {
            return false;
        }
    }
    return layout->offset >= 0 && sizes_numel(layout->size, layout->ndim, &elements) &&
           tensor_extent(layout, &extent) && extent <= numel;
}

/* Do all tensors that the instance leaves lie inside the storages of the call? */
static bool instance_fits(const Artifact *a, const CaptureInput *in) {
    const Graph *g = a->graph;
    for (int i = 0; i < in->n; i++) {
        const Node *input = g->input[a->capture->entry_storage[i]];
        if (input->t.size[0] != in->tensors[i].storage->numel ||
            !lies_in(&a->exit[i].layout, input->t.size[0])) {
            return false;
        }
    }
    for (int k = 0; k < g->nret; k++) {
        if (g->ret[k].aliases_input &&
            !lies_in(&g->ret[k].layout, g->input[g->ret[k].storage]->t.size[0])) {
            return false;
        }
    }
    return true;
}

/* Is every node within the limits, and (`together`) the sum of inputs and op results? Capture
 * applies the same limits. */
static bool region_within_limits(const Limits *limits, const Graph *g, bool together) {
    int64_t bytes = 0;
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        int64_t numel;
        if (!sizes_numel(n->t.size, n->t.ndim, &numel) || numel > limits->max_elements) {
            return false;
        }
        bytes += together && (n->kind == NODE_OP || n->kind == NODE_INPUT)
                     ? numel * dtype_bytes(n->t.dtype)
                     : 0;
        if (bytes > limits->max_bytes) {
            return false;
        }
    }
    return true;
}

bool instance_compile(Artifact *a, const CaptureInput *in) {
    Compile *c = a->capture->c;
    Graph *g = c->graph;
    char message[256];
    a->graph = g;
    if (!region_within_limits(&c->limits, a->symbols->captured, true) ||
        !region_within_limits(&c->limits, g, false) ||
        !graph_verify(a->symbols->captured, false, message, sizeof message) ||
        !graph_verify(g, true, message, sizeof message) || !instance_fits(a, in)) {
        return false;
    }
    compile_attach_data(c, in);
    c->stage_before = NULL;
    compile_dump(c, "instance");
    stages_check(c, "instance", STAGE_JOINT);
    a->plan = compile_back(c);
    return true;
}
