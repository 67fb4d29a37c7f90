/* Threads of the program itself, each of which executes a region and has ended before the next one starts. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 20 };

static int members;

static void *execute(void *nothing) {
#pragma omp parallel num_threads(1)
    members++; /* expect: FORK 1, IBAR 1 */
    return nothing;
}

int main(void) {
    int i;
    execute(NULL);
    for (i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, execute, NULL) || pthread_join(thread, NULL)) return 1;
    }
    printf("%d\n", members);
    return 0;
}
