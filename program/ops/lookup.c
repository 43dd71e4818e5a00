/* Looks rows up by name, by a parameter's name, and by their code in the byte codec. */
#include "program/ops/lookup.h"

#include "program/ops/op.h"

#include <stdlib.h>

/* Process-static, filled once by op_lookup_init. */
static const OpInfo *by_code[OP_COUNT];
static int ncodes;

static const OpInfo *row(int id) { return op_info((OpId)id); }

/* ---- lookup by name: a small open-addressing hash over first rows ---- */

enum { SLOTS = 1 << 10 };
static int16_t slot_of[SLOTS]; /* first row of a name + 1; 0: empty */

static unsigned hash(const char *name) {
    return (unsigned)(name_key(name) * 0x9E3779B97F4A7C15u >> 54);
}

static void index_names(void) {
    for (int id = 0; id < OP_COUNT; id++) {
        if (id > 0 && strcmp(row(id)->name, row(id - 1)->name) == 0) {
            continue;
        }
        unsigned at = hash(row(id)->name);
        while (slot_of[at]) {
            if (strcmp(row(slot_of[at] - 1)->name, row(id)->name) == 0) {
                die("ops.def: the overloads of `%s` do not stand together", row(id)->name);
            }
            at = (at + 1) % SLOTS;
        }
        slot_of[at] = (int16_t)(id + 1);
    }
}

/* op_param compares keys alone. */
static void check_keys(void) {
    enum { NAMES = 512 };
    const Param *seen[NAMES];
    int n = 0;
    for (int id = 0; id < OP_COUNT; id++) {
        for (int k = 0; k < row(id)->nparam; k++) {
            const Param *p = &row(id)->param[k];
            int at = 0;
            while (at < n && seen[at]->key != p->key) {
                at++;
            }
            if (at < n && strcmp(seen[at]->name, p->name) != 0) {
                die("ops.def: the parameter names `%s` and `%s` have one key", seen[at]->name,
                    p->name);
            }
            if (at == n) {
                CHECK(n < NAMES);
                seen[n++] = p;
            }
        }
    }
}

/* ---- lookup by code ---- */

static int compare_codes(const void *a, const void *b) {
    const OpInfo *x = *(const OpInfo *const *)a, *y = *(const OpInfo *const *)b;
    return x->code != y->code ? (x->code < y->code ? -1 : 1) : (int)x->id - (int)y->id;
}

static void index_codes(void) {
    for (int id = 0; id < OP_COUNT; id++) {
        if (!op_name_is_internal(row(id)->name)) {
            by_code[ncodes++] = row(id);
        }
    }
    qsort(by_code, (size_t)ncodes, sizeof by_code[0], compare_codes);
}

const OpInfo *op_by_code(uint32_t code) {
    CHECK(ncodes > 0);
    int lo = 0, hi = ncodes; /* below lo: smaller codes; from hi: not */
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (by_code[middle]->code < code) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return by_code[lo == ncodes ? 0 : lo];
}

int op_overloads(const char *name, const OpInfo **first) {
    CHECK(ncodes > 0);
    for (unsigned at = hash(name); slot_of[at]; at = (at + 1) % SLOTS) {
        int id = slot_of[at] - 1;
        if (strcmp(row(id)->name, name) == 0) {
            int n = 1;
            while (id + n < OP_COUNT && strcmp(row(id + n)->name, name) == 0) {
                n++;
            }
            *first = row(id);
            return n;
        }
    }
    return 0;
}

int op_find_param(const OpInfo *op, const char *text) {
    int k = op_param(op, text);
    return k >= 0 && strcmp(op->param[k].name, text) == 0 ? k : -1;
}

void op_lookup_init(void) {
    index_names();
    check_keys();
    index_codes();
}
