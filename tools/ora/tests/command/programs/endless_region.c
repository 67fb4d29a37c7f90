/* One parallel region that goes on until stdin is closed, beside a thread without OpenMP. With a word as argument, the program has
   handlers for the signals that interrupt threads. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile int over;
static volatile double sink;

static void handle(int number)
{
    (void)number;
}

static int is_over(void)
{
    struct pollfd input = {0, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

__attribute__((noinline)) static void work_in_the_region(void)
{
    double sum = 0;
    for (int i = 0; i < 300000; i++)
        sum += i * 0.5;
    sink = sum;
}

__attribute__((noinline)) static void work_beside_it(void)
{
    double sum = 0;
    for (int i = 0; i < 300000; i++)
        sum += i * 0.25;
    sink = sum;
}

static void *beside(void *none)
{
    while (!over)
        work_beside_it();
    return none;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    for (int i = 0; argc > 1 && i < 3; i++)
        signal((int[]){SIGURG, 59, 40}[i], handle);
    pthread_create(&thread, NULL, beside, NULL);
#pragma omp parallel num_threads(2)
    while (!over) {
        work_in_the_region();
#pragma omp master
        over = is_over();
    }
    pthread_join(thread, NULL);
    puts("over");
    return 0;
}
