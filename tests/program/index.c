/* getitem and setitem decompositions: their results against those of PyTorch 1.13.1
 * (index_cases.h), and the ops that they emit. */
#include "tests/support/exec_emit.h"
#include "tests/support/index_cases.h"
#include "tests/support/runner.h"

static Tensor *new_tensor(Arena *arena, DType dtype, const int64_t *size, int ndim) {
    Error err = {0};
    Tensor *t = arena_new(arena, Tensor);
    tensor_set_contiguous(t, dtype, size, ndim);
    CHECK(tensor_allocate(t, arena, NULL, &err) == ERR_none);
    return t;
}

static Tensor *counting(Arena *arena, DType dtype, const char *size_text, int64_t first) {
    int64_t size[MAX_DIMS];
    Tensor *t = new_tensor(arena, dtype, size, read_ints(&size_text, size, MAX_DIMS));
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        element_store_int(t->storage->data, dtype, i, first + i);
    }
    return t;
}

static Tensor *read_index_tensor(Arena *arena, DType dtype, const char **at) {
    int64_t size[MAX_DIMS], values[64];
    int n = read_ints(at, size, MAX_DIMS);
    CHECK(**at == ':');
    (*at)++;
    Tensor *t = new_tensor(arena, dtype, size, n);
    n = read_ints(at, values, 64);
    CHECK(n == tensor_numel(t));
    for (int i = 0; i < n; i++) {
        element_store_int(t->storage->data, dtype, i, values[i]);
    }
    return t;
}

static bool read_bound(const char **at, int64_t *v) { return read_ints(at, v, 1) == 1; }

static IndexItem read_item(Arena *arena, const char **at) {
    IndexItem item = {0};
    int64_t values[64];
    char kind = *(*at)++;
    switch (kind) {
    case 'n':
        item.kind = INDEX_NEWAXIS;
        break;
    case 'e':
        item.kind = INDEX_ELLIPSIS;
        break;
    case 'T':
    case 'F':
        item.kind = INDEX_BOOL;
        item.start = kind == 'T';
        break;
    case 'i':
        item.kind = INDEX_INT;
        CHECK(read_bound(at, &item.start));
        break;
    case ':':
        item.kind = INDEX_SLICE;
        item.has_start = read_bound(at, &item.start);
        (*at)++;
        item.has_stop = read_bound(at, &item.stop);
        (*at)++;
        item.has_step = read_bound(at, &item.step);
        break;
    case '[':
        item.kind = INDEX_LIST;
        item.count = read_ints(at, values, 64);
        item.list = arena_copy(arena, values, (int64_t)sizeof values);
        (*at)++;
        break;
    default:
        item.kind = INDEX_TENSOR;
        item.tensor = read_index_tensor(arena,
                                        kind == 'L'   ? DT_int64
                                        : kind == 'm' ? DT_bool
                                        : kind == 'u' ? DT_uint8
                                        : kind == 'h' ? DT_int32
                                                      : DT_float32,
                                        at);
    }
    return item;
}

static Arg read_index(Arena *arena, const char *text) {
    IndexItem *items = arena_array(arena, IndexItem, 16);
    int n = 0;
    while (text[0]) {
        items[n++] = read_item(arena, &text);
        text += strspn(text, " ");
    }
    Arg arg = {0};
    arg.index.v = items;
    arg.index.n = n;
    return arg;
}

static void expect_values(const Tensor *t, const char *values, const char *what) {
    int64_t expected[64], n = read_ints(&values, expected, 64);
    ck_assert_msg(n == tensor_numel(t), "%s: %lld elements", what, (long long)tensor_numel(t));
    float got[64];
    tensor_gather(t, got);
    for (int64_t i = 0; i < n; i++) {
        ck_assert_msg(got[i] == (float)expected[i], "%s: element %lld is %g, not %lld", what,
                      (long long)i, (double)got[i], (long long)expected[i]);
    }
}

