/* A function of `race_sum.c`, which updates its sum. */
extern long total;
void work(long i);

void work(long i) {
    if (i == 7)
        total++;
}
