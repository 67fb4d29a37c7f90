/* Tasks poll for a flag with taskyield; the task that sets it is never run. */
#include <stdio.h>

int main(void) {
    int ready = 0, done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 2; i++) {
#pragma omp task shared(ready, done)
            {
                int seen = 0;
                while (!seen) {
#pragma omp taskyield /* HERE */
#pragma omp atomic read
                    seen = ready;
                }
#pragma omp atomic
                done++;
            }
        }
#pragma omp task shared(ready)
        {
#pragma omp atomic write
            ready = 1;
        }
    }
    printf("%d\n", done);
    return 0;
}
