/* Regions nested four deep, some inactive: the result of each query for each thread at each level. */
#include "../queries.h"

int main(void) {
    say_queries("before");
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
    {
        const int a = omp_get_thread_num();
        note(a * 32, "first");
#pragma omp parallel if (0)
        {
            note(a * 32 + 1, "serialized");
#pragma omp parallel num_threads(3)
            {
                const int b = omp_get_thread_num();
                note(a * 32 + 2 + b * 9, "third");
#pragma omp parallel num_threads(2)
                {
                    note(a * 32 + 3 + b * 9 + omp_get_thread_num(), "fourth");
#pragma omp parallel num_threads(2)
                    note(a * 32 + 5 + b * 9 + omp_get_ancestor_thread_num(4), "too deep");
                }
            }
        }
    }
    print_notes();
    say_queries("after");
    return 0;
}
