/* natively: accused
   A taskloop that adds up. Twin: its iterations share the variable. */
#include "apart.h"

enum { N = 2 };

static long sum;

int main(void) {
    static int begun, done;
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(1) UNLESS_TWIN(reduction(+ : sum))
        for (i = 0; i < N; i++) {
            int turn = tell(&begun);
            await(&begun, N);
            await(&done, turn);
            sum += i + 1; /* race */
            tell(&done);
        }
        sum *= 2;
    }
    return sum != 6;
}
