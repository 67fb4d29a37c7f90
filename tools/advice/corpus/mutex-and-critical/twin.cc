// The program with the cure applied: one order for both.
#include <cstdio>
#include <mutex>
#include <omp.h>
#include <unistd.h>

static std::mutex guard;
static int total;

__attribute__((noinline)) static void log(int value) {
#pragma omp critical
    {
        std::lock_guard<std::mutex> lock(guard);
        usleep(200000);
        total += value;
    }
}

__attribute__((noinline)) static void add(int value) {
#pragma omp critical
    {
        usleep(200000);
        std::lock_guard<std::mutex> lock(guard);
        total += value;
    }
}

int main() {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            log(1);
        else
            add(2);
    }
    std::printf("%d\n", total);
    return 0;
}
