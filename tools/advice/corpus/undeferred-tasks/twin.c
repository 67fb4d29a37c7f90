/* The program with the cure applied: call the function directly below the limit; one taskwait for all. */
#include <stdio.h>

static int place(int n, int row, unsigned left, unsigned columns, unsigned right) {
    if (row == n)
        return 1;
    int found = 0, more[16] = {0};
    for (int column = 0; column < n; column++) {
        unsigned bit = 1u << column;
        if ((left | columns | right) & bit)
            continue;
        if (row < 2) {
#pragma omp task shared(more)
            more[column] = place(n, row + 1, (left | bit) << 1, columns | bit, (right | bit) >> 1);
        } else {
            more[column] = place(n, row + 1, (left | bit) << 1, columns | bit, (right | bit) >> 1);
        }
    }
    if (row < 2) {
#pragma omp taskwait
    }
    for (int column = 0; column < n; column++)
        found += more[column];
    return found;
}

int main(void) {
    int found = 0;
#pragma omp parallel
#pragma omp single
    found = place(13, 0, 0, 0, 0);
    printf("%d\n", found);
    return 0;
}
