/* Queens with `task if(depth)`: below the limit each call is still a task, though an undeferred one. */
#include <stdio.h>

static int place(int n, int row, unsigned left, unsigned columns, unsigned right) {
    if (row == n)
        return 1;
    int found = 0;
    for (int column = 0; column < n; column++) {
        unsigned bit = 1u << column;
        if ((left | columns | right) & bit)
            continue;
        int more = 0;
#pragma omp task shared(more) if (row < 2) /* HERE */
        more = place(n, row + 1, (left | bit) << 1, columns | bit, (right | bit) >> 1);
#pragma omp taskwait
        found += more;
    }
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
