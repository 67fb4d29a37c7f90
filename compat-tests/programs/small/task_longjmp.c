/* longjmp within a task's body, across undeferred tasks' creators' frames that stay. */
#include <omp.h>
#include <setjmp.h>
#include <stdio.h>

static long count;

__attribute__((noinline)) static void jump(jmp_buf *back, int value) { longjmp(*back, value); }

__attribute__((noinline)) static void jumping(int i) {
    jmp_buf back;
    volatile int rounds = 0;
    if (setjmp(back) < 4) {
        rounds += 1;
#pragma omp task if (0)
#pragma omp atomic
        count += 1;
        jump(&back, rounds);
    }
#pragma omp task firstprivate(i)
#pragma omp atomic
    count += i;
#pragma omp taskwait
#pragma omp atomic
    count += rounds;
}

int main(void) {
    int i;
#pragma omp parallel
#pragma omp single
    for (i = 0; i < 50; i++) {
#pragma omp task firstprivate(i)
        jumping(i);
#pragma omp task firstprivate(i) if (i % 2)
        jumping(i);
    }
    jumping(1);
    printf("%ld\n", count);
    return 0;
}
