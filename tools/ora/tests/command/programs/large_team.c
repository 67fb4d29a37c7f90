/* A region of a large team, in which one thread works for 50 ms of its CPU time. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int count, char **words) {
    int members = 0, threads = count > 1 ? atoi(words[1]) : 2;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        members++;
        double begin = now();
        while (omp_get_thread_num() == 1 && now() < begin + 50) {}
    }
    printf("%d\n", members);
    return members != threads;
}
