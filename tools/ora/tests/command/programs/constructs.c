/* Two threads; each wait happens a known number of times, and lasts for 100 ms. */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

/* Holds what it has taken until the other thread asks for it, and 100 ms longer. */
static void hold(atomic_int *taken, atomic_int *asked)
{
    atomic_store(taken, 1);
    while (!atomic_load(asked))
        usleep(1000);
    usleep(100000);
}

/* Waits until it is taken, and then tells the holder that this thread asks for it. */
static void ask(atomic_int *taken, atomic_int *asked)
{
    while (!atomic_load(taken))
        usleep(1000);
    atomic_store(asked, 1);
}

int main(void)
{
    omp_lock_t lock;
    atomic_int taken = 0, asked = 0;
    omp_init_lock(&lock);
    /* One wait for the lock. */
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            hold(&taken, &asked);
            omp_unset_lock(&lock);
        } else {
            ask(&taken, &asked);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
    }
    taken = asked = 0;
    /* One wait for the critical section. */
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            ask(&taken, &asked);
#pragma omp critical(one)
        {
            if (omp_get_thread_num() == 0)
                hold(&taken, &asked);
        }
    }
    /* Each thread waits once in an explicit barrier. */
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
    omp_destroy_lock(&lock);
    return 0;
}
