/* A library that uses OpenMP, and is linked to another library that does. The dynamic linker searches for the calls of both in one
 * order, which is that of this library, through which the other one is loaded. */
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void find(const char *name, void *function) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((visibility("default"))) long wheel_compute(int rounds) {
    long (*inner)(int);
    long sum = 0, met = 0;
    int round;
    find("wheel_compute", &inner);
    for (round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            sum += omp_get_num_threads() * 100;
#pragma omp critical
            met += 1;
#pragma omp barrier
            sum += met == 3 * (round + 1);
        }
    }
    return sum + inner(rounds);
}

__attribute__((visibility("default"))) int wheel_finish(void) {
    int (*inner)(void);
    find("wheel_finish", &inner);
    return omp_pause_resource_all(omp_pause_hard) + inner();
}
