/* simd loops, functions of vectors, and their combinations with loops and regions. */
#include <omp.h>
#include <stdio.h>

enum { N = 256 };

#pragma omp declare simd notinbranch
static int twice(int x) { return 2 * x; }
#pragma omp declare simd uniform(base) linear(i : 1)
static int nth(const int *base, int i) { return base[i]; }

int main(void) {
    static _Alignas(64) int a[N], b[N];
    long sum = 0, safe = 0;
    int i, k = 0;
#pragma omp simd aligned(a : 64)
    for (i = 0; i < N; i++) a[i] = twice(i);
#pragma omp parallel for simd reduction(+ : sum) schedule(simd : dynamic, 16) simdlen(8)
    for (i = 0; i < N; i++) sum += nth(a, i);
#pragma omp parallel
#pragma omp for simd safelen(4) linear(k : 1) lastprivate(safe) nowait
    for (i = 0; i < N - 4; i++) {
        b[i] = a[i + 4] + k;
        k += 1;
        safe = b[i];
    }
#pragma omp simd collapse(2) reduction(+ : sum)
    for (i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) sum += b[i * 16 + j];
#pragma omp simd if (simd : N > 1000) order(concurrent)
    for (i = 0; i < N; i++) b[i] = 0;
    printf("%ld %ld %d %d\n", sum, safe, k, b[5]);
    return 0;
}
