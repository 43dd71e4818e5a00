/* Exact reading of numbers from their text.
 *
 * An integer is read from its decimal digits: leading and trailing zeros are moved into the
 * exponent, and the number is an integer if the exponent is not negative. Only a number whose text
 * has a fraction is read with strtod; it counts as an integer if its double is one. So `0.5e1`,
 * `5.0` and `5` are the same number here, as in any JSON tool. */
#include "program/json/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t EXACT = (int64_t)1 << 53;

/* Up to 15 digits without point or exponent, which are exact in a double, need no strtod. */
double json_double(const Json *number) {
    int64_t value = 0;
    bool negative = number->text[0] == '-', plain = number->length <= 15;
    for (int i = negative; i < number->length && plain; i++) {
        plain = number->text[i] >= '0' && number->text[i] <= '9';
        value = value * 10 + (number->text[i] - '0');
    }
    double magnitude = plain ? (double)value : strtod(number->text, NULL);
    return plain && negative ? -magnitude : magnitude;
}

/* The digits of a JSON number without the decimal point: value = digits * 10^exponent. */
typedef struct Decimal {
    bool negative;
    int64_t exponent;
    int ndigit;       /* significant digits, without zeros on either side */
    uint64_t leading; /* the first 19 of them */
} Decimal;

static Decimal decimal_read(const char *text, int length) {
    Decimal d = {0};
    int64_t pending = 0, point = 0; /* zeros that may be trailing; digits after the point */
    int i = text[0] == '-';
    d.negative = i == 1;
    bool after_point = false;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        point += after_point;
        if (text[i] == '0') {
            pending += d.ndigit > 0;
            continue;
        }
        for (; pending >= 0; pending--) {
            int digit = pending > 0 ? 0 : text[i] - '0';
            d.leading = d.ndigit < 19 ? d.leading * 10 + (uint64_t)digit : d.leading;
            d.ndigit++;
        }
        pending = 0;
    }
    int64_t exponent = 0;
    if (i < length) {
        bool negative = text[++i] == '-';
        for (i += text[i] == '-' || text[i] == '+'; i < length; i++) {
            exponent = min_i64(exponent * 10 + (text[i] - '0'), 1000000000);
        }
        exponent = negative ? -exponent : exponent;
    }
    d.exponent = exponent - point + pending;
    return d;
}

/* Classifies a number, by its double value if its text has a fraction (1, 1.0 and 1e0 are the same
 * number). */
static Integrality json_integrality(const Json *number, int64_t *value) {
    *value = 0;
    Decimal d = decimal_read(number->text, number->length);
    if (d.ndigit == 0) {
        return NUMBER_INTEGER;
    }
    if (d.exponent < 0) {
        double as_double = json_double(number);
        if (as_double != trunc(as_double) || fabs(as_double) > 0x1p53) {
            return isfinite(as_double) && as_double == trunc(as_double) ? NUMBER_HUGE
                                                                        : NUMBER_FRACTION;
        }
        *value = (int64_t)as_double;
        return NUMBER_INTEGER;
    }
    if (d.ndigit + d.exponent > 19) {
        return NUMBER_HUGE;
    }
    uint64_t magnitude = d.leading; /* at most 19 digits: below 2^64 */
    for (int64_t e = 0; e < d.exponent; e++) {
        magnitude *= 10;
    }
    if (magnitude > (uint64_t)INT64_MAX + d.negative) {
        return NUMBER_HUGE;
    }
    *value = d.negative ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return NUMBER_INTEGER;
}

bool json_decimal(const char *text, int64_t *value) {
    const char *digits = text + (*text == '-');
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || n > 19 || digits[n] || (digits[0] == '0' && (n > 1 || *text == '-'))) {
        return false;
    }
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    *value = v;
    return errno == 0;
}

/* "nan", "inf", "-inf", "-0.0". */
static bool json_special_float(const char *text, double *value) {
    static const struct {
        const char *text;
        double value;
    } specials[] = {
        {"nan", NAN},
        {"inf", INFINITY},
        {"-inf", -INFINITY},
        {"-0.0", -0.0},
    };
    for (int k = 0; k < COUNT_OF(specials); k++) {
        if (strcmp(text, specials[k].text) == 0) {
            *value = specials[k].value;
            return true;
        }
    }
    return false;
}

/* ---- readers that report errors ---- */

bool json_read_int(Reader *r, const Json *j, int64_t *value) {
    if (!json_want(r, j, JSON_NUMBER, "an integer")) {
        return false;
    }
    Integrality kind = json_integrality(j, value);
    if (kind == NUMBER_FRACTION) {
        return json_bad(r, j, "expected an integer, found a number with a fraction");
    }
    if (kind == NUMBER_HUGE || *value > EXACT || *value < -EXACT) {
        return json_bad(r, j, "an integer beyond 2^53 cannot be written as a number");
    }
    return true;
}

bool json_read_int_in(Reader *r, const Json *j, int64_t low, int64_t high, int64_t *value) {
    if (!json_read_int(r, j, value)) {
        return false;
    }
    return (*value >= low && *value <= high) ||
           json_bad(r, j, "%lld is not in %lld..%lld", (long long)*value, (long long)low,
                    (long long)high);
}

bool json_read_bool(Reader *r, const Json *j, bool *value) {
    *value = j->boolean;
    return json_want(r, j, JSON_BOOL, "true or false");
}

