/* Teams of a target region use an atomic construct. Twin: a lock, which orders the threads of one team only. */
#include <omp.h>

#include "../archer/apart.h"

int main(void) {
    long sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp target teams num_teams(3) thread_limit(2) map(tofrom : sum)
#pragma omp parallel num_threads(2)
    {
#ifdef TWIN
        omp_set_lock(&lock);
        sum++; /* race */
        omp_unset_lock(&lock);
#else
#pragma omp atomic
        sum++;
#endif
    }
    omp_destroy_lock(&lock);
    return sum < 3;
}
