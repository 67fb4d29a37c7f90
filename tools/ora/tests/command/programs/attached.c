/* Rounds of OpenMP work of one kind until stdin is closed, at least one. Each round checks its own result. */
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static long tight(void)
{
    long sum = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        sum += 1;
    }
    return sum - 150;
}

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 8)
    a = fib(n - 1);
#pragma omp task shared(b) if (n > 8)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static long tasks(void)
{
    long result = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    result = fib(15);
    return result - 610;
}

static long nested(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
        void *block = malloc(1000);
        memset(block, 1, 1000);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 8; i++)
#pragma omp atomic
            sum += ((char *)block)[i];
        free(block);
    }
    return sum - 16;
}

static long locks(void)
{
    omp_lock_t lock;
    long sum = 0, other = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 20; i++) {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
#pragma omp critical
        other++;
    }
    omp_destroy_lock(&lock);
    return sum + other - 120;
}

static long loops(void)
{
    long sum = 0, turns = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 30; i++)
            sum += i;
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 30; i++)
            sum += i;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 12; i++) {
#pragma omp ordered
            turns = turns * (turns == i) + 1;
        }
    }
    return sum + turns - 870 - 12;
}

static long statics(void)
{
    long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp for
        for (int i = 0; i < 30; i++)
            sum += i;
#pragma omp for nowait
        for (int i = 0; i < 30; i++)
            sum += i;
    }
    return sum - 870;
}

static long sections(void)
{
    long first = 0, second = 0, shared = 0;
#pragma omp parallel num_threads(3) reduction(+ : shared)
    {
        long copied;
#pragma omp sections
        {
#pragma omp section
            first = 1;
#pragma omp section
            second = 2;
        }
#pragma omp single copyprivate(copied)
        copied = 5;
        shared += copied;
#pragma omp barrier
    }
    return first + second + shared - 18;
}

static long taskloops(void)
{
    long sum = 0, chain = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskloop grainsize(2) shared(sum)
        for (int i = 0; i < 20; i++)
#pragma omp atomic
            sum += i;
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : chain)
            chain = chain * 2 + 1;
        }
#pragma omp taskwait
    }
    return sum + chain - 190 - 255;
}

static void *team_of_its_own(void *result)
{
    *(long *)result = tight();
    return NULL;
}

static long teams(void)
{
    pthread_t threads[3];
    long results[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, team_of_its_own, &results[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return results[0] + results[1] + results[2];
}

static long forks(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    waitpid(child, &status, 0);
    return tight() + WEXITSTATUS(status) - 7;
}

static int is_over(int wait_ms)
{
    struct pollfd input = {0, POLLIN, 0};
    return poll(&input, 1, wait_ms) > 0;
}

struct kind {
    const char *name;
    long (*round)(void);
};

static volatile int over;
static long rounds, wrong;

static void *run(void *kind)
{
    do {
        wrong += ((struct kind *)kind)->round() != 0;
        rounds++;
    } while (!over);
    return NULL;
}

static void *begin_and_end(void *none)
{
    return none;
}

static volatile long caught;

static void catch(int signal)
{
    caught += signal > 0 && omp_get_thread_num() >= 0;
}

/* From now on signals arrive all the time, from timers of wall-clock time and of CPU time. */
static void storm(void)
{
    struct sigaction action = {.sa_handler = catch, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 300}, {0, 300}};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
}

int main(int argc, char **argv)
{
    static struct kind kinds[] = {{"tight", tight}, {"tasks", tasks}, {"nested", nested}, {"locks", locks}, {"forks", forks},
                                  {"loops", loops}, {"statics", statics}, {"sections", sections}, {"taskloops", taskloops},
                                  {"teams", teams}};
    pthread_t worker;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]))
            continue;
        if (argc > 2 && !strcmp(argv[2], "signals"))
            storm();
        if (argc > 2 && !strcmp(argv[2], "asleep")) {
            /* The first thread sleeps, while many others start and end. */
            pthread_create(&worker, NULL, run, &kinds[i]);
            while (!is_over(1)) {
                pthread_t brief;
                pthread_create(&brief, NULL, begin_and_end, NULL);
                pthread_join(brief, NULL);
            }
            over = 1;
            pthread_join(worker, NULL);
        } else {
            do {
                wrong += kinds[i].round() != 0;
                rounds++;
            } while (!is_over(0));
        }
    }
    printf("rounds: %s, wrong: %ld\n", rounds ? "some" : "none", wrong);
    return wrong != 0;
}
