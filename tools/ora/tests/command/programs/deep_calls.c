/* A team whose threads are as many calls deep as the first argument says: they sleep there until the input ends. The second argument is the
   number of threads. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;
static omp_lock_t ends;

__attribute__((noinline)) static int descend(int calls)
{
    char byte;
    if (calls == 0) {
        if (omp_get_thread_num() == 0) {
            while (read(0, &byte, 1) > 0)
                ;
            omp_unset_lock(&ends);
        } else {
            omp_set_lock(&ends);
            omp_unset_lock(&ends);
        }
        return 0;
    }
    int below = descend(calls - 1);
    return below + sink++;
}

int main(int count, char **words)
{
    int calls = count > 1 ? atoi(words[1]) : 1, threads = count > 2 ? atoi(words[2]) : 2;
    omp_init_lock(&ends);
    omp_set_lock(&ends);
#pragma omp parallel num_threads(threads)
    descend(calls);
    return 0;
}
