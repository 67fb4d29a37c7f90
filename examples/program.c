/*
 * A program to watch: three parallel regions, twenty times each. The loop of `uneven` is badly balanced.
 * It takes about half a second of CPU time.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <stdio.h>

static double work(int units) {
    double value = 1;
    for (int i = 0; i < units * 1000; i++) value = value * 1.0000001 + 1e-9;
    return value;
}

/* All iterations are alike: the static schedule shares them out fairly. */
static double even(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < 1000; i++) sum += work(4);
    return sum;
}

/* Later iterations take longer: the threads that have the first ones wait at the end of the loop. */
static double uneven(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < 1000; i++) sum += work(i / 125);
    return sum;
}

/* One thread creates tasks, all threads execute them. */
static double tasks(void) {
    double sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum)
        {
            double value = work(40);
#pragma omp critical
            sum += value;
        }
    }
    return sum;
}

int main(void) {
    double sum = 0;
    for (int round = 0; round < 20; round++) sum += even() + uneven() + tasks();
    puts(sum > 0 ? "done" : "wrong");
    return 0;
}
