/* Nested regions, a region of one thread, tasks, and code outside of regions: each ends in a different function. */
#include <omp.h>
#include <stdio.h>

static volatile double sink;

#define SPIN(name, factor)                                                                                             \
    __attribute__((noinline)) static void name(int rounds) {                                                           \
        double x = 0;                                                                                                  \
        for (int i = 0; i < rounds * 1000; i++) x += i * factor;                                                       \
        sink = x;                                                                                                      \
    }

SPIN(in_inner, 0.5)
SPIN(in_one, 0.25)
SPIN(in_task, 0.75)
SPIN(in_serial, 1.5)
SPIN(in_recursion, 2.5)

__attribute__((noinline)) static void inner(int rounds) {
#pragma omp parallel num_threads(2)
    in_inner(rounds);
    __asm__ volatile("");
}

__attribute__((noinline)) static void outer(int rounds) {
#pragma omp parallel num_threads(2)
    inner(rounds);
    __asm__ volatile("");
}

__attribute__((noinline)) static void one(int rounds) {
#pragma omp parallel num_threads(1)
    in_one(rounds);
    __asm__ volatile("");
}

__attribute__((noinline)) static void tasks(int rounds) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task
        in_task(rounds);
    }
    __asm__ volatile("");
}

__attribute__((noinline)) static void recursive(int level, int rounds) {
#pragma omp parallel num_threads(1)
    {
        in_recursion(rounds);
        if (level > 1) recursive(level - 1, rounds);
    }
    __asm__ volatile("");
}

int main(void) {
    omp_set_max_active_levels(2);
    for (int i = 0; i < 20; i++) {
        outer(2000);
        one(4000);
        tasks(1000);
        recursive(3, 4000);
        in_serial(4000);
    }
    puts("done");
    return 0;
}
