/* Dependences from iterators, also with steps and with two of them, on array sections. */
#include <omp.h>
#include <stdio.h>

enum { N = 16 };

int main(void) {
    int values[N] = {0}, square[4][4] = {{0}}, total = 0, part = 0, all = 0, i;
#pragma omp parallel
#pragma omp single
    {
        for (i = 0; i < N; i++) {
#pragma omp task depend(out : values[i]) firstprivate(i)
            values[i] = i + 1;
        }
#pragma omp task depend(iterator(k = 0 : N), in : values[k]) depend(out : total)
        for (int k = 0; k < N; k++) total += values[k];
#pragma omp task depend(iterator(k = 0 : N : 3), in : values[k]) depend(out : part)
        for (int k = 0; k < N; k += 3) part += values[k];
        for (i = 0; i < 16; i++) {
#pragma omp task depend(out : square[i / 4][i % 4]) firstprivate(i)
            square[i / 4][i % 4] = i;
        }
#pragma omp task depend(iterator(int a = 3 : -1 : -1, b = 0 : 4), inout : square[a][b]) depend(in : total, part) depend(out : all)
        for (int k = 0; k < 16; k++) all += square[k / 4][k % 4];
#pragma omp task depend(iterator(k = 0 : 0), in : values[k]) depend(inout : all)
        all += 1000;
#pragma omp taskwait depend(iterator(k = 0 : N), inout : values[k]) depend(in : all)
        printf("%d %d %d\n", total, part, all);
    }
    return 0;
}
