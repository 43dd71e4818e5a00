/* The nodes that the engine may run next: a binary heap, highest sequence number first. */
#ifndef REFERENCE_QUEUE_H
#define REFERENCE_QUEUE_H

#include "reference/tape.h"

typedef struct Queue {
    GradNode **v;
    int n;
    int waiting; /* nodes that have received something, and not yet all */
} Queue;

static inline void queue_push(Queue *q, GradNode *node) {
    int at = q->n++;
    while (at > 0 && q->v[(at - 1) / 2]->sequence_nr < node->sequence_nr) {
        q->v[at] = q->v[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->v[at] = node;
}

static inline GradNode *queue_pop(Queue *q) {
    GradNode *top = q->v[0], *last = q->v[--q->n];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= q->n) {
            break;
        }
        if (child + 1 < q->n && q->v[child + 1]->sequence_nr > q->v[child]->sequence_nr) {
            child++;
        }
        if (q->v[child]->sequence_nr <= last->sequence_nr) {
            break;
        }
        q->v[at] = q->v[child];
        at = child;
    }
    q->v[at] = last;
    return top;
}

#endif
