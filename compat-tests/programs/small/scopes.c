/* The scope construct: private copies, reductions, nowait; beside loops and singles. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long sum = 0, product = 1, firsts = 0, threads = 0;
    int value = 5, largest = -1;
#pragma omp parallel
    {
#pragma omp scope private(value) reduction(+ : sum, threads) reduction(max : largest)
        {
            value = omp_get_thread_num();
            sum += 2 + 0 * value;
            threads += 1;
            if (value > largest) largest = value;
        }
#pragma omp atomic
        firsts += sum == 2 * threads && largest == threads - 1;
#pragma omp scope nowait
        {
#pragma omp critical
#pragma omp atomic
            firsts += 1;
        }
#pragma omp barrier
#pragma omp scope reduction(* : product)
        product *= 1;
#pragma omp single
        firsts += product;
    }
    printf("%ld %ld %ld %d %d\n", sum / threads, firsts - 2 * threads, product, value, largest + 1 == threads);
    return 0;
}
