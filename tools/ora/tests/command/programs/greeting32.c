/* As greeting.c, for a 32-bit dynamic linker and no C library. */
static int call(int number, int first, const void *second, int third) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
    return result;
}

void _start(void) {
    call(4, 1, "out\n", 4);
    call(4, 2, "err\n", 4);
    call(1, 3, 0, 0);
}
