/* taskwait with dependences: the creator waits for the tasks that wrote these variables, and for no others. Twin: one variable
   is not named. */
#include "apart.h"

static long left, right, sum;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : left)
        {
            left = 1;
            tell(&done);
        }
        await(&done, 1);
#pragma omp task depend(out : right)
        {
            right = 2; /* race */
            tell(&done);
        }
        await(&done, 2);
#pragma omp taskwait depend(in : left UNLESS_TWIN(, right))
        sum = left + right; /* race */
    }
    return sum != 3;
}
