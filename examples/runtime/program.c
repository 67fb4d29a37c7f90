/*
 * A program on the library of pool.h: ten loops on three threads.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include "pool.h"

static double roots[100000];

static void root(void *data, long i) {
    (void)data;
    for (int k = 0; k < 20; k++) roots[i] = sqrt(roots[i] + (double)i);
}

int main(void) {
    pool_start(3);
    for (int round = 0; round < 10; round++) pool_for(100000, root, NULL);
    pool_stop();
    printf("%.3f\n", roots[99999]);
    return 0;
}
