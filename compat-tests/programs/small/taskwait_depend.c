/* taskwait with dependences waits for some tasks and not for others; taskwait alone for children only. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int y;

int main(void) {
    int x = 0, after_x = -1, child = 0, grandchild = 0, i, wrong = 0;
    volatile int let_go = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (i = 0; i < 20; i++) {
#pragma omp task depend(out : x) shared(x)
            x += 1;
#pragma omp task depend(in : x) shared(x, wrong)
            wrong += x == 0;
#pragma omp taskwait depend(in : x)
            after_x = x;
        }
#pragma omp taskwait depend(inout : x, y)
#pragma omp task shared(child, grandchild)
        {
#pragma omp task shared(grandchild)
            {
                while (!__atomic_load_n(&let_go, __ATOMIC_ACQUIRE)) usleep(100);
                grandchild = 1;
            }
            child = 1;
        }
#pragma omp taskwait
        printf("%d %d, child %d, wrong %d\n", after_x, x, child, wrong);
        __atomic_store_n(&let_go, 1, __ATOMIC_RELEASE);
    }
    printf("grandchild %d\n", grandchild);
    return 0;
}