/* The answers were recorded on PyTorch 1.13. */
START_TEST(getitem_as_torch) {
    Semantics before = semantics_enter(SEMANTICS_1_13);
    const GetCase *c = &gets[_i];
    Arena arena = ARENA_EMPTY;
    Error err = {0};
    ExecEmit exec = exec_emit(&arena, &err);
    Call call = call_new(OP_getitem);
    Tensor *self = call.arg[0].tensor = counting(&arena, DT_float32, c->size, 0);
    call.arg[1] = read_index(&arena, c->index);
    Tensor *out[MAX_OUTPUTS];
    int n;
    ErrCode code = emit_call(&exec.emit, &call, out, &n);
    ck_assert_msg(code == c->code, "[%s] of [%s]: %s (%s)", c->index, c->size, errcode_name(code),
                  err.text);
    if (code == ERR_none) {
        const char *text = c->out_size;
        int64_t size[MAX_DIMS];
        int ndim = read_ints(&text, size, MAX_DIMS);
        ck_assert_int_eq(n, 1);
        ck_assert_msg(sizes_equal(out[0]->size, out[0]->ndim, size, ndim),
                      "[%s] of [%s]: another size", c->index, c->size);
        expect_values(out[0], c->values, c->index);
        if (tensor_numel(self) > 0) {
            ck_assert_msg((out[0]->storage == self->storage) == c->view,
                          "[%s] of [%s]: view or not", c->index, c->size);
        }
        ck_assert_msg(out[0] != self, "[%s]: self itself", c->index);
    }
    ck_assert_int_eq(self->storage->version, 0);
    semantics_enter(before);
    arena_destroy(&arena);
}
END_TEST

/* Runs a setitem case; `exec` records the last op. */
static ErrCode run_set(Arena *arena, Error *err, ExecEmit *exec, const char *size,
                       const char *index, const char *value, Tensor **self) {
    *exec = exec_emit(arena, err);
    Call call = call_new(OP_setitem);
    *self = call.arg[0].tensor = counting(arena, DT_float32, size, 0);
    call.arg[1] = read_index(arena, index);
    call.arg[2].is_tensor = value[0] != 's';
    if (value[0] == 's') {
        call.arg[2].scalar = scalar_int(strtol(value + 1, NULL, 10));
    } else {
        call.arg[2].tensor =
            counting(arena, value[0] == 'd' ? DT_float64 : DT_float32, value + 1, 100);
    }
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(&exec->emit, &call, out, &n);
}

START_TEST(setitem_as_torch) {
    Semantics before = semantics_enter(SEMANTICS_1_13);
    const SetCase *c = &sets[_i];
    Arena arena = ARENA_EMPTY;
    Error err = {0};
    ExecEmit exec;
    Tensor *self;
    ErrCode code = run_set(&arena, &err, &exec, c->size, c->index, c->value, &self);
    ck_assert_msg(code == c->code, "[%s] of [%s] = %s: %s (%s)", c->index, c->size, c->value,
                  errcode_name(code), err.text);
    if (code == ERR_none) {
        expect_values(self, c->values, c->index);
        ck_assert_msg(self->storage->version == c->version, "[%s] = %s: version %lld", c->index,
                      c->value, (long long)self->storage->version);
    }
    semantics_enter(before);
    arena_destroy(&arena);
}
END_TEST

