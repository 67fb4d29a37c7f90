/* Two threads. After each of four static loops without a barrier: a single construct of either kind, sections, and a dynamic loop. */
#include <stdio.h>

#define N 100
static int a[N], b[N];

int main(void)
{
    int copied = 0;
#pragma omp parallel num_threads(2) firstprivate(copied)
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] += i;
#pragma omp single
        copied = 1;
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] += i;
#pragma omp single copyprivate(copied)
        copied = 2;
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] += copied;
#pragma omp sections
        {
            b[0]++;
#pragma omp section
            b[1]++;
        }
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] += i;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++)
            b[i]++;
    }
    printf("%d %d\n", a[1], b[N - 1]);
    return 0;
}
