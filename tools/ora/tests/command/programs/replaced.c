/* Functions whose names the test replaces by text that a terminal would obey. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static volatile double sink;

__attribute__((noinline)) static void work_replaced(int n) {
    for (int i = 0; i < n; i++) sink += i * 0.5;
}

__attribute__((noinline)) static void nest_replaced(int depth) {
    if (depth == 0) return;
#pragma omp task if (0)
    nest_replaced(depth - 1);
#pragma omp task
    work_replaced(100);
}

int main(void) {
    pthread_setname_np(pthread_self(), "\033[31m\n\302\205");
#pragma omp parallel num_threads(2)
    {
        work_replaced(20000000);
#pragma omp single
        nest_replaced(5);
    }
    return 0;
}
