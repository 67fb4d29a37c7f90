/* Chunks of one thread update a variable, and a later chunk of another thread reads it, all with atomic constructs. Twin: without any.
   The race of the chunks of one thread is a possible one; that with the other thread is found as well. */
#include "../archer/apart.h"

int main(void) {
    /* Not in the variable's word: ThreadSanitizer keeps four accesses of each word, and discards one of them at each further one. */
    static struct {
        _Alignas(64) int begun, done;
    } turns;
    static int shared, seen;
    int i;
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (i = 0; i < 4; i++) {
        int turn = tell(&turns.begun);
        if (turn < 2)
            await(&turns.begun, 2);
        if (turn == 1) {
            await(&turns.done, 3);
#ifndef TWIN
#pragma omp atomic read
#endif
            seen = shared; /* race */
        } else {
#ifndef TWIN
#pragma omp atomic write
#endif
            shared = turn; /* race */
            tell(&turns.done);
        }
    }
    return seen < 0;
}
