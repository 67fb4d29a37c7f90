/* masked with and without a filter, master, and the work that others do meanwhile. */
#include <omp.h>
#include <stdio.h>
#include "../older_names.h"

int main(void) {
    long master = 0, masked = 0, filtered = 0, combined = 0, others = 0;
    int i;
#pragma omp parallel private(i)
    {
        for (i = 0; i < 10; i++) {
#pragma omp master
            master += 1;
#pragma omp masked
            masked += 1;
#pragma omp masked filter(omp_get_num_threads() - 1)
            filtered += 1;
#pragma omp masked filter(1000)
            others += 1000;
        }
#pragma omp barrier
#pragma omp masked filter(omp_get_thread_num())
        {
#pragma omp atomic
            others += 1;
        }
    }
#pragma omp parallel masked
    combined += 1;
#pragma omp parallel masked filter(0) num_threads(3)
    {
#pragma omp task
        combined += omp_get_num_threads();
    }
    printf("%ld %ld %ld %ld %ld\n", master, masked, filtered, combined, others / omp_get_max_threads());
    return 0;
}
