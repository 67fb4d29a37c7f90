/* Coroutines that yield inside of parallel regions, so that a thread ends its regions in another order than it began them. */
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { COUNT = 4, ROUNDS = 50, SIZE = 1 << 18 };

static ucontext_t resumer, coroutines[COUNT];
static int sum;

static void run(int own) {
    for (;;) {
#pragma omp parallel num_threads(1)
        {
            sum += 1;
            swapcontext(&coroutines[own], &resumer);
        }
    }
}

int main(void) {
    char *stacks = mmap(0, COUNT * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int round, i;
    for (i = 0; i < COUNT; i++) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = stacks + (COUNT - 1 - i) * SIZE;
        coroutines[i].uc_stack.ss_size = SIZE;
        makecontext(&coroutines[i], (void (*)(void))run, 1, i);
    }
    for (round = 0; round < ROUNDS; round++)
        for (i = 0; i < COUNT; i++)
            swapcontext(&resumer, &coroutines[i]);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%d\n", sum);
    return 0;
}
