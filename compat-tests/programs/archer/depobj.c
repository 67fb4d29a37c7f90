/* A dependence that is given as an object. Twin: the second task has none. */
#include <omp.h>

#include "apart.h"

static long value, seen;

int main(void) {
    static int begun, done;
    omp_depend_t writes, reads;
#pragma omp depobj(writes) depend(inout : value)
#pragma omp depobj(reads) depend(in : value)
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(depobj : writes)
        {
            value = 5; /* race */
            tell(&begun);
        }
        await(&begun, 1);
#pragma omp task
        {
            tell(&begun);
            await(&done, 1);
        }
        await(&begun, 2);
#pragma omp task UNLESS_TWIN(depend(depobj : reads))
        {
            seen = value; /* race */
            tell(&done);
        }
#pragma omp taskwait
    }
#pragma omp depobj(writes) destroy
#pragma omp depobj(reads) destroy
    return seen != 5;
}
