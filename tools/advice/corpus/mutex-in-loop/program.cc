// Each iteration takes a mutex of the C++ library.
#include <cstdio>
#include <mutex>
#include "../work.h"

static std::mutex guard;
static double total;

int main() {
#pragma omp parallel for
    for (int i = 0; i < 9000000; i++) {
        double own = work(10);
        std::lock_guard<std::mutex> lock(guard); // HERE
        total += own;
    }
    std::printf("%.3f\n", total);
    return 0;
}
