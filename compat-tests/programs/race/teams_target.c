/* A league in a target region, whose teams share one frame on the host: private variables of all teams lie there, and copies of
   the reduced one. Twin: they share a variable. */
#include <omp.h>

#include "../archer/apart.h"

int main(void) {
    long cell[90] = {0}, sum = 0, all = 0;
    int i;
#pragma omp target teams num_teams(3) thread_limit(2) map(tofrom : cell, sum, all) reduction(+ : sum)
    {
        long part[4] = {0}, *place = part;
#pragma omp distribute parallel for reduction(+ : sum)
        for (i = 0; i < 90; i++) {
            cell[i] += i;
            sum += cell[i];
        }
        for (i = 0; i < 4; i++)
            place[i] += omp_get_team_num();
#ifdef TWIN
        all += place[3]; /* race */
#endif
    }
    return sum != 4005 || all < 0;
}
