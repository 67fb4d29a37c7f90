/* Reductions over task groups: many variables, arrays, sections of arrays, a user-defined type, nested groups. */
#include <omp.h>
#include <stdio.h>

struct pair {
    long sum;
    double product;
};
#pragma omp declare reduction(both : struct pair : omp_out.sum += omp_in.sum, omp_out.product *= omp_in.product)              \
    initializer(omp_priv = (struct pair){0, 1})

int main(void) {
    long plus = 0, array[10] = {0}, inner = 0, outer = 0;
    unsigned bits = 0;
    int largest = -1, all = 1, i, n = 6;
    long vla[n];
    struct pair pair = {0, 1};
    for (i = 0; i < n; i++) vla[i] = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : plus, array, vla[1:4]) task_reduction(| : bits) task_reduction(max : largest)        \
    task_reduction(&& : all) task_reduction(both : pair)
        for (i = 0; i < 64; i++) {
#pragma omp task in_reduction(+ : plus, array) in_reduction(| : bits) in_reduction(max : largest) firstprivate(i)
            {
                plus += i;
                array[i % 10] += 1;
                bits |= 1u << (i % 31);
                if (i > largest) largest = i;
            }
#pragma omp task in_reduction(both : pair) in_reduction(&& : all) in_reduction(+ : vla[1:4]) firstprivate(i) untied
            {
                pair.sum += i;
                pair.product *= i % 16 == 0 ? 2 : 1;
                all = all && i >= 0;
                vla[1 + i % 4] += 1;
            }
        }
#pragma omp taskgroup task_reduction(+ : outer)
        for (i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : outer) shared(inner)
            {
                int k;
                outer += 1;
#pragma omp taskgroup task_reduction(+ : inner)
                for (k = 0; k < 5; k++) {
#pragma omp task in_reduction(+ : inner, outer)
                    {
                        inner += 0;
                        outer += 1;
                    }
                }
            }
        }
    }
    printf("%ld %ld %ld %x %d %d %ld %g %ld %ld %ld %ld\n", plus, array[0], array[9], bits, largest, all, pair.sum,
           pair.product, vla[1], vla[4], inner, outer);
    return 0;
}
