/* Undeferred tasks, each inside the one before; the first argument is their depth. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long wanted, deepest;

static void nest(long depth) {
    deepest = depth;
    if (depth == wanted) return;
#pragma omp task if (0)
    nest(depth + 1);
}

static void *run(void *unused) {
#pragma omp parallel num_threads(1)
    nest(0);
    return unused;
}

int main(int argc, char **argv) {
    pthread_attr_t large;
    pthread_t thread;
    wanted = argc > 1 ? atol(argv[1]) : 0;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 1UL << 30);
    if (pthread_create(&thread, &large, run, NULL)) return 1;
    pthread_join(thread, NULL);
    printf("%ld\n", deepest);
    return 0;
}
