/* The compiled executor's layouts of views (compiled/views) against inference: random layouts of
 * self and random arguments, in and out of range, of every view op and of those that read memory
 * anew, under the rules of every release. */
#include "compiled/views/views.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"
#include "tests/support/runner.h"

enum { TURNS = 20000 };

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static int64_t draw_int(uint64_t *state) {
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, (int64_t)1 << 40};
    return draw(state, 40) == 0 ? ends[draw(state, 4)] : (int64_t)draw(state, 11) - 5;
}

static DType draw_dtype(uint64_t *state) {
    static const DType dtypes[] = {DT_float32, DT_int8, DT_int16, DT_bfloat16, DT_int64, DT_int32};
    return dtypes[draw(state, COUNT_OF(dtypes))];
}

/* Sizes 0 to 4, strides of a permuted, sliced or expanded tensor. */
static Tensor draw_layout(uint64_t *state) {
    Tensor t = {
        .dtype = DT_float32, .ndim = (int)draw(state, 5), .offset = (int64_t)draw(state, 3)};
    int64_t step = 1 + (int64_t)draw(state, 2);
    for (int d = t.ndim - 1; d >= 0; d--) {
        t.size[d] = draw(state, 20) == 0 ? 0 : 1 + (int64_t)draw(state, 4);
        t.stride[d] = draw(state, 12) == 0 ? 0 : step;
        step *= max_i64(t.size[d], 1) + (draw(state, 5) == 0);
    }
    for (int d = 0; d + 1 < t.ndim && draw(state, 2); d++) {
        int64_t size = t.size[d], stride = t.stride[d];
        t.size[d] = t.size[d + 1];
        t.stride[d] = t.stride[d + 1];
        t.size[d + 1] = size;
        t.stride[d + 1] = stride;
    }
    return t;
}

/* Sizes for view and expand: often those of self, cut in another way. */
static void draw_ints(uint64_t *state, const Tensor *self, Arena *arena, Arg *arg) {
    int n = (int)draw(state, 6);
    int64_t *v = arena_array(arena, int64_t, n + MAX_DIMS);
    bool own = draw(state, 2);
    if (own) {
        n = self->ndim + (int)draw(state, 2);
    }
    for (int k = 0; k < n; k++) {
        int d = k - (n - self->ndim);
        v[k] = own ? (d < 0 ? 1 : self->size[d]) : draw_int(state);
    }
    int at = n > 1 ? (int)draw(state, (uint64_t)n - 1) : 0;
    if (own && n > 1 && draw(state, 2)) { /* two dims in one, or exchanged */
        v[at + 1] *= v[at];
        v[at] = 1;
    } else if (own && n > 0 && draw(state, 3) == 0) {
        v[at] = draw_int(state);
    }
    arg->ints.v = v;
    arg->ints.n = n;
}

static void draw_arguments(uint64_t *state, Tensor *self, Arena *arena, Call *call) {
    call->arg[0].tensor = self;
    for (int p = 1; p < call->op->nparam; p++) {
        Arg *arg = &call->arg[p];
        arg->none = false;
        switch (call->op->param[p].type) {
        case ARG_INT_OPT:
            arg->none = draw(state, 4) == 0;
            arg->i = draw_int(state);
            break;
        case ARG_INT:
            arg->i = draw_int(state);
            break;
        case ARG_INTS:
            draw_ints(state, self, arena, arg);
            break;
        case ARG_TENSOR:
            arg->tensor = arena_new(arena, Tensor);
            *arg->tensor = draw_layout(state);
            break;
        case ARG_DTYPE:
            arg->dtype = draw_dtype(state);
            break;
        default:
            break;
        }
    }
    if (call->op->id == OP__resize_out) { /* as many strides as sizes */
        call->arg[2].ints = call->arg[1].ints;
    }
}

/* 1: both accept the call, with equal layouts; 0: both refuse it. */
static int agreed(const Compile *c, const Call *call, Arena *arena) {
    Error error = {0}, own_error = {0};
    Infer r = {.arena = arena, .err = &error}, own = {.arena = arena, .err = &own_error};
    ErrCode code = call->op->infer(call, &r), own_code = view_infer(c, call, &own);
    ck_assert_msg(code == own_code, "%s: %d and %d", call->op->name, (int)code, (int)own_code);
    if (code != ERR_none) {
        return 0;
    }
    ck_assert_int_eq(r.n, own.n);
    for (int k = 0; k < r.n; k++) {
        ck_assert_msg(tensor_same_layout(&r.out[k], &own.out[k]), "%s: output %d", call->op->name,
                      k);
        ck_assert_int_eq(r.out[k].dtype, own.out[k].dtype);
    }
    return 1;
}

static void views_agree(Semantics release) {
    uint64_t state = 11;
    Semantics before = semantics_enter(release);
    CompileOptions options = COMPILE_DEFAULT;
    const Compile c = {.options = &options};
    Arena arena = {0};
    for (int id = 0; id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        if (op->kind != KIND_VIEW && op->kind != KIND_MULTI_VIEW && op->kind != KIND_STORAGE) {
            continue;
        }
        int accepted = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            arena_reset(&arena);
            Tensor self = draw_layout(&state);
            self.dtype = op->kind == KIND_STORAGE ? draw_dtype(&state) : self.dtype;
            Storage storage = {.dtype = self.dtype, .numel = 200 + (int64_t)draw(&state, 50)};
            self.storage = draw(&state, 2) ? &storage : NULL;
            Call call = call_new((OpId)id);
            draw_arguments(&state, &self, &arena, &call);
            accepted += agreed(&c, &call, &arena);
        }
        ck_assert_msg(accepted > TURNS / 200, "%s: %d accepted", op->name, accepted);
    }
    arena_destroy(&arena);
    semantics_enter(before);
}

START_TEST(every_view_has_the_layout_of_inference) {
    views_agree(SEMANTICS_DEFAULT);
    views_agree(SEMANTICS_OLDEST);
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("compiled/views");
    TCase *tests = tcase_create("views");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_view_has_the_layout_of_inference);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/views", suite);
}
