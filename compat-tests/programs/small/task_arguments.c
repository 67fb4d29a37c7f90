/* Firstprivate arguments from one byte to 100 KiB, deferred, undeferred and final; each copy must arrive whole. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static unsigned long total;

static void add(const unsigned char *bytes, size_t size, unsigned seed) {
    unsigned long sum = 0;
    size_t i;
    for (i = 0; i < size; i++) sum += (i % 251 + 1) * (unsigned long)(bytes[i] ^ (seed & 255));
#pragma omp atomic
    total += sum;
}

#define SIZE(n)                                                                                                        \
    static void size_##n(unsigned seed) {                                                                              \
        struct {                                                                                                       \
            unsigned char bytes[n];                                                                                    \
        } value;                                                                                                       \
        memset(value.bytes, (int)(seed & 127), n);                                                                     \
        _Pragma("omp task firstprivate(value, seed)") add(value.bytes, n, seed);                                       \
        memset(value.bytes, 0xff, n / 2 + 1);                                                                          \
        _Pragma("omp task firstprivate(value, seed) if(0)") add(value.bytes, n, seed);                                 \
        _Pragma("omp task firstprivate(value) if(seed % 2)") add(value.bytes, n, 3);                                   \
        _Pragma("omp task firstprivate(value) final(seed % 3 == 0) untied") add(value.bytes, n, 4);                    \
        memset(value.bytes, 0, n);                                                                                     \
    }
SIZE(1) SIZE(2) SIZE(3) SIZE(7) SIZE(8) SIZE(9) SIZE(16) SIZE(24) SIZE(25) SIZE(100) SIZE(400) SIZE(900) SIZE(960)
SIZE(1000) SIZE(1016) SIZE(1023) SIZE(1024) SIZE(1025) SIZE(1100) SIZE(4096) SIZE(10000) SIZE(102400)

int main(void) {
    unsigned seed;
#pragma omp parallel
#pragma omp single
    for (seed = 1; seed < 7; seed++) {
        size_1(seed), size_2(seed), size_3(seed), size_7(seed), size_8(seed), size_9(seed), size_16(seed), size_24(seed);
        size_25(seed), size_100(seed), size_400(seed), size_900(seed), size_960(seed), size_1000(seed), size_1016(seed);
        size_1023(seed), size_1024(seed), size_1025(seed), size_1100(seed), size_4096(seed), size_10000(seed);
        size_102400(seed);
    }
    printf("%lu\n", total);
    size_1(9), size_24(9), size_1000(9), size_102400(9);
    printf("%lu outside of regions\n", total);
    return 0;
}
