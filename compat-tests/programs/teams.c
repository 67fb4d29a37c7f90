/* A league of teams on the host. The function of a team ends with its region, which gcc encounters by a jump to the runtime. */
#include <stdio.h>

static int members;

int main(void) {
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    members++;
    printf("%d\n", members);
    return 0;
}
