/* Locals of tasks whose addresses escape lie at one address when one thread executes the tasks one after the other.
   Twin: the tasks use one variable of their creator. */
#include "../archer/apart.h"

static void set(long *place, long value) { *place = value; }
static void (*volatile hidden)(long *, long) = set;

int main(void) {
    long shared = 0;
    int i;
#pragma omp parallel num_threads(1)
#pragma omp single
    for (i = 0; i < 4; i++) {
#pragma omp task shared(shared)
        {
            long mine = 0;
#ifdef TWIN
            shared = i; /* race */
#endif
            hidden(&mine, i);
        }
    }
    return shared < 0;
}
