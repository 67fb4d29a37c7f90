/* One thread hands data over to another with flushes and an atomic flag: correct. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int data = 0, flag = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 42;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
        } else {
            int ready = 0;
            while (!ready) {
#pragma omp atomic read
                ready = flag;
            }
#pragma omp flush
            seen = data;
        }
    }
    printf("%d\n", seen);
    return 0;
}
