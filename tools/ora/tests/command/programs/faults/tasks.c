/* Tasks that are too small, too few or too long, and chunks of loops. */
#include "faults.h"

#include <stddef.h>

/* The longest task is created last. */
OUTLINED static void last_task(long ms, int mended) {
    for (long round = 0; round < ms / 50; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 41; i++) {
            int last = mended ? 0 : 40;
#pragma omp task
            sink = work(i == last ? 40000 : 1000);
        }
    }
}

/* One task is as long as the others together, and could be two. */
OUTLINED static void long_task(long ms, int mended) {
    for (long round = 0; round < ms / 50; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < (mended ? 60 : 11); i++) {
#pragma omp task
            sink = work(mended ? 1000 : i == 0 ? 50000 : 1000);
        }
    }
}

/* One task for the whole team. */
OUTLINED static void one_task(long ms, int mended) {
    for (long round = 0; round < ms / 20; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < (mended ? 20 : 1); i++) {
#pragma omp task
            sink = work(mended ? 1000 : 20000);
        }
    }
}

/* One thread prepares and creates all tasks; it needs more time for that than the others for the tasks. */
OUTLINED static void one_creator(long ms, int mended) {
    static double prepared[200];
    for (long round = 0; round < ms / 20; round++) {
#pragma omp parallel
        if (mended) {
#pragma omp for schedule(static)
            for (int i = 0; i < 200; i++) {
                prepared[i] = work(100);
#pragma omp task
                prepared[i] += work(50);
            }
        } else {
#pragma omp single
            for (int i = 0; i < 200; i++) {
                prepared[i] = work(100);
#pragma omp task
                prepared[i] += work(50);
            }
        }
    }
    sink = prepared[7];
}

/* A task for each element. */
OUTLINED static void small_tasks(long ms, int mended) {
    static double field[20000];
    for (long round = 0; round < ms / 10; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 20000; i += mended ? 5000 : 1) {
#pragma omp task
            for (int j = i; j < i + (mended ? 5000 : 1); j++)
                field[j] += work(0.05);
        }
    }
    sink = field[7];
}

/* A taskloop whose grains are single iterations. */
OUTLINED static void small_grains(long ms, int mended) {
    static double field[20000];
    for (long round = 0; round < ms / 4; round++) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(mended ? 5000 : 1)
        for (int i = 0; i < 20000; i++)
            field[i] += work(0.05);
    }
    sink = field[7];
}

static long fib(int n, int mended) {
    long one, other;
    if (n < 2)
        return n;
    if (mended && n < 20)
        return fib(n - 1, mended) + fib(n - 2, mended);
#pragma omp task shared(one)
    one = fib(n - 1, mended);
#pragma omp task shared(other)
    other = fib(n - 2, mended);
#pragma omp taskwait
    return one + other;
}

/* A tree of tasks down to its leaves. */
OUTLINED static void small_leaves(long ms, int mended) {
    for (long round = 0; round < ms / 15; round++) {
#pragma omp parallel
#pragma omp single
        sink = fib(mended ? 27 : 20, mended);
    }
}

/* Each chunk costs more than its body. */
OUTLINED static void small_chunks(long ms, int mended) {
    static double field[65536];
    omp_set_schedule(omp_sched_dynamic, mended ? 4096 : 1);
    for (long round = 0; round < ms / 4; round++) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 65536; i++)
            field[i] += work(0.01);
    }
    sink = field[7];
}

/* Chunks of two. */
OUTLINED static void pairs(long ms, int mended) {
    static double field[65536];
    for (long round = 0; round < ms / 3; round++) {
        if (mended) {
#pragma omp parallel for schedule(dynamic, 4096)
            for (int i = 0; i < 65536; i++)
                field[i] += work(0.01);
        } else {
#pragma omp parallel for schedule(dynamic, 2)
            for (int i = 0; i < 65536; i++)
                field[i] += work(0.01);
        }
    }
    sink = field[7];
}

const struct planted tasks[] = {
    {"last_task", last_task},       {"long_task", long_task},       {"one_task", one_task},
    {"one_creator", one_creator},   {"small_tasks", small_tasks},   {"small_grains", small_grains}, {"small_leaves", small_leaves},
    {"small_chunks", small_chunks}, {"pairs", pairs},      {NULL, NULL},
};
