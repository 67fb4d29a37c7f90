/* Tasks of one thread use a variable of that thread, threadprivate, while the other thread is in a task of its own.
   Twin: that task uses the variable, too, behind all of them. */
#include "../archer/apart.h"

/* Odd: if a report discards the accesses of a word, none is left then. */
#define TURNS 3

static long counter;
#pragma omp threadprivate(counter)

int main(void) {
    static int begun, done;
    static long *first;
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (i = 0; i < 2; i++) {
#pragma omp task
            {
                int turn = tell(&begun);
                await(&begun, 2);
                if (turn == 0)
                    __atomic_store_n(&first, &counter, __ATOMIC_RELAXED);
                else {
                    await(&done, TURNS);
#ifdef TWIN
                    *__atomic_load_n(&first, __ATOMIC_RELAXED) += 1; /* race */
#endif
                }
            }
        }
        for (i = 0; i < TURNS; i++) {
#pragma omp task
            {
                await(&begun, 2);
                counter++; /* race */
                tell(&done);
            }
        }
    }
    return 0;
}
