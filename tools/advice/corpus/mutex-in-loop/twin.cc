// The program with the cure applied: A sum for each thread (reduction).
#include <cstdio>
#include <mutex>
#include "../work.h"

static std::mutex guard;
static double total;

int main() {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 9000000; i++) {
        double own = work(10);
        sum += own;
    }
    total += sum;
    std::printf("%.3f\n", total);
    return 0;
}
