/* Threads that ask the runtime for the time until 0.3 s are over: they work, and wait for nothing. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long asked = 0;
#pragma omp parallel num_threads(2) reduction(+ : asked)
    {
        double begun = omp_get_wtime();
        while (omp_get_wtime() < begun + 0.3) asked += omp_get_thread_num() >= 0;
    }
    puts(asked > 0 ? "done" : "none");
    return 0;
}
