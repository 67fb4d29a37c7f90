/* with: OMP_CANCELLATION=true
   A cancelled taskgroup: tasks that have begun end before it, the others are dropped. Twin: its creator doesn't wait for its end. */
#include "apart.h"

static long value;

int main(void) {
    static int begun, written;
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (i = 0; i < 10; i++) {
#pragma omp task
                {
                    if (tell(&begun) == 0) {
                        value = 5; /* race */
                        tell(&written);
                    }
#pragma omp cancel taskgroup
                }
            }
            await(&written, 1);
            IF_TWIN(value++); /* race */
        }
        UNLESS_TWIN(value++);
    }
    return value != 6;
}
