/* A league on the host: its teams work on parts of their own, and reduce. Twin: they share a variable. */
#include "../archer/apart.h"

int main(void) {
    long cell[90] = {0}, sum = 0, all = 0;
    int i;
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : sum)
    {
        long mine = 0, *place = &mine;
#pragma omp distribute parallel for reduction(+ : sum)
        for (i = 0; i < 90; i++) {
            cell[i] += i;
            sum += cell[i];
        }
        *place += 1;
#ifdef TWIN
        all += mine; /* race */
#endif
    }
    return sum != 4005 || all < 0;
}
