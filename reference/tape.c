/* Recording: what a node holds of the op that it stands for.
 *
 * In PyTorch's order: the node takes its sequence number, then grad_fn of every operand is
 * materialized (which may number new nodes, or refuse), then the op runs, then the result is saved.
 * Of each operand the node holds either the Var itself with the version it had, or metadata without
 * storage. The column `saves` of ops.def selects which, given the operands that have an edge. */
#include "reference/tape.h"

#include <limits.h>
#include <string.h>

GradNode *node_new(Session *s, GradNodeKind kind, int nslot, int nout) {
    GradNode *node = arena_alloc_raw(s->arena, (int64_t)sizeof *node);
    memset(node, 0, offsetof(GradNode, call.arg));
    node->kind = kind;
    node->sequence_nr = s->sequence_nr++;
    node->older = s->nodes;
    s->nodes = node;
    node->nslot = nslot;
    node->nout = nout;
    node->in_formula = s->emit.in_formula;
    node->next_edges = arena_alloc_raw(s->arena, (int64_t)sizeof(Edge) * nslot);
    for (int i = 0; i < nslot; i++) {
        node->next_edges[i] = (Edge){NULL, 0};
    }
    return node;
}

/* The argument lists of a call belong to its caller: copied. */
static void keep_args(Session *s, GradNode *node, const Call *call) {
    const OpInfo *op = call->op;
    node->call.op = op;
    for (int i = 0; i < op->nparam; i++) {
        node->call.arg[i] = call->arg[i];
    }
    for (int i = 0; op->lists >> i; i++) {
        Arg *arg = &node->call.arg[i];
        ArgType type = op->param[i].type;
        if (!(op->lists >> i & 1) || arg->none) {
            continue;
        }
        if (type == ARG_TENSORS || type == ARG_TENSORS_OPT) {
            arg->tensors.v =
                arena_copy(s->arena, arg->tensors.v, (int64_t)sizeof(Tensor *) * arg->tensors.n);
        } else if (arg->ints.n > 0) {
            arg->ints.v = arena_copy(s->arena, arg->ints.v, (int64_t)sizeof(int64_t) * arg->ints.n);
        }
    }
}

/* ---- blocks under checkpoint ---- */

/* A node of an op begins, in a block that is recorded or recomputed. */
static void checkpoint_begins(Session *s, GradNode *node) {
    Checkpoint *c = s->checkpoint;
    if (!c->recomputing) {
        node->checkpoint = c;
        node->place = c->n++;
    } else {
        node->place = c->at++;
        if (node->place < c->n) {
            c->again[node->place] = node;
        }
    }
}

/* It has saved operands, or results; recomputing may end here, with the session's error. */
static void checkpoint_saves(Session *s, const GradNode *node, bool results) {
    Checkpoint *c = s->checkpoint;
    if (!checkpoint_packs(node)) {
        return;
    }
    if (!c->recomputing) {
        c->last_place = node->place;
        c->last_is_result = results;
    } else if (node->place == c->last_place && results == c->last_is_result) {
        c->has_all = true;
        error_set(s->err, ERR_internal, "the block has recomputed all that it saves");
    }
}

/* ---- nodes ---- */

GradNode *node_begin(Session *s, const Call *call, const Slots *slots) {
    Tensor *const *slot = slots->v;
    int n = slots->n;
    GradNode *node = node_new(s, GRAD_NODE_OP, n, 0);
    node->in_list = s->emit.in_list;
    if (since(no_derivative_first) && op_refuses_backward(call->op)) {
        node->sequence_nr = INT64_MAX;
    }
    bool view = call->op->kind == KIND_VIEW || call->op->kind == KIND_MULTI_VIEW;
    for (int i = 0; i < n; i++) {
        if (slot[i] && (i == 0 || !view) && !(call->op->non_differentiable >> i & 1)) {
            node->next_edges[i] = var_gradient_edge(s, var_of(slot[i]));
            if (s->err->code != ERR_none) {
                return NULL;
            }
        }
    }
    keep_args(s, node, call);
    node->operand = arena_copy(s->arena, slot, (int64_t)sizeof slot[0] * n);
    if (s->checkpoint) {
        checkpoint_begins(s, node);
    }
    return node;
}

const bool *edges_needed(const GradNode *node, bool *needed) {
    for (int i = 0; i < node->nslot; i++) {
        needed[i] = node->next_edges[i].node != NULL;
    }
    return needed;
}

bool node_saves_self(const GradNode *node) {
    bool needed[MAX_SLOTS];
    edges_needed(node, needed);
    return node->nslot > 0 && call_saves_slot(&node->call, 0, needed);
}

static void tape_insert(GradNode *node, SavedVariable saved) {
    int at = node->nsaved++;
    for (; at > 0 && node->saved[at - 1].rank > saved.rank; at--) {
        node->saved[at] = node->saved[at - 1];
    }
    node->saved[at] = saved;
}

static void reference_tape_save(GradNode *node, Tensor *value, bool unpack_materializes, int rank) {
    bool leaf = !unpack_materializes || !var_of(value)->grad_fn;
    tape_insert(node, (SavedVariable){value, *storage_version(value->storage), unpack_materializes,
                                      leaf, rank});
}

