/* Planted faults and their twins: `faults NAME faulty|mended MS`. Prints the wall time of the fault, in milliseconds. */
#define _GNU_SOURCE
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// One file for the compiler.
#include "regions.c"
#include "shares.c"
#include "tasks.c"
#include "waits.c"

volatile double sink;
static double steps_us;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

OUTLINED static double compute(long steps) {
    double sum = 1;
    for (long i = 0; i < steps; i++)
        sum = sum * 0.999999 + 0.5;
    // The compiler may not leave out a call.
    __asm__ volatile("" ::: "memory");
    return sum;
}

double work(double us) {
    return compute(us * steps_us);
}

static void calibrate(void) {
    double best = 1e9;
    for (int i = 0; i < 9; i++) {
        double begin = now_ms();
        sink = compute(200000);
        double took = now_ms() - begin;
        best = took < best ? took : best;
    }
    steps_us = 200000 / best / 1000;
}

int main(int argc, char **argv) {
    const struct planted *const all[] = {shares, waits, tasks, regions};
    if (argc < 4) {
        for (unsigned i = 0; i < 4; i++)
            for (const struct planted *one = all[i]; one->name; one++)
                puts(one->name);
        return 0;
    }
    calibrate();
    for (unsigned i = 0; i < 4; i++)
        for (const struct planted *one = all[i]; one->name; one++)
            if (!strcmp(one->name, argv[1])) {
                double begin = now_ms();
                one->run(atol(argv[3]), !strcmp(argv[2], "mended"));
                printf("%.3f\n", now_ms() - begin);
                return 0;
            }
    fprintf(stderr, "which fault?\n");
    return 2;
}