/* The choice of op is part of the semantics: it determines what is saved and checked. */
START_TEST(setitem_chooses_the_op) {
    static const struct {
        const char *index, *value;
        OpId last;
        int calls;
        OpId last_now; /* if it differs in 2.15 */
        int calls_now;
    } choices[] = {
        {"i1", "s5", OP_fill__Scalar, 2, OP_NONE, 0},
        {"e", "s5", OP_fill__Scalar, 1, OP_NONE, 0},
        {"i1", "t", OP_fill__Tensor, 2, OP_NONE, 0},
        {"i1 i1", "t", OP_copy_, 3, OP_NONE, 0},
        {"i1", "t4", OP_copy_, 2, OP_NONE, 0},
        {"i1", "t1", OP_copy_, 4, OP_NONE, 0}, /* select, view, expand, copy_ */
        {":0:3:", "s5", OP_fill__Scalar, 1, OP_NONE, 0},
        {":::", "s5", OP_fill__Scalar, 2, OP_fill__Scalar, 1},
        {"m3:1,0,1", "s5", OP_masked_fill__Scalar, 2, OP_NONE, 0},
        {"m3:1,0,1", "t1", OP_masked_fill__Tensor, 3, OP_NONE, 0},
        {"m3:1,0,1", "t4", OP__index_put_impl_, 3, OP_NONE, 0},
        {"L1:0", "t4", OP__index_put_impl_, 1, OP_NONE, 0},
        {"L1:0", "s5", OP__index_put_impl_, 2, OP_index_fill__int_Scalar, 1},
        {"F", "s5", OP_NONE, 0, OP_NONE, 0},
    };
    for (int i = 0; i < 2 * COUNT_OF(choices); i++) {
        int k = i / 2;
        bool now = i % 2 == 1;
        Semantics before = semantics_enter(now ? SEMANTICS_2_15 : SEMANTICS_1_13);
        bool differs = now && choices[k].calls_now > 0;
        OpId last = differs ? choices[k].last_now : choices[k].last;
        int calls = differs ? choices[k].calls_now : choices[k].calls;
        Arena arena = ARENA_EMPTY;
        Error err = {0};
        ExecEmit exec;
        Tensor *self;
        ck_assert(run_set(&arena, &err, &exec, "3,4", choices[k].index, choices[k].value, &self) ==
                  ERR_none);
        ck_assert_msg(exec.last == last && exec.calls == calls,
                      "%s [%s] = %s: %d calls, the last %s", now ? "2.15" : "1.13",
                      choices[k].index, choices[k].value, exec.calls,
                      exec.last == OP_NONE ? "none" : op_info(exec.last)->id_name);
        arena_destroy(&arena);
        semantics_enter(before);
    }
}
END_TEST

/* A Scalar that does not fit the dtype is reported before a bad index; since 2.15 after it. */
START_TEST(setitem_scalar_must_fit) {
    Semantics before = semantics_enter(_i ? SEMANTICS_2_15 : SEMANTICS_2_13);
    static const struct {
        DType dtype;
        double value;
        ErrCode code;
    } scalars[] = {{DT_uint8, 300, ERR_invalid},
                   {DT_uint8, -1, ERR_none},
                   {DT_int8, 200, ERR_invalid},
                   {DT_bool, 3, ERR_none},
                   {DT_float32, 1e300, ERR_invalid}};
    for (int k = 0; k < COUNT_OF(scalars); k++) {
        for (int bad = 0; bad < 2; bad++) {
            Arena arena = ARENA_EMPTY;
            Error err = {0};
            ExecEmit exec = exec_emit(&arena, &err);
            Call call = call_new(OP_setitem);
            call.arg[0].tensor = counting(&arena, scalars[k].dtype, "3", 0);
            call.arg[1] = read_index(&arena, bad ? "i7" : "i1");
            call.arg[2].scalar = scalars[k].value == 1e300 ? scalar_float(1e300)
                                                           : scalar_int((int64_t)scalars[k].value);
            Tensor *out[MAX_OUTPUTS];
            int n;
            ErrCode number = scalars[k].code, index = bad ? ERR_index_range : ERR_none,
                    expected = (_i ? index != ERR_none : number == ERR_none) ? index : number;
            ck_assert_int_eq(emit_call(&exec.emit, &call, out, &n), expected);
            arena_destroy(&arena);
        }
    }
    semantics_enter(before);
}
END_TEST

int main(void) {
    op_table_init();
    Suite *suite = suite_create("index");
    TCase *tcase = tcase_create("index");
    tcase_add_loop_test(tcase, getitem_as_torch, 0, COUNT_OF(gets));
    tcase_add_loop_test(tcase, setitem_as_torch, 0, COUNT_OF(sets));
    tcase_add_test(tcase, setitem_chooses_the_op);
    tcase_add_loop_test(tcase, setitem_scalar_must_fit, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite("program/index", suite);
}
