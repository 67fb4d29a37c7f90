/* More tasks than libgomp queues: it executes the rest inside of the call that creates them, with arguments on the creator's
   stack. Twin: they all write one variable. */
#include "../archer/apart.h"

static long sum, seen[1000];

int main(void) {
    int i;
#pragma omp parallel num_threads(1)
#pragma omp single
    for (i = 0; i < 1000; i++) {
        long twice = 2 * i, thrice = 3 * i;
#pragma omp task firstprivate(i, twice, thrice)
        {
            seen[i] = twice + thrice;
#ifdef TWIN
            sum = thrice; /* race */
#endif
        }
    }
    return sum < 0 || seen[999] != 4995;
}
