/* What the creator writes before it creates a task, the task reads, on another thread. Twin: it writes afterwards. */
#include "apart.h"

static long value, seen;

int main(void) {
    static int written, done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        UNLESS_TWIN(value = 5);
#pragma omp task
        {
            await(&written, 1);
            seen = value; /* race */
            tell(&done);
        }
        IF_TWIN(value = 5); /* race */
        tell(&written);
        await(&done, 1);
    }
    return seen != 5;
}
