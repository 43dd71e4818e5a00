/* A plan as text: buffers, then the loops; of a tile nest its space and its bytecode.
 *
 *     tile [2, 3]  # %5
 *       r0 = load b0[0; 3, 1] f32
 *       r2 = add1_f32(r0, r1)
 *       store b2[0; 3, 1] f32, r2                         b: buffer [offset; strides] */
#include "compiled/loops/loop_ir.h"
#include "compiled/tile/run.h"

static const int arities[TILE_OP_COUNT] = {
#define TILE_OP(name, in, out, arity, expression) [TILE_##name] = arity,
#define TILE_OP_SELECT(name, type) [TILE_##name] = 3,
#define TILE_OP_MASK(name, type) [TILE_##name] = 3,
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

static void print_loops_ints(Text *text, const int64_t *v, int n) {
    for (int i = 0; i < n; i++) {
        text_add(text, i ? ", " : "");
        text_int(text, v[i]);
    }
}

static void print_access(Text *text, const Access *a, int ndim) {
    if (a->buffer >= 0) {
        text_printf(text, "b%d", a->buffer);
    }
    text_printf(text, "[%lld; ", (long long)a->offset);
    print_loops_ints(text, a->stride, a->stride ? ndim : 0);
    text_printf(text, "] %s", dtype_name(a->dtype));
}

static void print_inst(Text *text, const TileNest *nest, const TileInst *inst) {
    static const char *const reductions[] = {"sum", "mean", "prod", "max", "min"};
    const Access *a =
        inst->op >= TILE_OP_COUNT && inst->op != TILE_TERM ? &nest->access[inst->access] : NULL;
    text_add(text, "    ");
    if (inst->op < TILE_STORE) {
        text_printf(text, "r%d = ", inst->dst);
    }
    text_add(text, tile_op_name(inst->op));
    if (inst->op < TILE_OP_COUNT) {
        for (int k = 0; k < arities[inst->op]; k++) {
            text_printf(text, "%sr%d", k ? ", " : "(", inst->src[k]);
        }
        text_add(text, ")\n");
        return;
    }
    text_add(text, " ");
    switch ((int)inst->op) {
    case TILE_TERM:
        text_printf(text, "r%d + r%d * %lld, index in [%s, %lld)", inst->src[0], inst->src[1],
                    (long long)inst->stride, inst->wrap ? "-n" : "0", (long long)inst->bound);
        break;
    case TILE_LOADX:
        text_printf(text, "b%d[r%d] %s", a->buffer, inst->src[0], dtype_name(a->dtype));
        break;
    case TILE_STOREX:
    case TILE_ADDX:
        text_printf(text, "b%d[r%d] %s, r%d", a->buffer, inst->src[0], dtype_name(a->dtype),
                    inst->src[1]);
        break;
    case TILE_STORE:
        print_access(text, a, nest->ndim);
        text_printf(text, ", r%d", inst->src[0]);
        break;
    case TILE_REDUCE:
        text_printf(text, "%s ", reductions[inst->reduce]);
        print_access(text, a, nest->kept);
        text_printf(text, ", r%d", inst->src[0]);
        break;
    default:
        print_access(text, a, nest->ndim);
        break;
    }
    text_add(text, inst->direct ? " direct\n" : "\n");
}

static void print_nest(Text *text, const TileNest *nest) {
    print_loops_ints(text, nest->size, nest->ndim);
    text_printf(text, "]%s", nest->kept < nest->ndim ? ", the last " : "");
    if (nest->kept < nest->ndim) {
        text_printf(text, "%d reduced", nest->ndim - nest->kept);
    }
    if (nest->tile_size == 1) {
        text_printf(text, ", %d a trip", nest->tile_size);
    }
    text_add(text, "\n");
    for (int k = 0; k < nest->nconst; k++) {
        text_printf(text, "    r%d = constant ", nest->constant[k].reg);
        if (nest->constant[k].kind == REGISTER_I64) {
            text_printf(text, "%lld\n", (long long)nest->constant[k].value.i);
        } else {
            text_printf(text, "%.17g\n", nest->constant[k].value.f);
        }
    }
    for (int k = 0; k < nest->ninst; k++) {
        print_inst(text, nest, &nest->inst[k]);
    }
}

static void print_pair(Text *text, const Loop *loop) {
    bool matrix = loop->kind == LOOP_NONZERO; /* of coordinates */
    print_loops_ints(text, loop->size, loop->ndim);
    text_add(text, "] ");
    print_access(text, &loop->to, matrix ? 2 : loop->ndim);
    text_add(text, " <- ");
    print_access(text, &loop->from, loop->ndim);
    text_add(text, "\n");
}

static void print_loop(Text *text, const Loop *loop) {
    text_printf(text, "  %%%d ", loop->node->id);
    switch (loop->kind) {
    case LOOP_TILE:
        text_add(text, "tile [");
        print_nest(text, loop->tile);
        return;
    case LOOP_MOVE:
        text_add(text, "move [");
        print_pair(text, loop);
        return;
    case LOOP_SCAN:
        text_printf(text, "%s along %d [", loop->product ? "cumprod" : "cumsum", loop->dim);
        print_pair(text, loop);
        return;
    case LOOP_NONZERO:
        text_add(text, "nonzero [");
        print_pair(text, loop);
        return;
    case LOOP_SOFTMAX:
        text_printf(text, "softmax along %d [", loop->dim);
        print_pair(text, loop);
        return;
    case LOOP_FILL:
        text_printf(text, "fill b%d, %lld elements of %s <- ", loop->to.buffer,
                    (long long)loop->numel, dtype_name(loop->to.dtype));
        text_scalar(text, loop->value);
        break;
    case LOOP_MATMUL: {
        const MatmulLoop *m = loop->matmul;
        text_printf(text, "matmul b%d (%lld x %lld) <- b%d * b%d over %lld, batch %lld%s",
                    m->c.buffer, (long long)m->m, (long long)m->n, m->a.buffer, m->b.buffer,
                    (long long)m->k, (long long)m->batch, m->blas ? ", blas" : "");
        break;
    }
    case LOOP_LITERAL:
        text_printf(text, "literal b%d, %lld bytes", loop->to.buffer, (long long)loop->bytes);
        break;
    case LOOP_OPAQUE:
        text_printf(text, "kernel %s -> b%d", loop->opaque->call.op->name,
                    loop->opaque->out_buffer);
        break;
    case LOOP_CHECK:
        text_add(text, "check ");
        print_access(text, &loop->from, loop->ndim);
        break;
    }
    text_add(text, "\n");
}

void plan_print(Text *text, const Plan *plan, const Program *p) {
    (void)p;
    for (int b = 0; b < plan->nbuffer; b++) {
        if (b < plan->ninput) {
            text_printf(text, "  b%d: input %d\n", b, b);
        } else if (b < plan->ninput + plan->ntangent) {
            text_printf(text, "  b%d: tangent %d\n", b, plan->tangent[b - plan->ninput]);
        } else {
            text_printf(text, "  b%d: %lld bytes at %lld\n", b, (long long)plan->buffer[b].bytes,
                        (long long)plan->buffer[b].offset);
        }
    }
    for (int k = 0, next = 0; k < plan->nloop; k++) {
        if (next < plan->ntiling && plan->tiling[next].first == k) {
            text_printf(text, "  %d loops in %lld parts:\n", plan->tiling[next].end - k,
                        (long long)plan->tiling[next].parts);
            next++;
        }
        print_loop(text, &plan->loop[k]);
    }
}

int64_t plan_flops(const Plan *plan) {
    int64_t flops = 0;
    for (int k = 0; k < plan->nloop; k++) {
        const Loop *l = &plan->loop[k];
        int64_t per_element = 0;
        switch (l->kind) {
        case LOOP_TILE:
            for (int i = 0; i < l->tile->ninst; i++) {
                per_element += l->tile->inst[i].op < TILE_OP_COUNT ||
                               l->tile->inst[i].op == TILE_REDUCE ||
                               l->tile->inst[i].op == TILE_ADDX;
            }
            flops += per_element * l->tile->numel;
            break;
        case LOOP_SCAN:
            flops += l->numel;
            break;
        case LOOP_SOFTMAX:
            flops += 4 * l->numel; /* difference, exponential, sum, quotient */
            break;
        case LOOP_MATMUL:
            flops += 2 * l->matmul->batch * l->matmul->m * l->matmul->n * l->matmul->k;
            break;
        case LOOP_OPAQUE:
            flops += tensor_numel(&l->opaque->out);
            break;
        default:
            break;
        }
    }
    return flops;
}
