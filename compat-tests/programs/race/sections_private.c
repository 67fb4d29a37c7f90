/* Sections of one thread use its copy of a private variable, by address. Twin: a variable of all threads. */
#include "../archer/apart.h"

static void set(long *place, long value) { *place = value; }
static void (*volatile hidden)(long *, long) = set;

int main(void) {
    long mine = 0, all = 0;
#pragma omp parallel num_threads(1)
#pragma omp sections private(mine)
    {
#pragma omp section
        {
            hidden(&mine, 1);
#ifdef TWIN
            all = 1; /* race */
#endif
        }
#pragma omp section
        {
            hidden(&mine, 2);
#ifdef TWIN
            all = 2; /* race */
#endif
        }
    }
    return all + mine < 0;
}
