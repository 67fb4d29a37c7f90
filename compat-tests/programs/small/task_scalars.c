/* Firstprivate scalars that travel without a copy function: vectors of up to 64 bytes, long double, 16-byte integers,
 * complex numbers, and more of them than fit a small block. */
#include <complex.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

typedef int vec16 __attribute__((vector_size(16)));
typedef int vec32 __attribute__((vector_size(32)));
typedef int vec64 __attribute__((vector_size(64)));

static long total, crooked;

__attribute__((noipa)) static void at(const void *place, unsigned long align) {
#pragma omp atomic
    crooked += (uintptr_t)place % align != 0;
}

static void add(long value) {
#pragma omp atomic
    total += value;
}

#define TEN(f, p) f(p##0) f(p##1) f(p##2) f(p##3) f(p##4) f(p##5) f(p##6) f(p##7) f(p##8) f(p##9)
#define HUNDRED(f) TEN(f, a) TEN(f, b) TEN(f, c) TEN(f, d) TEN(f, e) TEN(f, g) TEN(f, h) TEN(f, i) TEN(f, j) TEN(f, k)
#define DECLARE(x) long x = seed++;
#define SUM(x) +x

static void tasks(int seed, int deferred) {
    const int base = seed;
    vec16 v = {seed, 1, 2, 3};
    vec32 w = {seed, 1, 2, 3, 4, 5, 6, 7};
    vec64 x = {seed, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    __int128 integer = (__int128)seed << 70;
    long double real = seed;
    double _Complex number = seed + 2 * I;
    char byte = (char)seed;
    HUNDRED(DECLARE)
#pragma omp task firstprivate(v, w, x, integer, real, number, byte) if (deferred)
    {
        add(v[0] + w[7] + x[15] + (long)(integer >> 70) + (long)real + (long)creal(number) + (long)cimag(number) + byte);
        at(&v, 16);
        at(&w, __alignof__(w));
        at(&x, __alignof__(x));
        at(&real, 16);
    }
#pragma omp task firstprivate(byte) final(deferred)
    add(byte);
#pragma omp task if (deferred || base % 2)
    add(0 HUNDRED(SUM));
#pragma omp task firstprivate(x) untied
    {
        add(x[0]);
        at(&x, __alignof__(x));
    }
}

int main(void) {
    int i;
#pragma omp parallel
#pragma omp single
    for (i = 0; i < 40; i++) tasks(i, i % 3);
    tasks(7, 1);
    printf("%ld, %ld crooked\n", total, crooked);
    return 0;
}
