/* The table of names. A name is one of the usual letters and a number (v0, x3), or a text. Names in
 * statements are indices into the table: one byte. The table always holds at least one name, also
 * when random bytes define none. */
#include "fuzz/codec/coder.h"

#include <stdlib.h>
#include <string.h>

static const char first_letters[] = "vxabcdefghijklmnopqrstuwyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char letters[] = "vxabcdefghijklmnopqrstuwyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
enum {
    LETTERS = sizeof letters - 1,
    FIRST_LETTERS = sizeof first_letters - 1,
    USUAL = 2,
    MAX_LENGTH = 64
};

/* The number of a usual name, -1 of others. */
static int64_t usual_number(const char *name) {
    bool usual = (name[0] == first_letters[0] || name[0] == first_letters[1]) && name[1] >= '0' &&
                 name[1] <= '9';
    usual = usual && (name[1] != '0' || name[2] == '\0') && strlen(name) < 8 &&
            strspn(name + 1, "0123456789") == strlen(name + 1);
    return usual ? strtol(name + 1, NULL, 10) : -1;
}

static NameId add_name(Coder *c, const char *name) {
    NameId id = names_intern(&c->names, name);
    return id == NAME_NONE ? 0 : id; /* 8192 names: the rest are the first */
}

/* The letter and the number as text. */
static void usual_name(char *text, char letter, int64_t number) {
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    *text++ = letter;
    while (n > 0) {
        *text++ = digits[--n];
    }
    *text = '\0';
}

static NameId code_entry(Coder *c, const char *name) {
    char text[MAX_LENGTH + 1];
    int64_t number = c->encoding ? usual_number(name) : -1;
    if (!code_rare(c, c->encoding && number < 0)) {
        int letter = code_choice(c, number >= 0 && name[0] == first_letters[1], USUAL);
        number = code_int(c, number);
        if (c->encoding) {
            return 0;
        }
        usual_name(text, first_letters[letter], number & 0xFFFFF);
        return add_name(c, text);
    }
    int n = 1 + code_choice(c, c->encoding ? (int)strlen(name) - 1 : 0, MAX_LENGTH);
    for (int i = 0; i < n; i++) {
        int index = c->encoding ? (int)(strchr(letters, name[i]) - letters) : 0;
        index = code_back(c, (uint8_t)index) % (i == 0 ? FIRST_LETTERS : LETTERS);
        text[i] = letters[index];
    }
    text[n] = '\0';
    return c->encoding ? 0 : add_name(c, text);
}

void code_names(Coder *c) {
    c->nname = (int)code_count(c, c->encoding ? c->p->nnames : 0, MAX_NAMES);
    c->name = arena_array(c->arena, NameId, c->nname + 1);
    for (int i = 0; i < c->nname; i++) {
        c->name[i] = code_entry(c, c->encoding ? c->p->names[i] : NULL);
    }
    if (c->nname == 0 && !c->encoding) {
        c->name[c->nname++] = add_name(c, "x0");
    }
}

NameId code_name(Coder *c, NameId name) {
    int n = (int)max_i64(c->nname, 1);
    CHECK(!c->encoding || (name >= 0 && name < n));
    int index = code_choice(c, c->encoding ? name : 0, n);
    return c->encoding ? name : c->name[index];
}

NameId *code_name_list(Coder *c, NameId *names, int *n, bool nulls) {
    *n = (int)code_count(c, *n, MAX_NAMES);
    NameId *out = c->encoding ? names : arena_array(c->arena, NameId, *n);
    for (int i = 0; i < *n; i++) {
        bool null = nulls && code_rare(c, c->encoding && names[i] == NAME_NONE);
        out[i] = null ? NAME_NONE : code_name(c, out[i]);
    }
    return out;
}
