/* Constructs outside of any region: executed by the only thread, and without waits. Whether a runtime reports them is up to it, but it
 * must not report them in part. */
#include <omp.h>
#include <stdio.h>
#include "older_names.h"

static long sum;

static void constructs(void) {
    long double large = 0;
    int i, place = 0;
#pragma omp single
    sum += 1;
#pragma omp single nowait
    sum += 1;
#pragma omp for schedule(dynamic)
    for (i = 0; i < 10; i++) sum += i;
#pragma omp for schedule(static)
    for (i = 0; i < 10; i++) sum += i;
#pragma omp for schedule(dynamic) ordered
    for (i = 0; i < 10; i++) {
#pragma omp ordered
        place += i;
    }
#pragma omp sections
    {
#pragma omp section
        sum += 1;
#pragma omp section
        sum += 2;
    }
#pragma omp barrier
#pragma omp critical
    sum += 1;
#pragma omp critical(orphan)
    sum += 1;
#pragma omp atomic
    large += 1;
#pragma omp master
    sum += 1;
#pragma omp task /* expect: TASK 2 */
    sum += 1;
#pragma omp taskwait /* expect: SUSPEND 2 */
    sum += place + (long)large;
}

static void copy(void) {
    void *value;
#pragma omp parallel num_threads(1) private(value) /* expect: FORK 2, IBAR 2*2, SINGLE 2, EBAR 2 */
    {
#pragma omp single copyprivate(value)
        value = &sum;
        sum += value == &sum;
    }
}

int main(void) {
    constructs(); /* expect: SINGLE 0..4, EBAR 0..12, IBAR 0..12, ORDERED 0..20 */
    copy();
    constructs();
    copy();
    printf("%ld\n", sum);
#pragma omp parallel reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    sum += 1;
    printf("%ld\n", sum);
    return 0;
}
