/* 100 times a task that writes a variable and 200 that read it, all children of one task. libgomp runs some at once, and waits for their
   predecessors first, as it has many in its queue. */
#include <stdio.h>

int variable;

int main(void) {
    long done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : variable)
#pragma omp atomic
        done++;
        for (int k = 0; k < 200; k++) {
#pragma omp task depend(in : variable)
#pragma omp atomic
            done++;
        }
    }
    printf("%ld\n", done);
    return 0;
}
