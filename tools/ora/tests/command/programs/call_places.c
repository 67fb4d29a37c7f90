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

int main(int count, char **words)
{
    if (count > 2 && !strcmp(words[1], "critical"))
        contended(atoi(words[2]));
    return 0;
}
