/* natively: accused
   A loop's reduction that tasks take part in: its parts meet at the loop's end. Twin: the tasks share the variable. */
#include "apart.h"

static long sum;

int main(void) {
    static int begun, done;
    int i;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) UNLESS_TWIN(reduction(task, + : sum))
        for (i = 0; i < 2; i++) {
#pragma omp task UNLESS_TWIN(in_reduction(+ : sum)) firstprivate(i)
            {
                int turn = tell(&begun);
                await(&begun, 2);
                await(&done, turn);
                sum += i + 1; /* race */
                tell(&done);
            }
        }
#pragma omp single
        sum *= 2;
    }
    return sum != 6;
}
