/* in, out and inout: a chain whose result shows its order, a wavefront, readers between writers. */
#include <omp.h>
#include <stdio.h>

enum { N = 12 };

int main(void) {
    static long grid[N + 1][N + 1];
    long chain = 1, value = 0, readers = 0, early = 0;
    int i, j;
#pragma omp parallel
#pragma omp single
    {
        for (i = 0; i < 100; i++) {
#pragma omp task depend(inout : chain) firstprivate(i)
            chain = (chain * 7 + i) % 10007;
        }
        for (i = 1; i <= N; i++)
            for (j = 1; j <= N; j++) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j]) firstprivate(i, j)
                grid[i][j] = (grid[i - 1][j] * 3 + grid[i][j - 1] * 5 + i * j) % 100003;
            }
        for (i = 0; i < 20; i++) {
#pragma omp task depend(out : value) firstprivate(i) priority(i)
            value = i * 10;
            for (j = 0; j < 5; j++) {
#pragma omp task depend(in : value) firstprivate(i)
                {
#pragma omp atomic
                    early += value != i * 10;
#pragma omp atomic
                    readers += value;
                }
            }
        }
        /* Undeferred with a dependence: the creator waits first. */
#pragma omp task depend(in : chain) if (0) shared(chain)
        printf("chain %ld\n", chain);
#pragma omp task depend(inout : chain) final(1)
        chain += 1;
#pragma omp task depend(in : chain) untied mergeable
        chain += 0;
    }
    printf("%ld %ld %ld %ld\n", chain, grid[N][N], readers, early);
    for (i = 0; i < 5; i++) {
#pragma omp task depend(inout : chain)
        chain = chain * 2 % 1009;
    }
#pragma omp taskwait
    printf("%ld outside\n", chain);
    return 0;
}
