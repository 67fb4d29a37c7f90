/* Classic mistakes; the first argument says which one, the second for about how many milliseconds it runs on two processors. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile double sink;

static double wall_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

__attribute__((noinline, noclone)) static double compute(long steps) {
    double sum = 1;
    for (long i = 0; i < steps; i++)
        sum = sum * 0.999999 + 0.5;
    // Keeps the compiler from omitting a call.
    __asm__ volatile("" ::: "memory");
    return sum;
}

/* How many steps of `compute` take a millisecond on an idle processor. */
static long calibrate(void) {
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double begin = wall_ms();
        sink = compute(200000);
        double took = wall_ms() - begin;
        best = took < best ? took : best;
    }
    return 200000 / best;
}

/* Later rows are longer, and a static schedule gives all of them to the last thread. */
__attribute__((noinline, noclone)) static void triangular(long unit, long ms) {
    double sum = 0;
    for (long round = 0; round < ms / 50; round++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int row = 0; row < 400; row++)
            sum += compute(unit * row / 1200);
    }
    sink = sum;
}

/* Each chunk costs more than the body of its iterations. */
__attribute__((noinline, noclone)) static void chunks(long unit, long ms) {
    (void)unit;
    static double field[65536];
    for (long round = 0; round < ms / 8; round++) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int i = 0; i < 65536; i++)
            field[i] += 1;
    }
    sink = field[7];
}

/* All of the work is in a critical section. */
__attribute__((noinline, noclone)) static void contended(long unit, long ms) {
    double sum = 0;
#pragma omp parallel
    for (long i = 0; i < ms * 20; i++) {
        double part = compute(unit / 400);
#pragma omp critical
        sum += part + compute(unit / 50);
    }
    sink = sum;
}

/* One thread prepares what all of them use. */
__attribute__((noinline, noclone)) static void prepared(long unit, long ms) {
    double sum = 0;
    for (long round = 0; round < ms / 100; round++) {
#pragma omp parallel reduction(+ : sum)
        {
#pragma omp single
            sink = compute(unit * 80);
            sum += compute(unit * 10);
        }
    }
    sink += sum;
}

/* The longest task is created last. */
__attribute__((noinline, noclone)) static void last_task(long unit, long ms) {
    for (long round = 0; round < ms / 100; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 41; i++) {
#pragma omp task firstprivate(i)
            sink = compute(i == 40 ? unit * 80 : unit / 2);
        }
    }
}

/* A task for each element. */
__attribute__((noinline, noclone)) static void small_tasks(long unit, long ms) {
    (void)unit;
    static double field[20000];
    for (long round = 0; round < ms / 10; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 20000; i++) {
#pragma omp task firstprivate(i)
            field[i] += 1;
        }
    }
    sink = field[7];
}

__attribute__((noinline, noclone)) static double serial_part(long unit) {
    return compute(unit / 5);
}

/* Between small regions one thread does most of the work. */
__attribute__((noinline, noclone)) static void between(long unit, long ms) {
    double sum = 0;
    for (long round = 0; round < ms * 4; round++) {
        sum += serial_part(unit);
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 8; i++)
            sum += compute(unit / 400);
    }
    sink = sum;
}

/* More threads than processors. */
__attribute__((noinline, noclone)) static void crowded(long unit, long ms) {
    double sum = 0;
    for (long round = 0; round < ms / 10; round++) {
#pragma omp parallel for num_threads(4 * omp_get_num_procs()) reduction(+ : sum)
        for (int i = 0; i < 400; i++)
            sum += compute(unit / 20);
    }
    sink = sum;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(long, long);
    } mistakes[] = {
        {"triangular", triangular}, {"chunks", chunks},           {"contended", contended}, {"prepared", prepared},
        {"last_task", last_task},   {"small_tasks", small_tasks}, {"between", between},     {"crowded", crowded},
    };
    long unit = calibrate(), ms = argc > 2 ? atol(argv[2]) : 500;
    for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && !strcmp(argv[1], mistakes[i].name)) {
            mistakes[i].make(unit, ms);
            return 0;
        }
    fprintf(stderr, "which mistake?\n");
    return 2;
}
