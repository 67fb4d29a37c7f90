/* Parallel regions of two teams of a league use an atomic construct. Twin: a critical section, which orders the threads of one
   team only. */
#include "../archer/apart.h"

int main(void) {
    long sum = 0;
    int i;
#pragma omp teams distribute parallel for num_teams(3) thread_limit(2)
    for (i = 0; i < 90; i++) {
#ifdef TWIN
#pragma omp critical
#else
#pragma omp atomic
#endif
        sum += i; /* race */
    }
    return sum != 4005;
}
