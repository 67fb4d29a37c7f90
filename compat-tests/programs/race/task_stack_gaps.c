/* Tasks with a frame that is too large to be searched for accesses, and tasks of which only some have a large frame. Twin: they all
   write one variable. */
#include "../archer/apart.h"

static long sum, out[232];

static void set(char *place, long value) { place[0] = place[1] = (char)value; }
static void (*volatile hidden)(char *, long) = set;

static __attribute__((noinline)) long report(long i) {
    char line[8192];
    hidden(line, i);
    return line[0] + line[1];
}

static __attribute__((noinline)) long huge(long i) {
    char buffer[1 << 20];
    hidden(buffer, i);
    return buffer[0] + buffer[1];
}

int main(void) {
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (i = 0; i < 200; i++) {
#pragma omp task firstprivate(i)
            {
                out[i] = i % 50 / 3 == 6 ? report(i) : i;
                IF_TWIN(sum = i;) /* race */
            }
        }
        for (i = 200; i < 232; i++) {
#pragma omp task firstprivate(i)
            out[i] = huge(i);
        }
    }
    return sum < 0 || out[199] != 199;
}
