/* A serial program. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += work(1000000);
    printf("%.3f\n", sum);
    return 0;
}
