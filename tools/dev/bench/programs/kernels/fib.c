/* Fibonacci numbers by their definition: a task for each half, down to a number that one task computes alone. */
#include "kernel.h"

enum { ALONE = 20 };

static int number;
static uint64_t result;

static uint64_t alone(int n)
{
    return n < 2 ? (uint64_t)n : alone(n - 1) + alone(n - 2);
}

static uint64_t fib(int n)
{
    uint64_t a, b;
    if (n <= ALONE)
        return alone(n);
    TASK(shared(a))
    a = fib(n - 1);
    TASK(shared(b))
    b = fib(n - 2);
    TASKWAIT
    return a + b;
}

static void prepare(int size)
{
    number = size;
}

static void solve(void)
{
    result = fib(number);
}

static uint64_t checksum(void)
{
    /* The same number, computed by iteration. */
    uint64_t a = 0, b = 1;
    for (int i = 0; i < number; i++) {
        uint64_t next = a + b;
        a = b;
        b = next;
    }
    return a == result ? result : 0;
}