void node_set_args(GradNode *node) {
    const OpInfo *op = node->call.op;
    int at = 0;
    for (int i = 0; i < op->nparam && op->slots_vary; i++) {
        Arg *arg = &node->call.arg[i];
        switch (op->param[i].type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            if (!arg->none) {
                arg->tensor = node->operand[at];
            }
            at++;
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            for (int k = 0; !arg->none && k < arg->tensors.n; k++) {
                arg->tensors.v[k] = node->operand[at++];
            }
            break;
        default:
            break;
        }
    }
    for (; !op->slots_vary && at < op->ntensor; at++) {
        Arg *arg = &node->call.arg[op->tensor[at]];
        arg->tensor = arg->none ? arg->tensor : node->operand[at];
    }
    CHECK(at == node->nslot);
}

void node_save_operands(Session *s, GradNode *node, Tensor *self_clone) {
    bool needed[MAX_SLOTS], saves = node->call.op->saves_any != 0;
    int n = node->nslot;
    if (saves) {
        edges_needed(node, needed);
        node->saved = arena_alloc_raw(s->arena, (int64_t)sizeof(SavedVariable) * (2 * n + 1));
    }
    for (int i = 0; i < n; i++) {
        Tensor *t = node->operand[i];
        if (!t) {
            continue;
        }
        if (!saves || !call_saves_slot(&node->call, i, needed)) {
            node->operand[i] = tensor_meta(s, t);
        } else if (i == 0 && self_clone) {
            node->operand[i] = self_clone;
            node->saves_clone = true;
        } else {
            int rank = call_saved_rank(&node->call, i);
            reference_tape_save(node, t, true, rank);
            Var *root = var_of(t)->base ? var_of(t)->base : var_of(t);
            if (root->mask) { /* coordinates of a mask: PyTorch saves the mask */
                tape_insert(node, (SavedVariable){&root->mask->tensor, root->mask_version, false,
                                                  true, rank});
            }
        }
    }
    node_set_args(node);
    if (s->checkpoint) {
        checkpoint_saves(s, node, false);
    }
}

void node_save_results(Session *s, GradNode *node, Tensor *const *results, int nresult) {
    bool needed[MAX_SLOTS];
    node->nout = nresult;
    node->result = arena_alloc_raw(s->arena, (int64_t)sizeof(Tensor *) * nresult);
    bool saves =
        node->call.op->saves_result && op_saves_result(&node->call, edges_needed(node, needed));
    for (int i = 0; i < nresult; i++) {
        node->result[i] = saves ? results[i] : tensor_meta(s, results[i]);
        if (saves) {
            CHECK(nresult == 1);
            reference_tape_save(node, results[i], false, call_saved_rank(&node->call, -1));
        }
    }
    if (s->checkpoint && saves) {
        checkpoint_saves(s, node, true);
    }
}

void node_also_saves(Session *s, GradNode *node, Tensor *other) {
    SavedVariable *room = arena_alloc_raw(s->arena, (int64_t)sizeof *room * (node->nsaved + 1));
    for (int i = 0; i < node->nsaved; i++) {
        room[i] = node->saved[i];
    }
    node->saved = room;
    reference_tape_save(node, other, false, INT_MAX);
}

ErrCode saved_check(Session *s, const SavedVariable *saved, const char *needed_by) {
    if (saved->unpack_materializes) {
        const GradNode *grad_fn = var_grad_fn(s, var_of(saved->value));
        TRY(s->err->code);
        if (!saved->was_leaf && !grad_fn) {
            return error_set(s->err, ERR_invalid, "No grad_fn for non-leaf saved tensor");
        }
    }
    int64_t version = *storage_version(saved->value->storage);
    return version == saved->version
               ? ERR_none
               : error_set(s->err, ERR_saved_modified,
                           "a value needed by %s is at version %lld, saved at version %lld",
                           needed_by, (long long)version, (long long)saved->version);
}

/* ---- geometry ---- */

static void freeze_arg(Arg *arg, ArgType type, const Tensor *t, Tensor *before) {
    switch (type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        if (!arg->none && arg->tensor == t) {
            arg->tensor = before;
        }
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        for (int k = 0; !arg->none && k < arg->tensors.n; k++) {
            if (arg->tensors.v[k] == t) {
                arg->tensors.v[k] = before;
            }
        }
        break;
    default:
        break;
    }
}

void var_freeze_geometry(Session *s, const Var *v) {
    const Tensor *t = &v->tensor;
    Var *copy = arena_copy(s->arena, v, (int64_t)sizeof *v); /* create_graph reads its history */
    Tensor *before = &copy->tensor;
    for (GradNode *node = s->nodes; node; node = node->older) {
        for (int i = 0; node->operand && i < node->nslot; i++) {
            node->operand[i] = node->operand[i] == t ? before : node->operand[i];
        }
        for (int i = 0; node->result && i < node->nout; i++) {
            node->result[i] = node->result[i] == t ? before : node->result[i];
        }
        for (int i = 0; node->call.op && i < node->call.op->nparam; i++) {
            freeze_arg(&node->call.arg[i], node->call.op->param[i].type, t, before);
        }
        if (node->leaf == v && !node->base) {
            node->base = before;
        }
    }
}

const Tensor *edge_meta(Edge edge) {
    const GradNode *node = edge.node;
    switch (node->kind) {
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
    case GRAD_NODE_FUNCTION:
    case GRAD_NODE_CHECKPOINT:
    case GRAD_NODE_ERROR:
        return node->result[edge.nr];
    case GRAD_NODE_COPY_SLICES:
        return node->base;
    case GRAD_NODE_AS_STRIDED:
        return node->view;
    case GRAD_NODE_ACCUMULATE_GRAD:
        break;
    }
    return node->base ? node->base : &node->leaf->tensor;
}
