/* The runtime may choose smaller teams. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int region, good = 0;
    omp_set_dynamic(1);
    for (region = 0; region < 5; region++) {
        int size = 0, members = 0;
#pragma omp parallel reduction(+ : members) /* expect: FORK 5, IBAR 5..5*T, IDLE 0..5*(T-1) */
        {
            members += 1;
#pragma omp barrier /* expect: EBAR 5..5*T */
#pragma omp masked
            size = omp_get_num_threads();
        }
        good += size == members;
    }
    printf("%d\n", good);
    return 0;
}
