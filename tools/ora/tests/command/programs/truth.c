// Knows by its own clocks how its threads' time passed, and prints it: CPU nanoseconds of the process, and of each thread.
// truth spin THREADS: on one processor. truth filtered THREADS: the same, where no file can be opened. truth sleep: in a region, and in serial code. truth killed: ends by a signal.
// truth uneven: one thread waits for the other. truth setting: changes its environment. truth child: a forked child does the work and ends with _exit.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void spin_cpu_ms(long long ms) {
    long long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

static void spin_wall_ms(long long ms) {
    long long end = now(CLOCK_MONOTONIC) + ms * 1000000;
    while (now(CLOCK_MONOTONIC) < end) {
    }
}

static void print_cpu(const char *name, int who) {
    struct rusage usage;
    getrusage(who, &usage);
    long long us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    printf("%s %lld\n", name, us * 1000);
    fflush(stdout);
}

static void refuse_to_open(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("filter");
        exit(99);
    }
}

static void on_one_processor(void) {
    cpu_set_t mask, one;
    sched_getaffinity(0, sizeof mask, &mask);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &mask)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int threads = argc > 2 ? atoi(argv[2]) : 2;
    omp_set_num_threads(threads);
    if (!strcmp(what, "spin") || !strcmp(what, "filtered")) {
        if (!strcmp(what, "filtered")) {
            refuse_to_open();
        }
        on_one_processor();
        // Even work: if each thread had a processor, both would finish at the same time.
#pragma omp parallel
        spin_cpu_ms(200);
    } else if (!strcmp(what, "sleep")) {
#pragma omp parallel
        {
            if (omp_get_thread_num() == 0) {
                spin_cpu_ms(300);
            } else {
                usleep(300000);
            }
        }
        usleep(200000);
        spin_cpu_ms(100);
    } else if (!strcmp(what, "killed")) {
        for (int round = 0; round < 100; round++) {
#pragma omp parallel
            spin_cpu_ms(3);
        }
        print_cpu("process", RUSAGE_SELF);
        raise(SIGKILL);
    } else if (!strcmp(what, "uneven")) {
        for (int round = 0; round < 20; round++) {
#pragma omp parallel
            if (omp_get_thread_num() == 0) {
                spin_wall_ms(10);
            }
        }
    } else if (!strcmp(what, "setting")) {
        setenv("OMP_SCHEDULE", "dynamic,3", 1);
#pragma omp parallel
        spin_cpu_ms(1);
    } else if (!strcmp(what, "child")) {
        if (fork() == 0) {
            for (int round = 0; round < 50; round++) {
#pragma omp parallel
                spin_wall_ms(4);
            }
            print_cpu("process", RUSAGE_SELF);
            _exit(0);
        }
        int status;
        wait(&status);
        return status;
    } else {
        return 2;
    }
    print_cpu("process", RUSAGE_SELF);
    return 0;
}
