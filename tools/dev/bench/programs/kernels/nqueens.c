/* Counts the ways to place n queens so that none threatens another: a task for each place of a row, down to the last rows. */
#include "kernel.h"

/* One task does this many last rows. */
enum { ALONE = 9, WIDEST = 32 };

static int width;
static uint64_t result;

/* Places in the next row that the queens so far threaten: in their columns and on both diagonals. */
struct threats {
    uint32_t columns, left, right;
};

static struct threats with(struct threats t, uint32_t place)
{
    return (struct threats){t.columns | place, (t.left | place) << 1, (t.right | place) >> 1};
}

static uint32_t free_places(struct threats t)
{
    return ~(t.columns | t.left | t.right) & ((1u << width) - 1);
}

static uint64_t alone(struct threats t, int rows)
{
    uint64_t found = 0;
    if (!rows)
        return 1;
    for (uint32_t rest = free_places(t); rest; rest &= rest - 1)
        found += alone(with(t, rest & -rest), rows - 1);
    return found;
}

static uint64_t place(struct threats t, int rows)
{
    uint64_t found[WIDEST], sum = 0;
    int places = 0;
    if (rows <= ALONE)
        return alone(t, rows);
    for (uint32_t rest = free_places(t); rest; rest &= rest - 1) {
        struct threats next = with(t, rest & -rest);
        uint64_t *answer = &found[places++];
        TASK(firstprivate(next, rows, answer))
        *answer = place(next, rows - 1);
    }
    TASKWAIT
    for (int i = 0; i < places; i++)
        sum += found[i];
    return sum;
}

static void prepare(int size)
{
    width = size;
}

static void solve(void)
{
    result = place((struct threats){0, 0, 0}, width);
}

static uint64_t checksum(void)
{
    return result;
}
