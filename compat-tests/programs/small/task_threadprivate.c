/* Tasks that use threadprivate variables between two scheduling points, and what copyin gave them. */
#include <omp.h>
#include <stdio.h>

static int mine = 5;
static struct {
    long sum;
    char text[40];
} local;
#pragma omp threadprivate(mine, local)

int main(void) {
    long wrong = 0, total = 0;
    int i;
    mine = 9;
#pragma omp parallel copyin(mine) reduction(+ : wrong)
    {
        wrong += mine != 9;
        local.sum = 0;
#pragma omp barrier
#pragma omp single
        for (i = 0; i < 300; i++) {
#pragma omp task firstprivate(i)
            {
                int before = mine;
                mine += i;
                if (mine != before + i) printf("changed\n");
                mine = before;
                local.sum += i;
            }
        }
        wrong += mine != 9;
#pragma omp atomic
        total += local.sum;
    }
    printf("%ld %ld %d\n", wrong, total, mine);
    return 0;
}
