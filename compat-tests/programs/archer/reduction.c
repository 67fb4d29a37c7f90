/* A reduction of two variables, which gcc adds up under its own lock. Twin: they are shared. */
#include <omp.h>

#include "../older_names.h"
#include "apart.h"

static long sum, difference;

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(3) UNLESS_TWIN(reduction(+ : sum) reduction(- : difference))
    {
        int turn = tell(&begun);
        await(&done, turn);
        sum += omp_get_thread_num();        /* race */
        difference -= omp_get_thread_num(); /* race */
        tell(&done);
    }
    return sum != 3 || difference != -3;
}
