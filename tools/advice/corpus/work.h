/* Arithmetic that no compiler leaves out: 1,000 rounds take some four microseconds. */
static __attribute__((noinline, unused)) double work(long rounds) {
    double x = 1;
    for (long i = 0; i < rounds; i++) {
        x = x * 0.999999 + 1e-6;
        __asm__ volatile("" : "+m"(x));
    }
    return x;
}
