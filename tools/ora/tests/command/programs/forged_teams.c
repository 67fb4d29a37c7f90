/* Each thread of a region changes libgomp's record of it: it is in a team of the largest size, nested in itself. The region's file has a
   name that a terminal would obey. On x86-64: the place of the record is taken from the code that reads it, as `ora.py` takes it. */
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static uint64_t *record(void)
{
    unsigned char *code = (unsigned char *)(uintptr_t)omp_get_num_threads, *end = code + 64;
    uint64_t thread;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    for (; code < end; code++) {
        /* mov distance(%rip), register; then mov %fs:place(register), register */
        if (code[0] != 0x48 || code[1] != 0x8b || (code[2] & 0xc7) != 5)
            continue;
        int32_t distance;
        int64_t variable;
        memcpy(&distance, code + 3, sizeof distance);
        memcpy(&variable, code + 7 + distance, sizeof variable);
        for (unsigned char *reads = code + 7; reads < end; reads++)
            if (reads[0] == 0x64)
                return (uint64_t *)(thread + variable + reads[4]);
    }
    return 0;
}

int main(void)
{
    static uint64_t teams[3][2];
#pragma omp parallel num_threads(3)
    {
        uint64_t *team = teams[omp_get_thread_num()], *of_thread = record();
        team[0] = 0xffffffff;
        team[1] = (uint64_t)team;
        if (of_thread)
            *of_thread = (uint64_t)team;
#line 7 "esc\033[31m\a.c"
        for (;;) pause();
    }
}
