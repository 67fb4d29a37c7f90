/* Firstprivate arguments that require 16 to 4096 bytes of alignment, deferred and undeferred. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned long total, crooked;

/* Hides the value from the compiler. */
__attribute__((noipa)) static void look(const void *at, size_t size, size_t alignment) {
    unsigned long sum = 0;
    size_t i;
    for (i = 0; i < size; i++) sum += ((const unsigned char *)at)[i] * (i + 1);
#pragma omp atomic
    total += sum;
#pragma omp atomic
    crooked += (uintptr_t)at % alignment != 0;
}

#define ALIGNED(n)                                                                                                     \
    static void aligned_##n(int value, int undeferred) {                                                               \
        struct {                                                                                                       \
            _Alignas(n) unsigned char bytes[n + 5];                                                                    \
        } object;                                                                                                      \
        memset(&object, value, sizeof object);                                                                         \
        _Pragma("omp task firstprivate(object) if(!undeferred)") look(&object, sizeof object, n);                      \
        _Pragma("omp task firstprivate(object, value) final(undeferred)") look(&object, sizeof object, n);             \
        memset(&object, 0, sizeof object);                                                                             \
    }
ALIGNED(1) ALIGNED(2) ALIGNED(8) ALIGNED(16) ALIGNED(32) ALIGNED(64) ALIGNED(128) ALIGNED(256) ALIGNED(4096)

static void all(int i) {
    aligned_1(i, i & 1), aligned_2(i, i & 1), aligned_8(i, i & 1), aligned_16(i, i & 1), aligned_32(i, i & 1);
    aligned_64(i, i & 1), aligned_128(i, i & 1), aligned_256(i, i & 1), aligned_4096(i, i & 1);
}

int main(void) {
    int i;
#pragma omp parallel
#pragma omp single
    for (i = 1; i < 9; i++) all(i);
    all(10), all(11);
    printf("%lu, %lu crooked\n", total, crooked);
    return 0;
}
