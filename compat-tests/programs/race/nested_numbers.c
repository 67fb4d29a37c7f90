/* Two inner teams, one after the other, whose second threads have the same number and share nothing but it. Twin: they use one slot for
   that number. */
#include <omp.h>
#include <unistd.h>

#include "../archer/apart.h"

static long slots[4];

int main(void) {
    int over = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num(), wrote = 0;
        if (outer == 1)
            await(&over, 1);
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num(), i;
#pragma omp for schedule(dynamic, 1)
            for (i = 0; i < 8; i++) {
                if (me == 1) {
                    slots[me UNLESS_TWIN(+2 * outer)] += i; /* race */
                    tell(&wrote);
                } else {
                    await(&wrote, 1);
                }
            }
        }
        /* The thread of the first inner team ends. */
        usleep(20000);
        tell(&over);
        await(&over, 2);
    }
    return slots[1] < 0;
}
