/*
 * Counts the nodes of an unbalanced random tree: each node's own random state decides whether it has children, and
 * determines their states. A task a node.
 */
#include "kernel.h"

/* All but the root have CHILDREN children or none; on average a little less than one. GRAIN: how hard a state is to get. */
enum { CHILDREN = 8, GRAIN = 900 };
#define CHANCE 0.1243

static int root_children;
static uint64_t result;

static uint64_t child_state(uint64_t parent, int which)
{
    uint64_t state = parent + (uint64_t)which * 0x632be59bd9b4e019u, mixed = state;
    for (int i = 0; i < GRAIN; i++)
        mixed = next_random(&mixed) ^ state;
    return mixed;
}

static uint64_t search(uint64_t parent, int children);

static uint64_t visit(uint64_t parent, int which)
{
    uint64_t state = child_state(parent, which), random = state;
    return 1 + (next_fraction(&random) < CHANCE ? search(state, CHILDREN) : 0);
}

/* Nodes below a node with this many children. */
static uint64_t search(uint64_t state, int children)
{
    uint64_t sum = 0, *found = allocate((size_t)children * sizeof *found);
    for (int i = 0; i < children; i++) {
        TASK(firstprivate(state, i, found))
        found[i] = visit(state, i);
    }
    TASKWAIT
    for (int i = 0; i < children; i++)
        sum += found[i];
    free(found);
    return sum;
}

static void prepare(int size)
{
    root_children = size;
}

static void solve(void)
{
    result = 1 + search(6, root_children);
}

static uint64_t checksum(void)
{
    return result;
}
