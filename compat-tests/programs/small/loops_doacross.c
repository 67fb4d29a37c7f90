/* Doacross loops: one and two dimensions, every schedule, unsigned long long, steps down, several sources. */
/* with: OMP_SCHEDULE=dynamic,2 */
#include <omp.h>
#include <stdio.h>
#include "../older_names.h"

enum { N = 12 };

int main(void) {
    static long line[N + 2], grid[N + 2][N + 2], up[N + 2];
    unsigned long long wide;
    long check = 0;
    int i, j, round;
    line[0] = up[N + 1] = grid[0][0] = 1;
    for (round = 0; round < 2; round++) {
#pragma omp parallel private(j)
        {
#pragma omp for ordered(1) schedule(dynamic, 2)
            for (i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 1)
                line[i] = (line[i - 1] * 3 + i) % 10007;
#pragma omp ordered depend(source)
            }
#pragma omp for ordered(2) schedule(static, 1)
            for (i = 1; i <= N; i++)
                for (j = 1; j <= N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                    grid[i][j] = (grid[i - 1][j] + 2 * grid[i][j - 1] + i * j) % 100003;
#pragma omp ordered depend(source)
                }
#pragma omp for ordered(1) schedule(guided) nowait
            for (i = N; i >= 1; i--) {
#pragma omp ordered depend(sink : i + 1)
                up[i] = (up[i + 1] * 5 + i) % 1009;
#pragma omp ordered depend(source)
            }
#pragma omp barrier
#pragma omp for ordered(1) schedule(runtime)
            for (wide = 10; wide <= 10 + N; wide += 2) {
#pragma omp ordered depend(sink : wide - 2)
                check = (check * 7 + (long)wide) % 1000003;
#pragma omp ordered depend(source)
            }
#pragma omp for ordered(1) collapse(1)
            for (i = 0; i < N; i += 3) {
#pragma omp ordered depend(sink : i - 6) depend(sink : i - 3)
                check = (check * 11 + i) % 1000003;
#pragma omp ordered depend(source)
            }
        }
    }
    printf("%ld %ld %ld %ld\n", line[N], grid[N][N], up[1], check);
    return 0;
}
