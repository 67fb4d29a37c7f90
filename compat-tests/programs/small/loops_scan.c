/* Inclusive and exclusive scans, in worksharing loops and simd ones. */
#include <omp.h>
#include <stdio.h>

enum { N = 100 };

int main(void) {
    long in[N], out[N], sum = 0, back[N], largest = -1;
    int i;
    for (i = 0; i < N; i++) in[i] = (i * 37) % 101;
#pragma omp parallel
    {
#pragma omp for reduction(inscan, + : sum)
        for (i = 0; i < N; i++) {
            sum += in[i];
#pragma omp scan inclusive(sum)
            out[i] = sum;
        }
#pragma omp for reduction(inscan, max : largest)
        for (i = 0; i < N; i++) {
            back[i] = largest;
#pragma omp scan exclusive(largest)
            if (in[i] > largest) largest = in[i];
        }
    }
    printf("%ld %ld %ld %ld %ld\n", sum, out[10], out[N - 1], back[5], back[N - 1]);
    return 0;
}
