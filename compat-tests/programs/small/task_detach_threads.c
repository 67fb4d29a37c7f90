/* Detached tasks that are fulfilled by a thread of the program's own, which is in no team, while the team waits. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 16 };

static omp_event_handle_t events[N];
static int ready, place, bodies, done;

static void *fulfiller(void *unused) {
    int i;
    for (i = 0; i < N; i++) {
        while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) <= i) usleep(50);
        if (i % 3 == 0) usleep(500);
        omp_fulfill_event(events[i]);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    int i;
    if (pthread_create(&thread, NULL, fulfiller, NULL) != 0) return 1;
#pragma omp parallel
#pragma omp single
    {
        for (i = 0; i < N; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : place)
#pragma omp atomic
            bodies += 1;
            events[i] = event;
            __atomic_store_n(&ready, i + 1, __ATOMIC_RELEASE);
#pragma omp task depend(in : place)
#pragma omp atomic
            done += 1;
            if (i % 4 == 0) {
#pragma omp taskwait
            }
        }
    }
    pthread_join(thread, NULL);
    printf("%d %d\n", bodies, done);
    return 0;
}
