/* Output of the runtime itself on stderr: its settings, the places of its threads, a warning of the program. */
/* with: OMP_DISPLAY_ENV=verbose OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT=level_%L_of_%N */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int members = 0;
    omp_display_env(0);
    omp_display_env(1);
#pragma omp parallel num_threads(2) reduction(+ : members)
    {
        members += 1;
#pragma omp barrier
#pragma omp single
        {
#pragma omp error at(execution) severity(warning) message("seen by all")
        }
    }
    printf("%d\n", members);
    return 0;
}
