/* Task reductions of regions, sections, scopes: several variables, arrays, nested, with tasks of tasks. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long sum = 0, array[7] = {0}, part = 0, scope = 0, deep = 0, nested = 0;
    int i, threads = 0;
#pragma omp parallel reduction(task, + : sum, array) reduction(+ : threads)
    {
        int k;
        threads += 1;
        for (k = 0; k < 21; k++) {
#pragma omp task in_reduction(+ : sum, array) firstprivate(k)
            {
                sum += k;
#pragma omp task in_reduction(+ : sum, array) firstprivate(k)
                {
                    sum += 1;
                    array[k % 7] += 1;
                }
            }
        }
    }
    printf("%ld %ld %ld\n", sum / threads, array[0] / threads, array[6] / threads);
#pragma omp parallel
    {
#pragma omp sections reduction(task, + : part)
        {
#pragma omp section
            {
#pragma omp task in_reduction(+ : part)
                part += 1;
            }
#pragma omp section
            {
#pragma omp task in_reduction(+ : part)
                part += 10;
            }
#pragma omp section
            part += 100;
        }
#pragma omp scope reduction(task, + : scope)
        {
#pragma omp task in_reduction(+ : scope)
            scope += 1;
        }
    }
    printf("%ld %ld\n", part, scope / threads);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(task, + : deep)
    {
#pragma omp task in_reduction(+ : deep)
        deep += 1;
        long inner = 0;
#pragma omp parallel num_threads(2) reduction(task, + : inner)
        {
#pragma omp task in_reduction(+ : inner)
            inner += 1;
        }
#pragma omp atomic
        nested += inner;
    }
#pragma omp parallel for reduction(task, + : deep) schedule(dynamic)
    for (i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : deep)
        deep += 1;
    }
    printf("%ld %ld\n", deep, nested);
    return 0;
}
