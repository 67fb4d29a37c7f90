/* Two sections, one of which has a hundred times the work of the other. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double first = 0, second = 0;
#pragma omp parallel sections /* HERE */
    {
#pragma omp section
        for (int i = 0; i < 1000; i++)
            first += work(150000);
#pragma omp section
        for (int i = 0; i < 10; i++)
            second += work(150000);
    }
    printf("%.3f %.3f\n", first, second);
    return 0;
}
