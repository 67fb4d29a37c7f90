/* Dependences on two variables: the last task waits for both. Twin: only for one. */
#include "apart.h"

static long left, right, sum;

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : left)
        {
            left = 1;
            tell(&begun);
        }
        await(&begun, 1);
#pragma omp task depend(out : right)
        {
            right = 2; /* race */
            tell(&begun);
        }
        await(&begun, 2);
#pragma omp task
        {
            tell(&begun);
            await(&done, 1);
        }
        await(&begun, 3);
#pragma omp task depend(in : left UNLESS_TWIN(, right))
        {
            sum = left + right; /* race */
            tell(&done);
        }
#pragma omp taskwait
    }
    return sum != 3;
}
