/*
 * The smallest rectangle that holds some cells, each of which may have one of several shapes: places one cell after the
 * other beside or below those before, and drops what is not better than the best so far. A task for each place of a cell
 * in the first levels. How much is dropped depends on who finds what first, and so does the number of tasks.
 */
#include "kernel.h"

enum { CELLS = 24, SHAPES = 3, ALONE = 4 };

struct shape {
    int height, width;
};

struct rectangle {
    int top, left, bottom, right;
};

struct plan {
    int placed, height, width;
    struct rectangle cells[CELLS];
};

static int cells;
static struct shape shapes[CELLS][SHAPES];
static int best;

static int overlaps(const struct plan *plan, struct rectangle r)
{
    for (int i = 0; i < plan->placed; i++) {
        const struct rectangle *c = &plan->cells[i];
        if (r.left < c->right && c->left < r.right && r.top < c->bottom && c->top < r.bottom)
            return 1;
    }
    return 0;
}

static int area_so_far(void)
{
    return __atomic_load_n(&best, __ATOMIC_RELAXED);
}

static void found(int area)
{
    int known = area_so_far();
    while (area < known && !__atomic_compare_exchange_n(&best, &known, area, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* The plan with one cell more, if that may become the best. */
static int extend(const struct plan *plan, int top, int left, struct shape s, struct plan *out)
{
    struct rectangle r = {top, left, top + s.height, left + s.width};
    int height = r.bottom > plan->height ? r.bottom : plan->height;
    int width = r.right > plan->width ? r.right : plan->width;
    if (height * width >= area_so_far() || overlaps(plan, r))
        return 0;
    memcpy(out->cells, plan->cells, (size_t)plan->placed * sizeof *out->cells);
    out->cells[plan->placed] = r;
    out->placed = plan->placed + 1;
    out->height = height;
    out->width = width;
    return 1;
}

static void place_next(const struct plan *plan);

static void go_on(const struct plan *next)
{
    if (next->placed == cells)
        found(next->height * next->width);
    else
        place_next(next);
}

static void place_next(const struct plan *plan)
{
    const struct shape *alternatives = shapes[plan->placed];
    int together = cells - plan->placed <= ALONE;
    for (int s = 0; s < SHAPES; s++)
        for (int corner = 0; corner < 2 * plan->placed; corner++) {
            /* Right of a cell, or below it. */
            const struct rectangle *c = &plan->cells[corner / 2];
            struct plan next;
            if (!extend(plan, corner % 2 ? c->bottom : c->top, corner % 2 ? c->left : c->right, alternatives[s], &next))
                continue;
            if (together) {
                go_on(&next);
            } else {
                TASK(firstprivate(next))
                go_on(&next);
            }
        }
    if (!together) {
        TASKWAIT
    }
}

static void prepare(int size)
{
    uint64_t random = 8;
    cells = size < CELLS ? size : CELLS;
    best = 1 << 20;
    for (int i = 0; i < cells; i++)
        for (int s = 0; s < SHAPES; s++) {
            shapes[i][s].height = 1 + (int)(next_random(&random) % 6);
            shapes[i][s].width = 1 + (int)(next_random(&random) % 6);
        }
}

static void solve(void)
{
    for (int s = 0; s < SHAPES; s++) {
        struct shape first = shapes[0][s];
        struct plan plan = {1, first.height, first.width, {{0, 0, first.height, first.width}}};
        go_on(&plan);
    }
}

static uint64_t checksum(void)
{
    return (uint64_t)best;
}
