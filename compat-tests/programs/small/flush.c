/* A pipeline of threads that hand values on by flush and atomics alone. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { N = 40 };

int full[64], value[64];

int main(void) {
    long result = 0;
    int threads = omp_get_max_threads();
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
        int i;
        for (i = 1; i <= N; i++) {
            int here, ready;
            if (me == 0) here = i;
            else {
                do {
#pragma omp atomic read acquire
                    ready = full[me - 1];
                    if (!ready) sched_yield();
                } while (!ready);
                here = value[me - 1];
#pragma omp flush
#pragma omp atomic write release
                full[me - 1] = 0;
            }
            if (me == threads - 1) {
                result = (result * 31 + here) % 1000003;
                continue;
            }
            do {
#pragma omp atomic read acquire
                ready = full[me];
                if (ready) sched_yield();
            } while (ready);
            value[me] = here + 1;
#pragma omp flush(value, full)
#pragma omp atomic write release
            full[me] = 1;
        }
    }
    printf("%ld\n", result);
    return 0;
}
