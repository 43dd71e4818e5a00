/* Parser of a graph's text (ir/print.c): one node per line, then the outputs.
 *
 * A cursor goes over the text once; a node's operands are defined on earlier lines. What the text
 * does not contain is lost: messages of CHECKs, flags of returns. The first error ends parsing with
 * "line N: what was expected". */
#include "compiled/ir/scan.h"
#include "tensor/array.h"

#include <string.h>

enum { MAX_ENTRIES = 512 /* of the region, twice: gradients for them and for their histories */ };

/* ---- nodes ---- */

static void parse_put(Scanner *p, Node *n) {
    Graph *g = p->graph;
    g->node = array_reserve(p->arena, g->node, g->n, &g->capacity, 64, sizeof *g->node);
    g->node[g->n++] = n;
}

static Node *node_made(Scanner *p, NodeKind kind, int nin) {
    Node *n = arena_new(p->arena, Node);
    n->kind = kind;
    n->op = OP_NONE;
    n->nin = nin;
    n->in = arena_array(p->arena, Node *, max_i64(nin, 1));
    n->cls = n->group = n->buffer = n->number = -1;
    n->sid = AT_RETURN;
    return n;
}

static bool define(Scanner *p, Node *n, int id) {
    if (id >= p->ids) {
        int ids = id * 2 + 64;
        Node **grown = arena_array(p->arena, Node *, ids);
        if (p->ids > 0) {
            memcpy(grown, p->by_id, sizeof *grown * (size_t)p->ids);
        }
        p->by_id = grown;
        p->ids = ids;
    }
    if (p->by_id[id]) {
        return scan_bad(p, "%%%d is defined twice", id);
    }
    p->by_id[id] = n;
    n->id = id;
    p->graph->next_id = id >= p->graph->next_id ? id + 1 : p->graph->next_id;
    parse_put(p, n);
    return true;
}

static const OpInfo *find_op(Scanner *p) {
    char name[64], overload[64] = "";
    if (!scan_word(p, name, sizeof name) ||
        (scan_take(p, ".") && !scan_word(p, overload, sizeof overload))) {
        return NULL;
    }
    for (int id = 0; id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        if (strcmp(op->name, name) == 0 && strcmp(op->overload, overload) == 0) {
            return op;
        }
    }
    scan_bad(p, "there is no op '%s%s%s'", name, overload[0] ? "." : "", overload);
    return NULL;
}

static bool read_ir_op(Scanner *p, const Tensor *t, int id) {
    Call call = {.op = find_op(p)};
    Tensor *slot[MAX_SLOTS];
    if (!call.op || !scan_need(p, "(")) {
        return false;
    }
    for (int k = 0; k < call.op->nparam; k++) {
        const Param *param = &call.op->param[k];
        call.arg[k].none = true;
        if (*p->at == ')') {
            continue;
        }
        if ((k > 0 && !scan_need(p, ", ")) ||
            (param->kwonly && (!scan_need(p, param->name) || !scan_need(p, "="))) ||
            !scan_arg(p, param->type, t->dtype, &call.arg[k])) {
            return false;
        }
    }
    if (!scan_need(p, ")") ||
        (call.op->random && !(scan_need(p, "@") && scan_int(p, &call.number)))) {
        return false;
    }
    Node *n = node_made(p, NODE_OP, call_slots(&call, slot));
    for (int k = 0; k < n->nin; k++) {
        n->in[k] = (Node *)slot[k];
    }
    n->t = *t;
    n->call = arena_copy(p->arena, &call, (int64_t)sizeof call);
    n->op = call.op->id;
    return define(p, n, id);
}

/* ---- lines ---- */

static bool read_check(Scanner *p, int id) {
    static const char *const kinds[] = {"index in [-n, n)", "index in [0, n)", "nonzero"};
    Node *n = node_made(p, NODE_CHECK, 1);
    char code[32];
    int kind = 0;
    n->t.dtype = DT_bool;
    if (!scan_ref(p, &n->in[0], false) || !scan_need(p, " ")) {
        return false;
    }
    while (kind < COUNT_OF(kinds) && !scan_take(p, kinds[kind])) {
        kind++;
    }
    if (kind == COUNT_OF(kinds)) {
        return scan_bad(p, "expected what is checked");
    }
    n->check = (CheckKind)kind;
    n->check_message = "";
    return (!scan_take(p, " n=") || scan_int(p, &n->bound)) && scan_need(p, " else ") &&
           scan_word(p, code, sizeof code) &&
           (errcode_parse(code, &n->check_code) || scan_bad(p, "expected an error code")) &&
           define(p, n, id);
}

