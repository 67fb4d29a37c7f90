/* More regions open at a time than `ora stat` has room for, and regions nested more deeply than it has room for. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { OUTER = 140, DEEP = 10 };

static int deeper(int left) {
    int members = 0;
#pragma omp parallel num_threads(1) reduction(+ : members)
    members += left > 1 ? deeper(left - 1) : 1;
    return members;
}

int main(void) {
    static int open;
    omp_set_max_active_levels(DEEP);
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(2)
    {
        int now;
#pragma omp atomic
        open++;
        do {
            usleep(1000);
#pragma omp atomic read
            now = open;
        } while (now < 2 * OUTER);
    }
    printf("%d %d\n", open, deeper(DEEP));
    return 0;
}
