/* mutexinoutset: two tasks in any order, but not simultaneously. Twin: the second has no dependence. */
#include "apart.h"

static long value;

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(mutexinoutset : value)
        {
            value += 5; /* race */
            tell(&begun);
        }
        await(&begun, 1);
#pragma omp task
        {
            tell(&begun);
            await(&done, 1);
        }
        await(&begun, 2);
#pragma omp task UNLESS_TWIN(depend(mutexinoutset : value))
        {
            value += 2; /* race */
            tell(&done);
        }
#pragma omp taskwait
    }
    return value != 7;
}
