/* Programs that end, fork or change threads in ways a library must not disturb: `endings KIND`. */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int team(void) {
    int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
    {
#pragma omp barrier
        members += 1;
    }
    return members;
}

/* The region's other threads stay in it, working or in its barriers. */
static void in_region(int thread, void (*end)(void)) {
    int members = 0;
#pragma omp parallel num_threads(3)
    {
        __atomic_add_fetch(&members, 1, __ATOMIC_RELAXED);
        if (omp_get_thread_num() == thread) {
            printf("about to end\n");
            fflush(stdout);
            while (__atomic_load_n(&members, __ATOMIC_RELAXED) < 3) usleep(1000);
            usleep(20000);
            end();
        } else if (omp_get_thread_num() == 2 || thread == 2) {
            for (;;) usleep(1000);
        }
    }
}

/* Exits while other threads raise events continuously. */
static void exit_while_busy(void) {
    long count = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0) {
            while (__atomic_load_n(&count, __ATOMIC_RELAXED) < 10) usleep(1000);
            usleep(30000);
            printf("leaving\n");
            exit(0);
        }
        for (;;) {
#pragma omp critical(busy)
            __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(1)
            {
#pragma omp barrier
            }
        }
    }
}

static void leave_with_5(void) { exit(5); }
static void leave_at_once(void) { _exit(6); }
static void kill_self(void) { kill(getpid(), SIGKILL); }

static void say(const char *words, int number) {
    printf("%s %d\n", words, number);
    fflush(stdout);
}

static void at_exit(void) { say("at exit, a team of", team()); }

static int status_of(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int children(const char *kind, char **argv) {
    char *again[] = {argv[0], "exit-code", NULL};
    pid_t child;
    omp_lock_t lock;
    omp_init_lock(&lock);
    if (strcmp(kind, "fork-first") != 0) say("parent's team", team());
    if (strcmp(kind, "spawn") == 0) {
        if (posix_spawn(&child, argv[0], NULL, NULL, again, environ) != 0) return 1;
    } else {
        child = fork();
        if (child == 0) {
            alarm(30);
            if (strcmp(kind, "fork-exec") == 0) {
                execv(argv[0], again);
                _exit(127);
            }
            if (strcmp(kind, "fork-first") == 0) say("child's team", team());
            else {
                /* A child of a parent that had a pool can do everything except create a team. */
                int guarded = 0;
                omp_set_lock(&lock);
                guarded++;
                omp_unset_lock(&lock);
#pragma omp critical
                guarded++;
#pragma omp barrier
#pragma omp parallel num_threads(1)
                guarded++;
                say("child, guarded", guarded);
            }
            if (strcmp(kind, "fork-quick") == 0) _exit(4);
            exit(4);
        }
    }
    say("child's exit code", status_of(child));
    say("parent's team", team());
    return 0;
}

static void *regions_and_exit(void *data) {
    say("thread's team", team());
    (void)data;
    pthread_exit((void *)7);
}

static void *regions_then_wait(void *data) {
    *(int *)data = team();
    for (;;) usleep(1000);
    return NULL;
}

static void *last_thread(void *data) {
    pthread_join(*(pthread_t *)data, NULL);
    say("the last thread's team", team());
    return NULL;
}

static int user_threads(const char *kind) {
    static pthread_t main_thread;
    pthread_t thread;
    void *result;
    int size = 0, i;
    if (strcmp(kind, "thread-exit") == 0) {
        for (i = 0; i < 5; i++) {
            pthread_create(&thread, NULL, regions_and_exit, NULL);
            pthread_join(thread, &result);
            say("thread's result", (int)(long)result);
        }
    } else if (strcmp(kind, "thread-cancel") == 0) {
        pthread_create(&thread, NULL, regions_then_wait, &size);
        while (!__atomic_load_n(&size, __ATOMIC_ACQUIRE)) usleep(1000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        say("cancelled", result == PTHREAD_CANCELED);
    } else {
        say("main's team", team());
        main_thread = pthread_self();
        pthread_create(&thread, NULL, last_thread, &main_thread);
        pthread_exit(NULL);
    }
    say("main's team", team());
    return 0;
}

static jmp_buf back[3];

__attribute__((noinline)) static void jump(int to, int value) { longjmp(back[to], value); }

__attribute__((noinline)) static int jump_three_times(int thread) {
    volatile int count = 0;
    if (setjmp(back[thread]) < 3) {
        count += 1;
#pragma omp critical
        count += 0;
        jump(thread, count);
    }
    return count;
}

static int jumps(void) {
    int good = 0;
#pragma omp parallel num_threads(3) reduction(+ : good)
    {
        good += jump_three_times(omp_get_thread_num());
#pragma omp barrier
        good += jump_three_times(omp_get_thread_num());
    }
    say("jumps", good);
    return 0;
}

static int pauses(void) {
    int i;
    for (i = 0; i < 4; i++) {
        say("team", team());
        say("pause", omp_pause_resource_all(i % 2 ? omp_pause_soft : omp_pause_hard));
    }
    return 0;
}

static int kept(void) {
    sigset_t before, after;
    omp_lock_t lock;
    int i, errors = 0, masks = 0;
    omp_init_lock(&lock);
    team();
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (i = 0; i < 20; i++) {
        errno = 77;
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
#pragma omp critical
        masks += 0;
#pragma omp barrier
#pragma omp parallel num_threads(3)
        {
            errno = 78;
#pragma omp barrier
#pragma omp critical(kept)
            masks += 0;
#pragma omp single
            masks += 0;
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 3; k++) errno = 78;
#pragma omp atomic
            errors += errno != 78;
        }
        errors += errno != 78;
        pthread_sigmask(SIG_SETMASK, NULL, &after);
        for (int signal = 1; signal < 65; signal++) masks += sigismember(&before, signal) != sigismember(&after, signal);
    }
    say("errno was changed", errors);
    say("signal mask was changed", masks);
    return 0;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "exit-code") == 0) {
        say("team", team());
        return 3;
    }
    if (strcmp(kind, "exit-while-busy") == 0) exit_while_busy();
    if (strcmp(kind, "exit-in-region") == 0) in_region(0, leave_with_5);
    if (strcmp(kind, "exit-by-worker") == 0) in_region(2, leave_with_5);
    if (strcmp(kind, "_exit-in-region") == 0) in_region(1, leave_at_once);
    if (strcmp(kind, "abort-in-region") == 0) in_region(1, abort);
    if (strcmp(kind, "killed-in-region") == 0) in_region(0, kill_self);
    if (strcmp(kind, "atexit") == 0) {
        atexit(at_exit);
        say("team", team());
        return 0;
    }
    if (strncmp(kind, "fork", 4) == 0 || strcmp(kind, "spawn") == 0) return children(kind, argv);
    if (strncmp(kind, "thread", 6) == 0 || strcmp(kind, "main-thread-exit") == 0) return user_threads(kind);
    if (strcmp(kind, "longjmp") == 0) return jumps();
    if (strcmp(kind, "pause") == 0) return pauses();
    if (strcmp(kind, "kept") == 0) return kept();
    fprintf(stderr, "no such kind: %s\n", kind);
    return 2;
}

/* A region after every exit handler. */
__attribute__((destructor)) static void at_the_very_end(void) {
    if (getenv("TEAM_AT_THE_VERY_END")) say("at the very end, a team of", team());
}
