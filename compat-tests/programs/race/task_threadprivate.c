/* Tasks of one thread use a variable of that thread, threadprivate. Twin: a task uses the variable of another thread. */
#include "../archer/apart.h"

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
                await(&done, turn);
                if (turn == 0)
                    __atomic_store_n(&first, &counter, __ATOMIC_RELAXED);
#ifdef TWIN
                *__atomic_load_n(&first, __ATOMIC_RELAXED) += 1; /* race */
#endif
                tell(&done);
            }
        }
        for (i = 0; i < 50; i++) {
#pragma omp task
            counter++; /* race */
        }
    }
    return 0;
}
