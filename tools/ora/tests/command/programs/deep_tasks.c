/* Nested tasks; the argument is their depth. Prints the most memory that the process had, in kB. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static volatile int reached;

static void go(int left)
{
    reached = left;
    if (left == 0)
        return;
#pragma omp task if (0)
    go(left - 1);
    reached = left;
}

int main(int count, char **words)
{
#pragma omp parallel num_threads(1)
    go(count > 1 ? atoi(words[1]) : 0);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%ld\n", used.ru_maxrss);
    return reached == 0;
}
