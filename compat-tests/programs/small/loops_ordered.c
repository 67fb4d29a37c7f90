/* Ordered blocks: every schedule, some iterations without a turn, collapsed, simd, threads, long long. */
/* with: OMP_SCHEDULE=guided */
#include <omp.h>
#include <stdio.h>

enum { N = 50 };

static long hash;

static void turn(long i) { hash = (hash * 31 + i) % 1000003; }

int main(void) {
    int i, j;
    long long wide;
#pragma omp parallel private(j)
    {
#pragma omp for ordered schedule(static)
        for (i = 0; i < N; i++)
#pragma omp ordered
            turn(i);
#pragma omp for ordered schedule(dynamic, 4)
        for (i = N; i > 0; i -= 2) {
            if (i % 3 == 0) continue;
#pragma omp ordered threads
            turn(i);
        }
#pragma omp for ordered schedule(runtime) collapse(2)
        for (i = 0; i < 6; i++)
            for (j = 0; j < 6; j++)
#pragma omp ordered
                turn(i * 10 + j);
#pragma omp for ordered schedule(guided) nowait
        for (wide = 1ll << 40; wide < (1ll << 40) + N; wide++)
#pragma omp ordered
            turn((long)(wide & 0xff));
#pragma omp barrier
#pragma omp for simd ordered schedule(static, 4)
        for (i = 0; i < N; i++) {
#pragma omp ordered simd threads
            turn(i);
        }
    }
#pragma omp parallel for ordered schedule(dynamic)
    for (i = 0; i < N; i++) {
#pragma omp ordered
        turn(i + 1);
    }
    printf("%ld\n", hash);
    return 0;
}
