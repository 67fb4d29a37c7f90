/* natively: accused
   Tasks that take part in the reduction of their taskgroup. Twin: they share the variable. */
#include "apart.h"

static long sum;

int main(void) {
    static int begun, done;
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup UNLESS_TWIN(task_reduction(+ : sum))
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
        sum *= 2;
    }
    return sum != 6;
}
