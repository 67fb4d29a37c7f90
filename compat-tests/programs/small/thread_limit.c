/* A limit on threads that teams reach, also when nested. */
/* with: OMP_THREAD_LIMIT=3 OMP_MAX_ACTIVE_LEVELS=2 */
#include "../queries.h"

int main(void) {
    int members = 0;
#pragma omp parallel num_threads(8) reduction(+ : members)
    members += 1;
    printf("%d\n", members);
    say_queries("outside");
#pragma omp parallel num_threads(3)
    {
        note(omp_get_thread_num(), "inside");
#pragma omp barrier
#pragma omp masked
#pragma omp parallel num_threads(4)
        note(10 + omp_get_thread_num(), "nested");
    }
    print_notes();
    return 0;
}
