/* Computes below a function of an assembler that aligns its stack and finds its frame by rbx (x86-64). */
#include <stdio.h>

void realigned(void (*call)(void));
__asm__(".globl realigned\n"
        ".type realigned, @function\n"
        "realigned:\n"
        ".cfi_startproc\n"
        "push %rbx\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbx, 0\n"
        "mov %rsp, %rbx\n"
        ".cfi_def_cfa_register %rbx\n"
        "and $-64, %rsp\n"
        "call *%rdi\n"
        "mov %rbx, %rsp\n"
        ".cfi_def_cfa_register %rsp\n"
        "pop %rbx\n"
        ".cfi_adjust_cfa_offset -8\n"
        ".cfi_restore %rbx\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size realigned, .-realigned\n");

static volatile long sum;

__attribute__((noinline)) static long leaf(long number) {
    for (long i = 0; i < 20000; i++) sum += i ^ number;
    return sum;
}

/* Saves rbx, and has another value there. */
__attribute__((noinline)) static void middle(void) {
    __asm__ volatile("xor %%ebx, %%ebx" ::: "rbx");
    for (long i = 0; i < 5000; i++) leaf(i);
}

int main(void) {
    realigned(middle);
    puts("done");
    return 0;
}
