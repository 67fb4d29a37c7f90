/* Reductions in which tasks participate: regions, loops and sections of their own kind. The number of barriers at their ends is up to
 * the runtime. */
#include <stdio.h>

enum { N = 40 };

int main(void) {
    long sum = 0, product = 1, loop = 0, part = 0, group = 0, scope = 0, scanned = 0, prefix[N];
    long i;
#pragma omp parallel reduction(task, + : sum) /* expect: FORK 1, IBAR 4*T..20*T, EBAR 0..20*T, IDLE T-1, ATWT 0..8*T */
    {
        int k;
        sum += 1;
        for (k = 0; k < 5; k++) {
#pragma omp task in_reduction(+ : sum) /* expect: TASK 5*T */
            sum += 1;
        }
    }
    printf("parallel: %ld\n", sum);
#pragma omp parallel reduction(task, * : product) reduction(task, + : sum) /* expect: FORK 1, IDLE T-1 */
    {
#pragma omp task in_reduction(* : product) /* expect: TASK T */
        product *= 1;
#pragma omp task in_reduction(+ : sum) /* expect: TASK T */
        sum += 1;
    }
    printf("parallel, two: %ld %ld\n", product, sum);
#pragma omp parallel /* expect: FORK 1, IDLE T-1 */
    {
#pragma omp for reduction(task, + : loop) schedule(dynamic)
        for (i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : loop) /* expect: TASK 40 */
            loop += i;
        }
#pragma omp for reduction(task, + : loop)
        for (i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : loop) /* expect: TASK 40 */
            loop += i;
        }
#pragma omp sections reduction(task, + : part)
        {
#pragma omp task in_reduction(+ : part) /* expect: TASK 1 */
            part += 1;
#pragma omp section
            part += 2;
        }
#pragma omp scope reduction(task, + : scope)
        {
#pragma omp task in_reduction(+ : scope) /* expect: TASK T */
            scope += 1;
        }
#pragma omp single nowait /* expect: SINGLE 1 */
#pragma omp taskgroup task_reduction(+ : group) /* expect: SUSPEND 1 */
        {
            int k;
            for (k = 0; k < 10; k++) {
#pragma omp task in_reduction(+ : group) /* expect: TASK 10 */
                group += k;
            }
        }
    }
    printf("loop: %ld, sections: %ld, group: %ld, scope: %ld\n", loop, part, group, scope);
#pragma omp parallel for reduction(inscan, + : scanned) /* expect: FORK 1, IDLE T-1 */
    for (i = 0; i < N; i++) {
        scanned += i;
#pragma omp scan inclusive(scanned)
        prefix[i] = scanned;
    }
    printf("scan: %ld %ld\n", prefix[N / 2], prefix[N - 1]);
    return 0;
}