static bool read_write(Scanner *p) {
    Node *n = node_made(p, NODE_WRITE, 2);
    n->id = -1; /* assigned at the end: the text has none */
    if (!scan_ref(p, &n->in[0], false) || !scan_need(p, " <- ") || !scan_ref(p, &n->in[1], false)) {
        return false;
    }
    n->t = n->in[0]->t;
    parse_put(p, n);
    return true;
}

static bool read_ir_input(Scanner *p, const Tensor *t, int id) {
    Graph *g = p->graph;
    Node *n = node_made(p, NODE_INPUT, 0);
    n->t = *t;
    if (!scan_small(p, &n->number, MAX_ENTRIES)) {
        return false;
    }
    if (g->input[n->number]) {
        return scan_bad(p, "input %d is there twice", n->number);
    }
    g->input[n->number] = n;
    g->ninputs = n->number >= g->ninputs ? n->number + 1 : g->ninputs;
    return define(p, n, id);
}

static bool read_node(Scanner *p) {
    int id = 0;
    Tensor t;
    if (!scan_small(p, &id, MAX_IDS) || !scan_need(p, ": ")) {
        return false;
    }
    if (scan_take(p, "check ")) {
        return read_check(p, id);
    }
    if (!scan_layout(p, &t) || !scan_need(p, " = ")) {
        return false;
    }
    if (scan_take(p, "input ")) {
        return read_ir_input(p, &t, id);
    }
    Node *n;
    if (scan_take(p, "tangent ")) {
        n = node_made(p, NODE_TANGENT, 0);
        if (!scan_small(p, &n->number, MAX_IDS)) {
            return false;
        }
    } else if (scan_take(p, "view ")) {
        n = node_made(p, NODE_VIEW, 1);
        if (!scan_ref(p, &n->in[0], false)) {
            return false;
        }
    } else if (scan_take(p, "store ")) {
        n = node_made(p, NODE_STORE, 2);
        if (!scan_ref(p, &n->in[0], false) || !scan_need(p, " at ") || !scan_layout(p, &n->slice) ||
            !scan_need(p, " <- ") || !scan_ref(p, &n->in[1], false)) {
            return false;
        }
    } else {
        return read_ir_op(p, &t, id);
    }
    n->t = t;
    return define(p, n, id);
}

static bool read_sid(Scanner *p, Node *n) {
    size_t length = strcspn(p->at, "\n");
    if (length == strlen("backward") && strncmp(p->at, "backward", length) == 0) {
        n->sid = AT_BACKWARD;
        p->at += length;
        return true;
    }
    for (int sid = 0; p->program && sid < p->program->nstmts; sid++) {
        const char *path = program_path(p->arena, p->program, sid);
        if (strlen(path) == length && strncmp(path, p->at, length) == 0) {
            n->sid = sid;
            p->at += length;
            return true;
        }
    }
    return scan_bad(p, "no statement has this path");
}

/* {again %2}  {group 1}  {in place}  {b2}  # body[0] */
/* The operands that are computed into the cat `n`. */
static bool read_joined(Scanner *p, Node *n) {
    do {
        Node *operand = NULL;
        bool found = false;
        if (!scan_ref(p, &operand, false)) {
            return false;
        }
        for (int k = 0; operand && k < n->nin; k++) {
            found = found || n->in[k] == operand;
        }
        if (!found || (n->op != OP_cat && n->op != OP_stack) || operand->into) {
            return scan_bad(p, "expected an operand of this cat");
        }
        operand->into = n;
    } while (scan_take(p, " "));
    return scan_need(p, "}");
}

static bool read_annotations(Scanner *p, Node *n) {
    while (scan_take(p, "  ")) {
        if (scan_take(p, "# ")) {
            return read_sid(p, n);
        }
        if (scan_take(p, "{in place}")) {
            n->in_place = true;
            continue;
        }
        if (scan_take(p, "{again ")) {
            if (!scan_ref(p, &n->recomputes, false) || !scan_need(p, "}")) {
                return false;
            }
            continue;
        }
        if (scan_take(p, "{joins ")) {
            if (!read_joined(p, n)) {
                return false;
            }
            continue;
        }
        int *out = scan_take(p, "{group ") ? &n->group : scan_take(p, "{b") ? &n->buffer : NULL;
        if (!out) {
            return scan_bad(p, "expected an annotation");
        }
        if (!scan_small(p, out, MAX_IDS) || !scan_need(p, "}")) {
            return false;
        }
    }
    return true;
}

