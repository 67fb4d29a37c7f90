/* The program with the cure applied: none is needed. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int data = 0, flag = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 42;
#pragma omp atomic write release
            flag = 1;
        } else {
            int ready = 0;
            while (!ready) {
#pragma omp atomic read acquire
                ready = flag;
            }
            seen = data;
        }
    }
    printf("%d\n", seen);
    return 0;
}
