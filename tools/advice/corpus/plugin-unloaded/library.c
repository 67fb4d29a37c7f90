#include "../work.h"

double filter(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += work(1000);
    return sum;
}
