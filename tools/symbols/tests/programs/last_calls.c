/* Functions whose last call begins a region or a task: an optimizing compiler makes a jump of it. */
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) void first(void) {
#pragma omp parallel for /* first */
    for (int i = 0; i < 100; i++) sink = rand();
}

__attribute__((noinline)) void second(void) {
#pragma omp parallel /* second */
    sink = rand();
}

/* Jumps to the function that jumps to the runtime. */
__attribute__((noinline)) void through(void) {
    sink = 1;
    second();
}

/* One call for two regions: nothing tells them from each other. */
__attribute__((noinline)) void either(int which) {
    if (which) {
#pragma omp parallel /* either, one */
        sink = rand();
    } else {
#pragma omp parallel /* either, other */
        sink = rand() + 1;
    }
}

/* The function that it jumps to might begin a region as well. */
__attribute__((noinline)) void unsure(void (*other)(void)) {
    if (other) {
        other();
    } else {
#pragma omp parallel /* unsure */
        sink = rand() + 2;
    }
}

__attribute__((noinline)) void calls_both(void) {
    first();
    second();
    sink = 2;
}

__attribute__((noinline)) void calls_through(void) {
    through();
    sink = 3;
}

__attribute__((noinline)) void calls_unclear(int which) {
    either(which);
    unsure(which ? calls_both : 0);
    sink = 4;
}

int main(int count, char **words) {
    (void)words;
    calls_both();
    calls_through();
    calls_unclear(count);
    return 0;
}
