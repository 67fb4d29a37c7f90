/* Two threads, in each of 10 rounds: two static loops and a single, each with its implicit barrier, and one explicit barrier. Then a loop
   that is a region of its own, and a share of work that is computed by hand. */
#include <omp.h>
#include <stdio.h>

#define N 1000
static double a[N], b[N];

static void step(int n)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i + 1]) * 0.5;
#pragma omp single
        b[0] += 1;
#pragma omp barrier
#pragma omp for
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i] + 1;
    }
}

static void by_hand(int n)
{
#pragma omp parallel num_threads(2)
    {
        int threads = omp_get_num_threads();
        int thread = omp_get_thread_num();
        int share = n / threads;
        for (int i = thread * share; i < (thread + 1) * share; i++)
            a[i] *= 2;
    }
}

int main(void)
{
    for (int round = 0; round < 10; round++)
        step(N);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < N; i++)
        b[i] += i;
    by_hand(N);
    printf("%g %g\n", a[1], b[N - 1]);
    return 0;
}
