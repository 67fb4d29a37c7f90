/* A level is looked up where it is first needed. */
#include <stdio.h>

static int level = -1;
static int setup(void) { return 3; }

static int used(void) {
    if (level < 0)
        level = setup(); /* HERE */
    return level;
}

int main(void) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += used();
    printf("%d\n", sum);
    return 0;
}
