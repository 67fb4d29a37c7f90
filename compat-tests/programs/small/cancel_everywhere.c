/* Cancellation of loops of each schedule, sections, regions, nested ones. Chance decides how much runs before;
 * not what runs after. */
/* with: OMP_CANCELLATION=true */
#include <omp.h>
#include <stdio.h>

static long late;

#define LOOP(schedule)                                                                                                 \
    schedule for (i = 0; i < 500; i++) {                                                                               \
        _Pragma("omp cancellation point for");                                                                         \
        _Pragma("omp atomic") ran += 1;                                                                                \
        if (i % 50 == 7) {                                                                                             \
            _Pragma("omp cancel for");                                                                                 \
            _Pragma("omp atomic") late += 1;                                                                           \
        }                                                                                                              \
    }

int main(void) {
    long ran = 0, parts = 0, members = 0, inner = 0;
    int i, round;
    for (round = 0; round < 10; round++) {
#pragma omp parallel private(i)
        {
            LOOP(_Pragma("omp for"))
            LOOP(_Pragma("omp for schedule(dynamic, 2)"))
            LOOP(_Pragma("omp for schedule(guided)"))
            LOOP(_Pragma("omp for schedule(static, 1)"))
#pragma omp sections
            {
#pragma omp section
                {
#pragma omp atomic
                    parts += 1;
#pragma omp cancel sections
#pragma omp atomic
                    late += 1;
                }
#pragma omp section
                {
#pragma omp cancellation point sections
                }
            }
#pragma omp atomic
            members += 1;
#pragma omp barrier
        }
#pragma omp parallel num_threads(2)
        {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)

#pragma omp cancellation point parallel
#pragma omp barrier
#pragma omp atomic
            late += 1;
        }
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : inner)
        {
#pragma omp parallel num_threads(2)
            {
#pragma omp cancel parallel
#pragma omp atomic
                late += 1;
            }
            inner += 1;
        }
    }
    printf("%d %ld %ld, late %ld\n", ran > 0 && ran < 20000, parts > 0 && parts <= 10 ? 1l : 0l,
           members / omp_get_max_threads(), late);
    printf("%ld\n", inner);
    return 0;
}
