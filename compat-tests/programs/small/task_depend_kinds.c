/* mutexinoutset between writers and readers; many dependences on one task. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long sum = 0, parts[40] = {0}, many = 0, wrong = 0;
    int i, round;
#pragma omp parallel
#pragma omp single
    for (round = 0; round < 10; round++) {
#pragma omp task depend(out : sum) shared(sum)
        sum = 0;
        for (i = 0; i < 20; i++) {
#pragma omp task depend(mutexinoutset : sum) shared(sum) firstprivate(i)
            sum += i;
        }
#pragma omp task depend(in : sum) shared(sum, wrong)
        {
#pragma omp atomic
            wrong += sum != 190;
        }
        for (i = 0; i < 40; i++) {
#pragma omp task depend(out : parts[i]) shared(parts) firstprivate(i)
            parts[i] = i;
        }
#pragma omp task depend(in : parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6], parts[7])                \
    depend(in : parts[8], parts[9], parts[10], parts[11]) depend(inout : many) depend(mutexinoutset : parts[39])            \
    shared(many, parts)
        many += parts[0] + parts[11] + parts[39];
    }
    printf("%ld %ld, %ld wrong\n", sum, many, wrong);
    return 0;
}
