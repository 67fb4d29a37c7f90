/* Code that is generated while the program runs, with a perf map: functions that call C, as the trampolines of CPython do (release 3.12
   and later). */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef double body(void);
typedef double trampoline(void *, void *, void *, body *);

/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static const unsigned char plain[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3};
/* push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret */
static const unsigned char framed[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3};

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* Without a frame pointer: RBP may have any value. */
__attribute__((noinline, optimize("omit-frame-pointer"))) static double work(void)
{
    double sum = 0, end = now(CLOCK_THREAD_CPUTIME_ID) + 0.2;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 10000; i++)
            sum += 1.0 / (i + 1);
    return sum;
}

static unsigned char *code;

__attribute__((noinline)) static double inner(void)
{
    return ((trampoline *)(code + 32))(0, 0, 0, work) + 1;
}

int main(void)
{
    char name[64];
    code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, plain, sizeof plain);
    memcpy(code + 32, framed, sizeof framed);
    mprotect(code, 4096, PROT_READ | PROT_EXEC);
    snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(name, "w");
    fprintf(map, "%lx %zx py::fit:/home/u/model.py\n", (long)code, sizeof plain);
    fprintf(map, "%lx %zx py::step:/home/u/model.py\n", (long)code + 32, sizeof framed);
    fclose(map);
    double sum = ((trampoline *)code)(0, 0, 0, inner);
#pragma omp parallel num_threads(2)
    sum += 0;
    printf("%s\n", sum > 0 ? name : "");
    return 0;
}
