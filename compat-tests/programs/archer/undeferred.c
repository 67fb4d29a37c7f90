/* An undeferred task is done when its creator goes on. Twin: it is deferred, and nobody waits for it. */
#include "apart.h"

static long value;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task UNLESS_TWIN(if (0))
        {
            value = 5; /* race */
            tell(&done);
        }
        await(&done, 1);
        value++; /* race */
    }
    return value != 6;
}
