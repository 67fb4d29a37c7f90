/* Work that is shared unevenly. */
#include "faults.h"

#include <stddef.h>

/* The later rows are longer, and a static schedule gives them all to the last thread. */
OUTLINED static void triangular(long ms, int mended) {
    double sum = 0;
    omp_set_schedule(mended ? omp_sched_dynamic : omp_sched_static, mended ? 4 : 0);
    for (long round = 0; round < ms / 50; round++) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int row = 0; row < 400; row++)
            sum += work(row * 0.66);
    }
    sink = sum;
}

/* One iteration is as long as all others. */
OUTLINED static void one_heavy(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 60; round++) {
        if (mended) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
            for (int part = 0; part < 200; part++)
                sum += work(400);
        } else {
#pragma omp parallel for schedule(static) reduction(+ : sum)
            for (int row = 0; row < 100; row++)
                sum += work(row == 99 ? 40000 : 400);
        }
    }
    sink = sum;
}

/* Three iterations for two threads; the inner loop has enough. */
OUTLINED static void three_rows(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 20; round++) {
        if (mended) {
#pragma omp parallel for collapse(2) reduction(+ : sum)
            for (int row = 0; row < 3; row++)
                for (int column = 0; column < 100; column++)
                    sum += work(100);
        } else {
#pragma omp parallel for reduction(+ : sum)
            for (int row = 0; row < 3; row++)
                for (int column = 0; column < 100; column++)
                    sum += work(100);
        }
    }
    sink = sum;
}

/* A block of iterations is ten times as long. */
OUTLINED static void hot_block(long ms, int mended) {
    double sum = 0;
    omp_set_schedule(omp_sched_static, mended ? 1 : 0);
    for (long round = 0; round < ms / 40; round++) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int row = 0; row < 400; row++)
            sum += work(row < 100 ? 300 : 30);
    }
    sink = sum;
}

/* One section is four times as long as the other. */
OUTLINED static void long_section(long ms, int mended) {
    for (long round = 0; round < ms / 40; round++) {
#pragma omp parallel sections
        {
#pragma omp section
            sink = work(mended ? 20000 : 32000);
#pragma omp section
            sink = work(mended ? 20000 : 8000);
        }
    }
}

/* Chunks of a dynamic loop that are too large: the last one runs alone. */
OUTLINED static void large_chunks(long ms, int mended) {
    double sum = 0;
    omp_set_schedule(omp_sched_dynamic, mended ? 2 : 70);
    for (long round = 0; round < ms / 20; round++) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int row = 0; row < 200; row++)
            sum += work(150);
    }
    sink = sum;
}

/* One thread prepares what all use. */
OUTLINED static void prepared(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 50; round++) {
#pragma omp parallel reduction(+ : sum)
        {
            if (mended) {
#pragma omp for
                for (int part = 0; part < 100; part++)
                    sum += work(400);
            } else {
#pragma omp single
                sum += work(40000);
            }
            sum += work(5000);
        }
    }
    sink = sum;
}

/* Only the first thread works between two barriers. */
OUTLINED static void masked(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 50; round++) {
#pragma omp parallel reduction(+ : sum)
        {
            if (mended || omp_get_thread_num() == 0)
                sum += work(mended ? 20000 : 40000);
#pragma omp barrier
            sum += work(5000);
        }
    }
    sink = sum;
}

/* All of a region's work is one thread's. */
OUTLINED static void lonely(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 20; round++) {
#pragma omp parallel reduction(+ : sum)
        if (mended)
            sum += work(10000);
        else if (omp_get_thread_num() == 1)
            sum += work(20000);
    }
    sink = sum;
}

/* The threads take turns in having more to do, with a barrier between. */
OUTLINED static void alternating(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 60; round++) {
#pragma omp parallel reduction(+ : sum)
        for (int phase = 0; phase < 10; phase++) {
            int more = (omp_get_thread_num() + phase) % 2;
            sum += work(more ? 5000 : 1000);
            if (!mended) {
#pragma omp barrier
            }
        }
    }
    sink = sum;
}

const struct planted shares[] = {
    {"triangular", triangular},     {"one_heavy", one_heavy}, {"three_rows", three_rows}, {"hot_block", hot_block},
    {"long_section", long_section}, {"prepared", prepared},   {"masked", masked},         {"lonely", lonely},
    {"alternating", alternating},   {"large_chunks", large_chunks}, {NULL, NULL},
};
