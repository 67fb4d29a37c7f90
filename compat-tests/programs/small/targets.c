/* Target regions that fall back to the host: data, updates, asynchronous ones with dependences, teams inside. */
#include <omp.h>
#include <stdio.h>

enum { N = 100 };

int main(void) {
    int values[N], i, x = 0;
    long sum = 0;
    for (i = 0; i < N; i++) values[i] = i;
#pragma omp target data map(tofrom : values)
    {
#pragma omp target teams distribute parallel for
        for (i = 0; i < N; i++) values[i] *= 2;
#pragma omp target update from(values)
    }
#pragma omp target map(tofrom : sum)
#pragma omp parallel for reduction(+ : sum)
    for (i = 0; i < N; i++) sum += i;
#pragma omp parallel
#pragma omp single
    {
#pragma omp target nowait depend(out : x) map(tofrom : x)
        x = 5;
#pragma omp target nowait depend(inout : x) map(tofrom : x) firstprivate(values)
        x += values[10];
#pragma omp task depend(in : x)
        sum += x;
#pragma omp target enter data map(to : values) nowait
#pragma omp taskwait
#pragma omp target exit data map(release : values) nowait depend(inout : x)
    }
    printf("%ld %d %d %d\n", sum, values[99], x, omp_get_num_devices());
    return 0;
}
