/* Loops of every schedule with reductions that tasks take part in, ordered and doacross ones, nowait, long long. */
/* with: OMP_SCHEDULE=dynamic,3 */
#include <omp.h>
#include <stdio.h>

enum { N = 64 };

static long total;

#define LOOP(clauses, type)                                                                                            \
    do {                                                                                                               \
        long sum = 0, product = 1;                                                                                     \
        _Pragma("omp parallel") {                                                                                      \
            type i;                                                                                                    \
            clauses for (i = 0; i < N; i++) {                                                                          \
                sum += 1;                                                                                              \
                _Pragma("omp task in_reduction(+ : sum) firstprivate(i)") sum += (long)i;                              \
                _Pragma("omp task in_reduction(* : product) firstprivate(i)") product *= i % 16 ? 1 : 2;               \
            }                                                                                                          \
        }                                                                                                              \
        total = total * 3 + sum + product;                                                                             \
        printf("%ld %ld\n", sum, product);                                                                             \
    } while (0)

int main(void) {
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product)"), int);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(static, 2)"), int);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(dynamic)"), int);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(guided, 2)"), long long);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(runtime)"), int);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(auto)"), unsigned);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(dynamic, 5)"), unsigned long long);
    LOOP(_Pragma("omp for reduction(task, + : sum) reduction(task, * : product) schedule(monotonic : dynamic, 2)"), long);
    printf("%ld\n", total);
    return 0;
}
