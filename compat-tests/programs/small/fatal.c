/* The runtime ends the program with its own message. */
/* ends: exit 1 */
#include <omp.h>
#include <stdio.h>

int main(void) {
    printf("before\n");
    fflush(stdout);
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp single
        {
#pragma omp error at(execution) severity(fatal) message("that is all")
        }
    }
    printf("never\n");
    return 0;
}
