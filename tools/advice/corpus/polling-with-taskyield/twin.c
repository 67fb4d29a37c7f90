/* The program with the cure applied: A depend clause. */
#include <stdio.h>

int main(void) {
    int ready = 0, done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(ready) depend(out : ready)
        ready = 1;
        for (int i = 0; i < 2; i++) {
#pragma omp task shared(ready, done) depend(in : ready)
            {
#pragma omp atomic
                done += ready;
            }
        }
    }
    printf("%d\n", done);
    return 0;
}
