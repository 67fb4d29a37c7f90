/* Runs regions, then installs a filter of system calls that kills the process for any call that is not listed, and runs more regions. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Calls of the program and of libgomp, and those for memory, files, clocks, and information on the process. */
static const int allowed[] = {
    SYS_write, SYS_read, SYS_openat, SYS_close, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_pread64, SYS_pwrite64, SYS_ftruncate, SYS_fallocate,
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex, SYS_sched_yield, SYS_clock_gettime, SYS_clock_nanosleep,
    SYS_getpid, SYS_gettid, SYS_getrusage, SYS_prlimit64, SYS_timer_delete, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_exit,
    SYS_exit_group,
};

static int work(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp for
        for (int i = 0; i < 300; i++)
            sum += i;
#pragma omp single
        {
#pragma omp task shared(sum)
            sum += 0;
        }
    }
    return sum;
}

int main(void)
{
    struct sock_filter code[2 * LENGTH(allowed) + 2];
    int before = work();
    size_t at = 0;
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < LENGTH(allowed); i++) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {(unsigned short)at, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
        perror("filter");
        return 99;
    }
    int after = work();
    printf("%d %d\n", before, after);
    return before == after ? 7 : 1;
}
