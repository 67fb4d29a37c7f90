/* Creates tasks below many functions, while a timer interrupts the thread. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define TASKS 20000

static int words[TASKS];
static volatile long ticks;

static void tick(int number)
{
    (void)number;
    ticks++;
}

static void create(int left)
{
    volatile int here = left;
    if (left > 0) {
        create(left - 1);
        here++;
        return;
    }
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : words[i])
        words[i]++;
    }
#pragma omp taskwait
}

int main(void)
{
    struct itimerval each = {{0, 200}, {0, 200}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &each, NULL);
#pragma omp parallel num_threads(1)
    create(1000);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    puts(ticks > 0 ? "ticks" : "none");
    return 0;
}
