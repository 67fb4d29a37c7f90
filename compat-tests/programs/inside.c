/* Processes and threads that start and end inside regions and tasks: `inside KIND`. */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *self;

static void say(const char *words, int number) {
    printf("%s %d\n", words, number);
    fflush(stdout);
}

static int status_of(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Everything that works in the child of a process with threads: all that needs no team. */
static int alone(void) {
    int count = 0, i;
    omp_lock_t lock;
    alarm(20);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    count += 1;
    omp_unset_lock(&lock);
#pragma omp critical(alone)
    count += 1;
#pragma omp task shared(count) if (0)
    count += 1;
#pragma omp parallel if (0)
    for (i = 0; i < 3; i++) {
#pragma omp task shared(count)
        count += 1;
    }
    return count;
}

static char *again[] = {"inside", "exec", NULL};

/* Creates one child in each possible way. */
static int child(const char *kind) {
    pid_t pid;
    if (strstr(kind, "spawn")) return posix_spawn(&pid, self, NULL, NULL, again, environ) == 0 ? status_of(pid) : -1;
    if (strstr(kind, "system")) return WEXITSTATUS(system("exit 8"));
    if (strstr(kind, "vfork")) {
        pid = vfork();
        if (pid == 0) {
            if (strstr(kind, "vfork-exec")) execve(self, again, environ);
            _exit(9);
        }
        return status_of(pid);
    }
    pid = fork();
    if (pid == 0) {
        if (strstr(kind, "exec")) execve(self, again, environ);
        _exit(alone());
    }
    return status_of(pid);
}

static void children_of_region(const char *kind) {
    int status[3] = {0, 0, 0}, after = 0, i;
#pragma omp parallel num_threads(3) reduction(+ : after)
    {
        const int me = omp_get_thread_num();
#pragma omp barrier
        if (me != 1) status[me] = child(kind);
#pragma omp barrier
        after += 1;
#pragma omp critical
        after += 1;
    }
    for (i = 0; i < 3; i++) say("child", status[i]);
    say("after", after);
}

static void children_of_tasks(const char *kind) {
    int status[4] = {0, 0, 0, 0}, sum = 0, i;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (i = 0; i < 4; i++) {
#pragma omp task firstprivate(i) if (i % 2)
        status[i] = child(kind);
#pragma omp task shared(sum)
#pragma omp atomic
        sum += 1;
    }
    for (i = 0; i < 4; i++) say("child", status[i]);
    say("sum", sum);
}

/* A child of a process without a pool has its own teams and tasks. */
static void child_with_tasks(void) {
    pid_t pid;
    int sum = 0, i;
#pragma omp task shared(sum)
    sum += 1;
    pid = fork();
    if (pid == 0) {
#pragma omp parallel num_threads(3)
#pragma omp single
        for (i = 0; i < 30; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
            sum += 1;
        }
        say("child's sum", sum);
        exit(5);
    }
    say("child", status_of(pid));
#pragma omp parallel num_threads(2)
    {
#pragma omp task shared(sum)
#pragma omp atomic
        sum += 10;
    }
    say("sum", sum);
}

static void end(const char *kind) {
    say("about to end", 0);
    if (strstr(kind, "_exit")) _exit(6);
    if (strstr(kind, "abort")) abort();
    exit(7);
}

static void ends_in_task(const char *kind) {
    int i;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (i = 0; i < 20; i++) {
#pragma omp task firstprivate(i) if (!strstr(kind, "undeferred"))
        {
            if (i == 10) {
#pragma omp critical(end)
                end(kind);
            }
            usleep(100);
        }
    }
}

static int cleaned;
static void clean(void *by) { cleaned += *(int *)by; }

/* An undeferred task is a frame to unwind like any other. (A thread that leaves a region makes libgomp free memory that isn't on the
 * heap.) */
static void *leave_thread(void *kind) {
    int one = 1, ten = 10;
    pthread_cleanup_push(clean, &one);
    if (strstr(kind, "exit-in-task")) {
#pragma omp task if (0)
        {
            pthread_cleanup_push(clean, &ten);
            pthread_exit((void *)7);
            pthread_cleanup_pop(0);
        }
    } else {
        /* Cancelled from outside, somewhere in the sleep. */
#pragma omp task if (0)
        {
            pthread_cleanup_push(clean, &ten);
            cleaned += 100;
            for (;;) usleep(1000);
            pthread_cleanup_pop(0);
        }
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void threads_leave(const char *kind) {
    int round, members = 0;
    for (round = 0; round < 5; round++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, leave_thread, (void *)kind) != 0) exit(1);
        if (strstr(kind, "cancel")) {
            while (__atomic_load_n(&cleaned, __ATOMIC_ACQUIRE) < 100) usleep(500);
            pthread_cancel(thread);
        }
        pthread_join(thread, &result);
        say("result", result == PTHREAD_CANCELED ? -1 : (int)(long)result);
        say("cleaned", cleaned);
        cleaned = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
        members += 1;
    }
    say("members", members);
}

/* A member of a team leaves its region for good: the others wait for it forever. */
static void member_leaves(int who, int cancelled) {
    static pthread_t ids[3];
    say("about to leave", who);
#pragma omp parallel num_threads(3)
    {
        const int me = omp_get_thread_num();
        ids[me] = pthread_self();
#pragma omp barrier
        if (cancelled && me == 2) pthread_cancel(ids[who]);
        if (me == who && !cancelled) pthread_exit(NULL);
        if (me == who)
            for (;;) usleep(1000);
    }
    say("never", 0);
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    self = argv[0];
    if (strcmp(kind, "exec") == 0) {
        int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
        members += 1;
        _exit(10 + members);
    }
    if (strncmp(kind, "region-", 7) == 0) children_of_region(kind);
    else if (strncmp(kind, "task-", 5) == 0) children_of_tasks(kind);
    else if (strcmp(kind, "child-with-tasks") == 0) child_with_tasks();
    else if (strncmp(kind, "end-", 4) == 0) ends_in_task(kind);
    else if (strncmp(kind, "thread-", 7) == 0) threads_leave(kind);
    else if (strcmp(kind, "worker-exits") == 0) member_leaves(1, 0);
    else if (strcmp(kind, "primary-exits") == 0) member_leaves(0, 0);
    else if (strcmp(kind, "worker-is-cancelled") == 0) member_leaves(1, 1);
    else return 2;
    return 0;
}
