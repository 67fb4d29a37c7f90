/* More threads than there is initially space for: a large team, and threads that come and go. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { LARGE = 150, COMERS = 400 };

static void *one_region(void *data) {
    long *count = data, members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members) /* expect: FORK 400, IBAR 400*2, IDLE 400 */
    members += 1;
    *count += members;
    return NULL;
}

int main(void) {
    long large = 0, coming = 0;
    int i, round;
    for (round = 0; round < 2; round++) {
#pragma omp parallel num_threads(LARGE) reduction(+ : large) /* expect: FORK 2, IBAR 2*150, IDLE 2*149 */
        {
            large += 1;
#pragma omp barrier /* expect: EBAR 2*150 */
        }
    }
    for (i = 0; i < COMERS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, one_region, &coming) != 0) return 1;
        pthread_join(thread, NULL);
    }
    printf("%ld %ld\n", large, coming);
    return 0;
}
