/* Doacross loops in nests of so many loops that most of an iteration's numbers are passed on the stack. */
#include <stdio.h>
#include "../older_names.h"

enum { N = 12 };

/* Loops that have one iteration. */
#define ONE(name) for (int name = 3; name < 4; name++)

int main(void) {
    static long grid[N + 1][N + 1], line[N + 2];
    int i, j;
    grid[0][0] = line[0] = line[N + 1] = 1;
#pragma omp parallel private(j)
    {
        /* The loops that count are the last but one and the first. */
#pragma omp for ordered(12) schedule(static, 1)
        for (i = 1; i <= N; i++)
            ONE(a) ONE(b) ONE(c) ONE(d) ONE(e) ONE(f) ONE(g) ONE(h) ONE(k)
                for (j = 1; j <= N; j++)
                    ONE(l) {
#pragma omp ordered depend(sink : i - 1, a, b, c, d, e, f, g, h, k, j, l) \
    depend(sink : i, a, b, c, d, e, f, g, h, k, j - 1, l)
                        grid[i][j] = (grid[i - 1][j] + 2 * grid[i][j - 1] + i * j) % 100003;
#pragma omp ordered depend(source)
                    }
        /* Eleven: one more than are reported. */
#pragma omp for ordered(11) schedule(dynamic)
        for (i = 1; i <= N; i++)
            ONE(a) ONE(b) ONE(c) ONE(d) ONE(e) ONE(f) ONE(g) ONE(h) ONE(k) ONE(l) {
#pragma omp ordered depend(sink : i - 1, a, b, c, d, e, f, g, h, k, l)
                line[i] = (line[i - 1] * 3 + i) % 10007;
#pragma omp ordered depend(source)
            }
    }
    printf("%ld %ld\n", grid[N][N], line[N]);
    return 0;
}
