/* The program with the cure applied: reduction(max:courant). */
#include <stdio.h>

static double speed[100000];

int main(void) {
    double courant = 0;
    for (int i = 0; i < 100000; i++)
        speed[i] = (i * 7919L) % 100000;
#pragma omp parallel for reduction(max : courant)
    for (int i = 0; i < 100000; i++)
        if (speed[i] > courant)
            courant = speed[i];
    printf("%s\n", courant == 99999 ? "right" : "wrong");
    return 0;
}
