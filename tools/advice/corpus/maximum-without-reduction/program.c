/* The largest Courant number is kept in a shared variable. */
#include <stdio.h>

static double speed[100000];

int main(void) {
    double courant = 0;
    for (int i = 0; i < 100000; i++)
        speed[i] = (i * 7919L) % 100000;
#pragma omp parallel for
    for (int i = 0; i < 100000; i++)
        if (speed[i] > courant)
            courant = speed[i]; /* HERE */
    printf("%s\n", courant == 99999 ? "right" : "wrong");
    return 0;
}