static bool read_ir_return(Scanner *p) {
    Graph *g = p->graph;
    ReturnPlan r = {0};
    int number = 0;
    if (!scan_small(p, &number, MAX_IDS) || number != g->nret || !scan_need(p, ": ")) {
        return scan_bad(p, "returns out of order");
    }
    r.aliases_input = scan_take(p, "input storage ");
    if (!(r.aliases_input ? scan_small(p, &r.storage, MAX_ENTRIES) : scan_ref(p, &r.value, true)) ||
        !scan_need(p, " as ") || !scan_layout(p, &r.layout) ||
        (scan_take(p, " grad ") && !scan_ref(p, &r.grad, false)) ||
        (scan_take(p, " before ") && !scan_ref(p, &r.before, false))) {
        return false;
    }
    r.cls = number;
    if ((g->nret & (g->nret - 1)) == 0) { /* doubles */
        ReturnPlan *grown = arena_array(p->arena, ReturnPlan, max_i64(2 * g->nret, 1));
        if (g->nret > 0) {
            memcpy(grown, g->ret, sizeof *grown * (size_t)g->nret);
        }
        g->ret = grown;
    }
    g->ret[g->nret++] = r;
    return true;
}

/* Of an entry, or (outer) for the history that it came with. */
static bool read_gradient(Scanner *p, bool outer) {
    Graph *g = p->graph;
    int at = g->ninp; /* lines are in order: the next entry, or a later one */
    NameId name = NAME_NONE;
    if (scan_take(p, "input ")) {
        if (!scan_small(p, &at, MAX_ENTRIES)) {
            return false;
        }
    } else {
        size_t length = strcspn(p->at, ":");
        for (NameId i = 0; p->program && i < p->program->nnames && name == NAME_NONE; i++) {
            const char *known = p->program->names[i];
            name = strlen(known) == length && strncmp(known, p->at, length) == 0 ? i : NAME_NONE;
        }
        if (name == NAME_NONE) {
            return scan_bad(p, "there is no such name");
        }
        p->at += length;
    }
    if (at < g->ninp || at >= MAX_ENTRIES) {
        return scan_bad(p, "gradients are not in order, or too many");
    }
    g->ninp = at + 1;
    g->inp[at] = (InputPlan){.name = name, .external = outer, .grad_state = GRAD_VALUE};
    return scan_need(p, ": ") && scan_ref(p, &g->inp[at].grad, false);
}

static bool read_line(Scanner *p) {
    Graph *g = p->graph;
    int storage = 0;
    char code[32];
    if (!scan_need(p, "  ")) {
        return false;
    }
    if (scan_take(p, "return ")) {
        return read_ir_return(p);
    }
    if (scan_take(p, "write back to input storage ")) {
        return scan_small(p, &storage, MAX_ENTRIES) && scan_need(p, ": ") &&
               scan_ref(p, &g->written[storage], false);
    }
    bool outer = scan_take(p, "grad for the history of ");
    if (outer || scan_take(p, "grad of ")) {
        return read_gradient(p, outer);
    }
    if (scan_take(p, "backward raises ")) {
        return scan_word(p, code, sizeof code) &&
               (errcode_parse(code, &g->backward_error) || scan_bad(p, "expected an error code"));
    }
    bool read = scan_take(p, "write ") ? read_write(p)
                : scan_take(p, "%")    ? read_node(p)
                                       : scan_bad(p, "expected a node or an output");
    return read && read_annotations(p, g->node[g->n - 1]);
}

Graph *graph_parse(Arena *arena, const char *text, const Program *program, char *message,
                   size_t message_size) {
    Graph *g = graph_new(arena);
    Scanner p = {.arena = arena,
                 .program = program,
                 .graph = g,
                 .at = text,
                 .message = message,
                 .message_size = message_size};
    g->input = arena_array(arena, Node *, MAX_ENTRIES);
    g->written = arena_array(arena, Node *, MAX_ENTRIES);
    g->version = arena_array(arena, int64_t, MAX_ENTRIES);
    g->inp = arena_array(arena, InputPlan, MAX_ENTRIES);
    while (*p.at) {
        p.line++;
        p.line_start = p.at;
        if (!read_line(&p) || !scan_need(&p, "\n")) {
            return NULL;
        }
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->id = g->node[i]->id < 0 ? g->next_id++ : g->node[i]->id;
    }
    return g;
}
