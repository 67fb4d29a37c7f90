/* Tasks of one thread use its copy of a variable that they reduce. Twin: they also write the reduced variable's neighbour. */
#include "../archer/apart.h"

static struct {
    long sum, last;
} both;

int main(void) {
    static long sum;
    int i;
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        {
            sum += i;
#ifdef TWIN
            both.last = i; /* race */
#endif
        }
    }
    both.sum = sum;
    return both.sum != 190 || both.last < 0;
}
