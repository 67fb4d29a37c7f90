/* inout after inout, and the second task has to wait: it is undeferred, so its creator waits for the first task. Twin: the second
   has no dependence, and comes too early. */
#include "apart.h"

static long value;

int main(void) {
    static int begun, go;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(inout : value)
        {
            tell(&begun);
            await(&go, 1);
            value += 5; /* race */
        }
        await(&begun, 1);
        tell(&go);
#pragma omp task UNLESS_TWIN(depend(inout : value)) if (0)
        value *= 2; /* race */
    }
    return value != 10;
}
