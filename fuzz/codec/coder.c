/* Two streams in one string of bytes: decisions from the front, data from the end backwards. They
 * overlap only if there are too few bytes; then any value is as good as another. */
#include "fuzz/codec/coder.h"

#include <math.h>
#include <string.h>

enum {
    RARE = 0xEE,
    SMALL_COUNTS = 248, /* front bytes below it are counts of 0..7 */
    ONE_BYTE = 248, /* back bytes below it are integers of one byte; ONE_BYTE + k: of k + 1 more */
    LONGEST = 8,    /* bytes of an integer */
    EIGHTHS = 1 << 20 /* floats that are so many eighths at most are written as integers */
};

static void coder_put(Arena *arena, Stream *s, uint8_t byte) {
    if (s->n == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        uint8_t *more = arena_alloc_raw(arena, s->capacity);
        if (s->n > 0) {
            memcpy(more, s->v, (size_t)s->n);
        }
        s->v = more;
    }
    s->v[s->n++] = byte;
}

uint8_t code_front(Coder *c, uint8_t byte) {
    if (c->encoding) {
        coder_put(c->arena, &c->head, byte);
        return byte;
    }
    return c->front + c->back < c->n ? c->v[c->front++] : 0;
}

uint8_t code_back(Coder *c, uint8_t byte) {
    if (c->encoding) {
        coder_put(c->arena, &c->tail, byte);
        return byte;
    }
    return c->front + c->back < c->n ? c->v[c->n - ++c->back] : 0;
}

int code_choice(Coder *c, int value, int n) {
    CHECK(n >= 1 && n <= 65536 && value >= 0 && value < n);
    int low = code_front(c, (uint8_t)value);
    if (n <= 256) {
        return low % n;
    }
    int high = code_front(c, (uint8_t)(value >> 8));
    return (low | high << 8) % n;
}

bool code_flag(Coder *c, bool value) { return code_front(c, value) & 1; }

bool code_rare(Coder *c, bool value) { return code_front(c, value ? RARE : 0) == RARE; }

int64_t code_count(Coder *c, int64_t count, int64_t most) {
    int byte = code_front(c, (uint8_t)(count < 8 ? count : SMALL_COUNTS));
    if (byte < SMALL_COUNTS) {
        return min_i64(byte % 8, most);
    }
    uint64_t wide = (uint64_t)code_int(c, count) % (uint64_t)(most + 1);
    return c->encoding ? count : min_i64((int64_t)wide, c->n - c->front - c->back);
}

static uint64_t code_word(Coder *c, uint64_t value, int bytes) {
    uint64_t word = 0;
    for (int i = 0; i < bytes; i++) {
        word |= (uint64_t)code_back(c, (uint8_t)(value >> (8 * i))) << (8 * i);
    }
    return word;
}

int64_t code_int(Coder *c, int64_t value) {
    uint64_t zigzag = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
    int bytes = 1;
    while (bytes < LONGEST && zigzag >> (8 * bytes)) {
        bytes++;
    }
    uint8_t first =
        code_back(c, zigzag < ONE_BYTE ? (uint8_t)zigzag : (uint8_t)(ONE_BYTE + bytes - 1));
    zigzag = first < ONE_BYTE ? first : code_word(c, zigzag, first - ONE_BYTE + 1);
    return (int64_t)(zigzag >> 1 ^ (zigzag & 1 ? UINT64_MAX : 0));
}

double code_double(Coder *c, double value) {
    double eighths = value * 8;
    bool small =
        fabs(eighths) <= EIGHTHS && eighths == floor(eighths) && !(value == 0 && signbit(value));
    if (!code_rare(c, !small)) {
        int64_t read = code_int(c, small ? (int64_t)eighths : 0);
        return (double)read / 8;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = code_word(c, bits, 8);
    memcpy(&value, &bits, sizeof bits);
    return value;
}

Scalar code_scalar(Coder *c, Scalar value) {
    switch ((Category)code_choice(c, (int)value.kind, 3)) {
    case CAT_BOOL:
        return scalar_bool(code_flag(c, value.i != 0));
    case CAT_INT:
        return scalar_int(code_int(c, value.i));
    default:
        return scalar_float(code_double(c, value.f));
    }
}

void code_elements(Coder *c, void *data, DType dtype, int64_t n) {
    uint8_t *byte = data;
    int64_t bytes = n * dtype_bytes(dtype);
    for (int64_t i = 0; i < bytes; i++) {
        byte[i] = code_back(c, byte[i]);
        byte[i] = dtype == DT_bool ? byte[i] & 1 : byte[i];
    }
}

/* The length of the UTF-8 sequence at v (Unicode 15, table 3-7), of at most n bytes; 0 if there is
 * none. */
static int64_t sequence(const uint8_t *v, int64_t n) {
    static const struct {
        uint8_t first, last, low, high;
        int length;
    } rows[] = {
        {0x20, 0x7E, 0x80, 0xBF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
        {0x7F, 0x7F, 0x80, 0xBF, 1}, {0x01, 0x1F, 0x80, 0xBF, 1},
    };
    for (int k = 0; k < COUNT_OF(rows); k++) {
        if (v[0] >= rows[k].first && v[0] <= rows[k].last) {
            bool ok = rows[k].length <= n &&
                      (rows[k].length < 2 || (v[1] >= rows[k].low && v[1] <= rows[k].high));
            for (int i = 2; i < rows[k].length && ok; i++) {
                ok = v[i] >= 0x80 && v[i] <= 0xBF;
            }
            return ok ? rows[k].length : 0;
        }
    }
    return 0;
}

const char *code_text(Coder *c, const char *text) {
    int64_t most = 16 << 20, n = code_count(c, c->encoding ? (int64_t)strlen(text) : 0, most);
    char *out = arena_alloc(c->arena, n + 1);
    for (int64_t i = 0; i < n; i++) {
        out[i] = (char)code_back(c, c->encoding ? (uint8_t)text[i] : 0);
    }
    for (int64_t i = 0, step; i < n; i += step) {
        step = sequence((const uint8_t *)out + i, n - i);
        if (step == 0) {
            return "";
        }
    }
    return out;
}
