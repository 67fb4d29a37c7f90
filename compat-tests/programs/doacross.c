/* Loops whose iterations wait for one another. The kind of such waits is unspecified, so they are not counted. */
#include <stdio.h>
#include "older_names.h"

/* As many as the largest team has threads: each wait for a thread without a processor takes a time slice. */
enum { N = 16 };

int main(void) {
    int chain[N + 1] = {1}, i, j, grid[N][N] = {{0}};
    unsigned long long u;
    long wide[N + 1] = {1};
#pragma omp parallel
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 1)
            chain[i] = (chain[i - 1] * 3 + i) % 1000;
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(2) schedule(dynamic)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                grid[i][j] = (1 + (i ? grid[i - 1][j] : 0) + (j ? grid[i][j - 1] : 0)) % 1009;
#pragma omp ordered depend(source)
            }
#pragma omp for ordered(1) schedule(guided)
        for (u = 1; u <= N; u++) {
#pragma omp ordered depend(sink : u - 1)
            wide[u] = wide[u - 1] + (long)u;
#pragma omp ordered depend(source)
        }
    }
    printf("%d %d %ld\n", chain[N], grid[N - 1][N - 1], wide[N]);
    return 0;
}
