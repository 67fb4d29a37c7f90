#include "../work.h"

double predict(void) {
    double sum = 0;
    for (int i = 0; i < 200; i++) {
#pragma omp parallel for reduction(+ : sum)
        for (int j = 0; j < 64; j++)
            sum += work(500);
    }
    return sum;
}
