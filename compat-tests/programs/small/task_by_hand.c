/* GOMP_task called as old compilers called it: with 7, 8, 9 and 10 arguments, with odd sizes and copy functions. */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Each generation under a separate name; all are the same symbol. */
#define ENTRY(name, ...)                                                                                               \
    extern void name(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, ##__VA_ARGS__)    \
        __asm__("GOMP_task")
ENTRY(task_4_4);
ENTRY(task_4_9, void **);
ENTRY(task_6, void **, int);
ENTRY(task_11, void **, int, void *);

static long sum, crooked, copied;

static void add(void *data) {
    const long *numbers = data;
#pragma omp atomic
    sum += numbers[0] * 1000 + numbers[1];
}

static void add_byte(void *data) {
#pragma omp atomic
    sum += *(unsigned char *)data;
}

static void add_nothing(void *data) {
    (void)data;
#pragma omp atomic
    sum += 1;
}

static void at_64(void *data) {
#pragma omp atomic
    crooked += (uintptr_t)data % 64 != 0;
    add(data);
}

static void copy_twice(void *to, void *from) {
    long *numbers = to;
    memcpy(numbers, from, 2 * sizeof(long));
    numbers[1] *= 2;
#pragma omp atomic
    copied += 1;
}

/* An old caller leaves arbitrary values above its seven arguments. */
__attribute__((noinline)) static void dirty(void) {
    volatile unsigned char rubbish[600];
    size_t i;
    for (i = 0; i < sizeof rubbish; i++) rubbish[i] = 0xa5;
}

__attribute__((noinline)) static void old(long i, bool condition, unsigned flags) {
    long data[2] = {i, 7};
    unsigned char byte = (unsigned char)(i + 1);
    task_4_4(add, data, NULL, sizeof data, 8, condition, flags);
    task_4_4(add, data, copy_twice, sizeof data, 8, condition, flags);
    task_4_4(add_byte, &byte, NULL, 1, 1, condition, flags);
    task_4_4(add_nothing, NULL, NULL, 0, 1, condition, flags);
    task_4_4(at_64, data, copy_twice, sizeof data, 64, true, flags);
    memset(data, 0xff, sizeof data);
}

__attribute__((noinline)) static void newer(long i, bool condition, unsigned flags) {
    static long order;
    long data[2] = {i, 9};
    void *depend[] = {(void *)1, (void *)1, &order};
    task_4_9(add, data, NULL, sizeof data, 8, condition, flags | 8, depend);
    task_4_9(add, data, copy_twice, sizeof data, 8, condition, flags, NULL);
    task_6(add, data, NULL, sizeof data, 8, condition, flags | 16, NULL, 3);
    task_6(add, data, copy_twice, sizeof data, 16, condition, flags | 8 | 16, depend, 1);
    task_11(add, data, NULL, sizeof data, 8, condition, flags, NULL, 0, NULL);
    task_11(add, data, copy_twice, sizeof data, 8, condition, flags | 8, depend, 0, NULL);
}

static void all(void) {
    long i;
    for (i = 0; i < 20; i++) {
        dirty();
        old(i, i % 3 != 0, (unsigned)(i & 7));
        dirty();
        newer(i, i % 4 != 0, (unsigned)(i & 7));
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    all();
    printf("%ld, %ld copied, %ld crooked\n", sum, copied, crooked);
    all();
#pragma omp taskwait
    printf("%ld, %ld copied, %ld crooked\n", sum, copied, crooked);
    return 0;
}
