/* Five parallel regions. */
#include <stdio.h>

int main(void) {
    int i, members = 0;
    for (i = 0; i < 5; i++) {
#pragma omp parallel num_threads(2) reduction(+ : members)
        members++;
    }
    printf("%d\n", members);
    return 0;
}
