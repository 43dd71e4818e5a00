/* Where the backward of a region starts, and what its gradients have of tensors that the caller
 * gave it. */
#ifndef COMPILED_PASSES_JOINT_ROOTS_H
#define COMPILED_PASSES_JOINT_ROOTS_H

#include "compiled/capture/capture.h"

typedef struct JointRoot {
    Edge edge;
    int index;          /* index of the return, or among the resumed roots */
    const Tensor *like; /* the tangent's size and dtype; NULL: it is undefined */
    bool zeros;         /* GR-10, MU-4 */
} JointRoot;

/* Fills `root`, which has room for joint_most_roots, and returns how many there are: the edges that
 * a later region has reached, those of a backward statement, or those of the returns. */
int joint_most_roots(const Compile *c);
int joint_find_roots(Compile *c, Error *err, JointRoot *root);
/* Is the gradient the very tensor that a backward statement was given, or a view of it? */
Passed joint_passed(const Capture *cap, const Node *grad);
/* The rule of the node has made the gradient. Unless it passes on the very tensor, what is in the
 * same memory as a gradient that came in is a view of it, even if it has the same layout. */
void joint_note_view(Capture *cap, const GradNode *node, const Node *grad);
/* Does eager PyTorch pass on a tensor that others hold, where the graph computes one: prod over one
 * element that is 0, cummax of no elements? */
bool joint_hides_view(const Capture *cap, const GradNode *node, const Node *out);
/* May .grad of two tensors be views of one gradient, which a later backward would add to twice? */
bool joint_grads_share(const Capture *cap, const Graph *g);

#endif
