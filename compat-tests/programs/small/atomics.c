/* Atomic updates of every size and kind: read, write, update, capture, compare; integers and reals. */
#include <omp.h>
#include <stdio.h>

enum { N = 50 };

static signed char a1;
static short a2;
static int a4;
static long long a8;
static __int128 a16;
static float f4;
static double f8;
static long double f16;
static unsigned bits;

int main(void) {
    long captured = 0, swapped = 0;
    int largest = -1;
#pragma omp parallel reduction(+ : captured, swapped)
    {
        int i;
        for (i = 0; i < N; i++) {
            int old;
#pragma omp atomic
            a1 ^= 1;
#pragma omp atomic update
            a2 += 2;
#pragma omp atomic capture
            old = a4++;
            captured += old >= 0;
#pragma omp atomic seq_cst
            a8 = a8 + 3;
#pragma omp atomic
            a16 += 4;
#pragma omp atomic
            f4 += 1;
#pragma omp atomic acq_rel
            f8 = 2 + f8;
#pragma omp atomic
            f16 += 0.5L;
#pragma omp atomic
            bits |= 1u << i % 31;
#pragma omp atomic compare
            largest = largest < i ? i : largest;
#pragma omp atomic compare capture
            {
                old = bits;
                if (bits == 0x7fffffff) { bits = 0x7fffffff; }
            }
            swapped += old < 0 ? 1000000 : 0;
#pragma omp atomic read
            old = a4;
            captured += old > 0;
        }
#pragma omp atomic write relaxed
        a1 = 5;
    }
    const int t = omp_get_max_threads();
    printf("%d %d %d %lld %lld %g %g %Lg %x %d\n", a1, a2 / t, a4 / t, a8 / t, (long long)(a16 / t), f4 / t, f8 / t,
           f16 / t, bits, largest);
    printf("%ld %ld\n", captured / t, swapped);
    return 0;
}
