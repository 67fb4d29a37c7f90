/* Regions of two threads at three levels: 1, 2 and 4 times the number in the argument. */
#include <omp.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int times = count > 1 ? atoi(words[1]) : 1, sum = 0;
    omp_set_max_active_levels(3);
    for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp parallel num_threads(2) reduction(+ : sum)
            {
#pragma omp parallel num_threads(2) reduction(+ : sum)
                sum++;
            }
        }
    }
    return sum == times * 8 ? 0 : 1;
}
