/* A task for each node of a list and of a tree; tasks that free what they were given. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    long value;
};

static long total, nodes;

static struct node *grow(int depth, long value) {
    struct node *node = malloc(sizeof *node);
    if (!node) abort();
    node->value = value;
    node->left = depth > 0 ? grow(depth - 1, 2 * value) : NULL;
    node->right = depth > 0 ? grow(depth - 1, 2 * value + 1) : NULL;
    return node;
}

/* Ordered after the children, only by dependences between siblings. */
static void cut(struct node *node) {
    if (!node) return;
#pragma omp task depend(out : node->left)
    cut(node->left);
#pragma omp task depend(out : node->right)
    cut(node->right);
#pragma omp task depend(in : node->left, node->right)
    {
#pragma omp atomic
        total += node->value;
#pragma omp atomic
        nodes += 1;
    }
#pragma omp taskwait
    free(node);
}

int main(void) {
    struct node *list = NULL, *next;
    int i;
    for (i = 0; i < 100; i++) {
        next = malloc(sizeof *next);
        if (!next) return 1;
        next->left = list;
        next->right = NULL;
        next->value = i;
        list = next;
    }
#pragma omp parallel
    {
#pragma omp single private(next)
        for (; list; list = next) {
            next = list->left;
#pragma omp task firstprivate(list)
            {
#pragma omp atomic
                total += list->value;
                free(list);
            }
        }
#pragma omp single
        cut(grow(8, 1));
    }
    printf("%ld %ld\n", total, nodes);
    return 0;
}