bool json_read_wide_int(Reader *r, const Json *j, int64_t *value) {
    if (!json_is_wrapped(j, "int")) {
        return json_read_int(r, j, value);
    }
    const Json *inner = j->child;
    if (inner->kind == JSON_NUMBER) {
        return json_read_int(r, inner, value);
    }
    if (!json_want(r, inner, JSON_STRING, "a decimal string")) {
        return false;
    }
    return json_decimal(inner->text, value) ||
           json_bad(r, inner,
                    "expected a decimal string that fits int64, such as \"9223372036854775807\"");
}

/* The value of {"float": ..}. */
static bool read_wrapped_float(Reader *r, const Json *j, double *value) {
    if (j->kind == JSON_STRING) {
        return json_special_float(j->text, value) ||
               json_bad(r, j, "expected a number, \"nan\", \"inf\", \"-inf\" or \"-0.0\"");
    }
    if (!json_want(r, j, JSON_NUMBER, "a number or a string such as \"nan\"")) {
        return false;
    }
    *value = json_double(j);
    return isfinite(*value) || json_bad(r, j, "the number is beyond float64; infinity is \"inf\"");
}

bool json_read_scalar(Reader *r, const Json *j, Scalar *out) {
    if (j->kind == JSON_BOOL) {
        *out = scalar_bool(j->boolean);
        return true;
    }
    if (json_is_wrapped(j, "float")) {
        *out = scalar_float(0);
        return read_wrapped_float(r, j->child, &out->f);
    }
    if (json_is_wrapped(j, "int")) {
        *out = scalar_int(0);
        return json_read_wide_int(r, j, &out->i);
    }
    if (!json_want(r, j, JSON_NUMBER, "a number, a boolean, {\"float\": ..} or {\"int\": ..}")) {
        return false;
    }
    int64_t value;
    Integrality kind = json_integrality(j, &value);
    if (kind == NUMBER_FRACTION) {
        *out = scalar_float(json_double(j));
        return isfinite(out->f) || json_bad(r, j, "the number is beyond float64");
    }
    if (kind == NUMBER_HUGE || value > EXACT || value < -EXACT) {
        return json_bad(
            r, j,
            "an integral scalar beyond 2^53 must be written {\"int\": \"..\"} or {\"float\": ..}");
    }
    *out = scalar_int(value);
    return true;
}

bool json_read_seed(Reader *r, const Json *j, uint64_t *seed) {
    if (j->kind == JSON_STRING) {
        size_t n = strlen(j->text);
        bool digits =
            n > 0 && n <= 20 && strspn(j->text, "0123456789") == n && (n == 1 || j->text[0] != '0');
        errno = 0;
        *seed = digits ? strtoull(j->text, NULL, 10) : 0;
        return (digits && errno == 0) || json_bad(r, j, "expected a decimal string in 0..2^64-1");
    }
    int64_t value;
    if (!json_want(r, j, JSON_NUMBER, "a seed: an integer or a decimal string")) {
        return false;
    }
    if (json_integrality(j, &value) != NUMBER_INTEGER || value < 0 || value >= EXACT) {
        return json_bad(r, j, "a seed is an integer in 0..2^53-1, or a decimal string");
    }
    *seed = (uint64_t)value;
    return true;
}

/* ---- data in a dtype ---- */

static bool read_element_float(Reader *r, const Json *j, DType dtype, bool rounding, void *data,
                               int64_t i) {
    double value = 0;
    if (j->kind == JSON_STRING) {
        if (!json_special_float(j->text, &value)) {
            return json_bad(r, j, "expected a number, \"nan\", \"inf\", \"-inf\" or \"-0.0\"");
        }
        element_store_double(data, dtype, i, value);
        return true;
    }
    if (!json_want(r, j, JSON_NUMBER, "a number")) {
        return false;
    }
    value = json_double(j);
    element_store_double(data, dtype, i, value);
    if (!rounding && !isfinite(element_double(data, dtype, i))) {
        return json_bad(r, j, "the number is beyond %s; infinity is \"inf\"", dtype_name(dtype));
    }
    return true;
}

static bool read_element_int(Reader *r, const Json *j, DType dtype, bool rounding, void *data,
                             int64_t i) {
    int64_t value;
    if (j->kind == JSON_STRING) {
        if (!json_decimal(j->text, &value)) {
            return json_bad(r, j, "expected a decimal string that fits int64");
        }
    } else if (rounding && j->kind == JSON_NUMBER) { /* a target may print all digits of an int64 */
        if (json_integrality(j, &value) != NUMBER_INTEGER) {
            return json_bad(r, j, "expected an integer");
        }
    } else if (!json_read_int(r, j, &value)) {
        return false;
    }
    if (value < dtype_min(dtype) || value > dtype_max(dtype)) {
        return json_bad(r, j, "%lld does not fit %s", (long long)value, dtype_name(dtype));
    }
    element_store_int(data, dtype, i, value);
    return true;
}

bool json_read_data(Reader *r, const Json *j, DType dtype, bool rounding, void **data, int64_t *n) {
    if (!json_want(r, j, JSON_ARRAY, "an array of elements")) {
        return false;
    }
    *n = j->count;
    *data = arena_alloc(r->arena, (int64_t)j->count * dtype_bytes(dtype));
    const Json *next = j->child;
    int at = 1;
    for (int i = 0; i < j->count; i++) {
        char buffer[JSON_SCALAR];
        const Json scalar = next ? *next : json_element(j, i, &at, buffer), *e = &scalar;
        next = next ? next->next : NULL;
        bool ok, b = false;
        if (dtype == DT_bool) {
            ok = json_read_bool(r, e, &b);
            element_store_int(*data, dtype, i, b);
        } else {
            ok = dtype_is_float(dtype) ? read_element_float(r, e, dtype, rounding, *data, i)
                                       : read_element_int(r, e, dtype, rounding, *data, i);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}
