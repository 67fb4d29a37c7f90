/* The program with the cure applied: reduction(+:count). */
#include <stdio.h>

static int values[200000];

int main(void) {
    int count = 0;
    for (int i = 0; i < 200000; i++)
        values[i] = i % 10;
#pragma omp parallel for reduction(+ : count)
    for (int i = 0; i < 200000; i++)
        if (values[i] == 7)
            count++;
    printf("%s\n", count == 20000 ? "right" : "wrong");
    return 0;
}
