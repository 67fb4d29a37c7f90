/* Nested regions make a new thread each: two times as many as the argument says. */
#include <omp.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int times = count > 1 ? atoi(words[1]) : 1, sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum++;
    }
    return sum == times * 4 ? 0 : 1;
}
