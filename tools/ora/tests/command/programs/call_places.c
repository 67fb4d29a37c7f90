/* Regions and waits of two threads, in functions from which the compiler makes few instructions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;

/* Each thread in turn sleeps in the critical section, for which the other waits. gcc keeps its name in the register that has
   the address of the first region's body in this function, which the section places before the bodies. */
__attribute__((noinline, section(".text.startup"))) static void contended(int times)
{
    for (int round = 0; round < 100; round++) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < times; i++)
            sink = rand();
    }
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < times; i++) {
        int number = rand();
#pragma omp critical(held)
        sink = number + usleep(10000);
    }
}

/* The last call is a jump to the runtime, which returns to the caller. */
__attribute__((noinline)) static void one(void)
{
#pragma omp parallel num_threads(2) /* one */
    sink = rand();
}

__attribute__((noinline)) static void other(void)
{
#pragma omp parallel num_threads(2) /* other */
    sink = rand() + 1;
}

/* Nothing proves which region a jump to the runtime begins. */
__attribute__((noinline)) static void either(int which)
{
    if (which) {
#pragma omp parallel num_threads(2) /* either, one */
        sink = rand() + 2;
    } else {
#pragma omp parallel num_threads(2) /* either, other */
        sink = rand() + 3;
    }
}

__attribute__((noinline)) static void last_calls(int times)
{
    for (int i = 0; i < times; i++) {
        one();
        other();
        either(i % 2); /* both */
    }
}

int main(int count, char **words)
{
    if (count > 2 && !strcmp(words[1], "critical"))
        contended(atoi(words[2]));
    if (count > 2 && !strcmp(words[1], "last"))
        last_calls(atoi(words[2]));
    return 0;
}
