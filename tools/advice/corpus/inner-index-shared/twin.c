/* The program with the cure applied: private(k). */
#include <stdio.h>

#define N 60
static double a[N][N], b[N][N], c[N][N];

int main(void) {
    int i, j, k;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            a[i][j] = i, b[i][j] = j;
#pragma omp parallel for collapse(2) private(k)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            for (k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
    printf("%s\n", c[N - 1][N - 1] == 1.0 * N * (N - 1) * (N - 1) ? "right" : "wrong");
    return 0;
}
