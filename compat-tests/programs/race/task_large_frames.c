/* Tasks of one thread with large frames, of which only the ends are used. Twin: they use a variable of their creator. */
#include "../archer/apart.h"

static void set(long *place, long value) { *place = value; }
static void (*volatile hidden)(long *, long) = set;

static void with_large_frame(long value) {
    long large[20000], mine = 0;
    hidden(&large[0], value);
    hidden(&large[19999], value);
    hidden(&mine, value);
}

int main(void) {
    long shared = 0;
    int i;
#pragma omp parallel num_threads(1)
#pragma omp single
    for (i = 0; i < 40; i++) {
#pragma omp task shared(shared)
        {
            with_large_frame(i);
#ifdef TWIN
            shared = i; /* race */
#endif
        }
    }
    return shared < 0;
}
