/* Does what a program could notice of signals that it did not send. */
#define _XOPEN_SOURCE 700 /* strict: `signal` is the one of System V */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

typedef void (*handler)(int);
handler bsd_signal(int, handler);
handler ssignal(int, handler);
handler sysv_signal(int, handler);

static volatile sig_atomic_t handled;

static void handle(int number) {
    (void)number;
    handled++;
}

static void spin(int ms) {
    struct timespec now, begin;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/* Waits for another thread, with a stack of the minimum size. */
static void *wait_for_other(void *nothing) {
#pragma omp parallel num_threads(2)
    {
        struct timespec time = {0, 20000000};
#pragma omp master
        nanosleep(&time, NULL);
    }
#pragma omp parallel num_threads(2)
    {
        struct timespec time = {0, 20000000};
#pragma omp single nowait
        nanosleep(&time, NULL);
    }
    return nothing;
}

static void small(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    pthread_create(&thread, &attributes, wait_for_other, NULL);
    pthread_join(thread, NULL);
}

static void show(const char *call, int number, handler before) {
    struct sigaction now;
    sigaction(number, NULL, &now);
    printf("%s: before %ld, now %d, flags %x, mask %d%d\n", call, before == handle ? -2L : (long)before, now.sa_handler == handle,
           (unsigned)now.sa_flags & (SA_RESTART | SA_NODEFER | SA_RESETHAND), sigismember(&now.sa_mask, number),
           sigismember(&now.sa_mask, SIGTERM));
}

/* Calls all functions that set an action. */
static void actions(int number, handler wanted) {
    show("signal", number, signal(number, wanted));
    show("bsd_signal", number, bsd_signal(number, wanted));
    show("ssignal", number, ssignal(number, wanted));
    show("sysv_signal", number, sysv_signal(number, wanted));
    show("sigset", number, sigset(number, wanted));
    show("sigset hold", number, sigset(number, (handler)2));
    show("sigset again", number, sigset(number, wanted));
    printf("%d\n", siginterrupt(number, 1));
    show("interrupts", number, bsd_signal(number, wanted));
    printf("%d\n", siginterrupt(number, 0));
    show("restarts", number, bsd_signal(number, wanted));
    printf("%d\n", sigignore(number));
    show("sigignore", number, signal(number, SIG_DFL));
    printf("%d\n", signal(number, SIG_ERR) == SIG_ERR);
}

static void all_actions(void) {
    for (int number = 1; number < 65; number++)
        if (number != SIGKILL && number != SIGSTOP && number != 32 && number != 33)
            actions(number, SIG_DFL);
    spin(50);
    actions(SIGUSR1, handle);
    printf("%d %d\n", signal(65, SIG_DFL) == SIG_ERR, sigset(0, SIG_DFL) == SIG_ERR);
}

/* Sets a handler, which must not be called. */
static void own(int number) {
    signal(number, handle);
    spin(50);
    printf("handled %d\n", (int)handled);
}

/* Blocks all signals and waits for any. */
static void waits(void) {
    sigset_t all;
    siginfo_t info;
    struct timespec time = {0, 10000000};
    int number = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    spin(50);
    printf("sigtimedwait %d\n", sigtimedwait(&all, NULL, &time));
    spin(50);
    raise(SIGRTMAX);
    printf("sigwaitinfo %d\n", sigwaitinfo(&all, &info) == SIGRTMAX && info.si_signo == SIGRTMAX);
    spin(50);
    raise(SIGRTMAX);
    printf("sigwait %d %d\n", sigwait(&all, &number), number == SIGRTMAX);
}

/* Blocks all signals and reads them. */
static void reads(void) {
    sigset_t all;
    struct signalfd_siginfo info;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    int fd = signalfd(-1, &all, SFD_NONBLOCK);
#pragma omp parallel num_threads(2)
    spin(50);
    while (read(fd, &info, sizeof info) == sizeof info)
        printf("read %u\n", info.ssi_signo);
    raise(SIGRTMAX);
    printf("read %d\n", read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == (unsigned)SIGRTMAX);
}

/* Works with alternate stacks that are too small for the registers of some processors. */
static void alternate(void) {
#pragma omp parallel num_threads(2)
    {
        char room[2048];
        stack_t stack = {.ss_sp = room, .ss_size = sizeof room}, now;
        int answer = sigaltstack(&stack, NULL);
        spin(50);
        sigaltstack(NULL, &now);
        answer += now.ss_sp != room;
        stack.ss_flags = SS_DISABLE;
        answer += sigaltstack(&stack, NULL);
        spin(50);
#pragma omp critical
        printf("%d\n", answer);
    }
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "";
    if (strcmp(way, "small") == 0)
        small();
    else if (strcmp(way, "actions") == 0)
        all_actions();
    else if (strcmp(way, "own") == 0)
        own(SIGURG);
    else if (strcmp(way, "waits") == 0)
        waits();
    else if (strcmp(way, "reads") == 0)
        reads();
    else
        alternate();
    puts("done");
    return 0;
}
