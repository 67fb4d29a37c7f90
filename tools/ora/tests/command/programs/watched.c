/* Prints the CPU time, in nanoseconds, of two million empty tasks, or of some long regions. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile double sink;

static long cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void leaf(int n) {
#pragma omp task if (0)
    {
        if (n % 2) sink = n;
#pragma omp taskwait
    }
}

int main(int argc, char **argv) {
    int many = argc > 1 && !strcmp(argv[1], "tasks");
    long begin = cpu_ns();
    if (many) {
#pragma omp parallel num_threads(1)
        for (int n = 0; n < 2000000; n++) leaf(n);
    } else {
        for (int region = 0; region < 10; region++) {
#pragma omp parallel num_threads(1)
            for (int n = 0; n < 20000000; n++) sink = n;
        }
    }
    printf("%ld\n", cpu_ns() - begin);
    return 0;
}
