/* out after in: the writer comes after both readers. Twin: one reader has no dependence. */
#include "apart.h"

static long value, seen[2];

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(in : value)
        {
            seen[0] = value + 1;
            tell(&begun);
        }
        await(&begun, 1);
#pragma omp task UNLESS_TWIN(depend(in : value))
        {
            seen[1] = value + 1; /* race */
            tell(&begun);
        }
        await(&begun, 2);
#pragma omp task
        {
            tell(&begun);
            await(&done, 1);
        }
        await(&begun, 3);
#pragma omp task depend(out : value)
        {
            value = 5; /* race */
            tell(&done);
        }
#pragma omp taskwait
    }
    return seen[0] + seen[1] != 2;
}
