/* One walk over a program collects what the conditions of features.def read. */
#include "harness/report/features.h"

#include <stdio.h>

typedef struct Scan {
    int64_t most; /* elements of the largest input */
    bool empty, half, narrow, strided, channels_last, shared, input_grad, other_overlap;
    bool kind[STMT_COUNT];
    bool early_probe, write, input_write, move_write, reduction, choice, matmul;
} Scan;

const char *feature_name(int feature) {
    static const char *const names[FEATURE_COUNT] = {
#define FEATURE(name, text, condition) #name,
#include "harness/report/features.def"
#undef FEATURE
    };
    return feature >= 0 && feature < FEATURE_COUNT ? names[feature] : NULL;
}

static int64_t input_elements(const Input *in) {
    int64_t n = 0;
    return sizes_numel(in->size, in->ndim, &n) ? n : 0;
}

static bool is_channels_last(const Input *in) {
    return in->ndim == 4 && in->stride[1] == 1 && in->stride[3] == max_i64(in->size[1], 1) &&
           in->size[1] > 1 && (in->size[2] > 1 || in->size[3] > 1);
}

static void scan_inputs(Scan *s, const Program *p) {
    for (int i = 0; i < p->ninputs; i++) {
        const Input *in = &p->inputs[i];
        int64_t row_major[MAX_DIMS];
        contiguous_strides(in->size, in->ndim, row_major);
        s->most = max_i64(s->most, input_elements(in));
        s->empty |= input_elements(in) == 0;
        s->half |= in->dtype == DT_float16 || in->dtype == DT_bfloat16;
        s->narrow |= in->dtype == DT_int8 || in->dtype == DT_uint8 || in->dtype == DT_int16;
        for (int d = 0; d < in->ndim && in->stride_given; d++) {
            s->strided |= in->size[d] > 1 && in->stride[d] != row_major[d];
        }
        s->channels_last |= in->stride_given && is_channels_last(in);
        s->shared |= in->storage != NAME_NONE;
        s->input_grad |= in->requires_grad;
    }
}

/* Is an input on another storage than in the first call, or elsewhere on a shared one? */
static void scan_recalls(Scan *s, const Program *p) {
    for (int k = 0; k < p->nrecalls; k++) {
        const Recall *r = &p->recalls[k];
        for (int i = 0; i < r->ninputs && i < p->ninputs && !r->keep; i++) {
            const Input *a = &p->inputs[i], *b = &r->inputs[i];
            s->other_overlap |=
                a->storage != b->storage || (a->storage != NAME_NONE && a->offset != b->offset);
        }
    }
}

static bool is_input(const Program *p, NameId name) {
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].name == name) {
            return true;
        }
    }
    return false;
}

static void scan_op(Scan *s, const Program *p, const Stmt *at) {
    const OpInfo *op = at->op, *form = op->kind == KIND_INPLACE ? op_info(op->twin) : op;
    bool writes = op->nparam > 0 && op->param[0].writes && op->kind != KIND_META;
    s->write |= writes;
    s->input_write |= writes && is_input(p, at->arg[0].tensor);
    s->move_write |= op->class == CLASS_WRITE_MOVE || op->class == CLASS_SETITEM;
    s->reduction |= form->class == CLASS_REDUCE;
    s->matmul |= form->class == CLASS_MATMUL;
    s->choice |= form->discrete || form->class == CLASS_LOGIC ||
                 form->propagation == PROPAGATION_EXTREME || form->propagation == PROPAGATION_ORDER;
}

static void scan_block(Scan *s, const Program *p, const Block *block, bool *probed) {
    for (const Stmt *at = block->first; at; at = at->next) {
        s->kind[at->kind] = true;
        s->early_probe |= at->kind != STMT_PROBE && *probed;
        *probed |= at->kind == STMT_PROBE;
        if (at->kind == STMT_OP) {
            scan_op(s, p, at);
        }
        scan_block(s, p, &at->body, probed);
        scan_block(s, p, &at->orelse, probed);
    }
}

void features_count(const Program *p, const GenerateInfo *info, int64_t counts[FEATURE_COUNT]) {
    Scan scan = {0}, *s = &scan;
    bool probed = false;
    scan_inputs(s, p);
    scan_recalls(s, p);
    scan_block(s, p, &p->body, &probed);
#define FEATURE(name, text, condition) counts[FEATURE_##name] += (condition) ? 1 : 0;
#include "harness/report/features.def"
#undef FEATURE
}

const char *size_class_name(int class) {
    static char names[SIZE_CLASSES][24];
    if (class < 0 || class >= SIZE_CLASSES) {
        return NULL;
    }
    if (class < 2) {
        snprintf(names[class], sizeof names[0], "%d", class);
    } else {
        long long least = 1LL << (class - 1);
        snprintf(names[class], sizeof names[0], "%lld-%lld", least, 2 * least - 1);
    }
    return names[class];
}

void sizes_count(const Program *p, int64_t counts[SIZE_CLASSES]) {
    for (int i = 0; i < p->ninputs; i++) {
        int class = 0;
        for (int64_t n = input_elements(&p->inputs[i]); n > 0; n >>= 1) {
            class ++;
        }
        counts[min_i64(class, SIZE_CLASSES - 1)]++;
    }
}
