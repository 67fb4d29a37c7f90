// An exception out of a task's body: gcc ends the program.
// ends: signal 6
#include <omp.h>

#include <cstdio>
#include <stdexcept>

int main() {
    std::printf("before\n");
    std::fflush(stdout);
    try {
#pragma omp parallel num_threads(2)
        {
#pragma omp single nowait
#pragma omp task
            throw std::runtime_error("out of a task");
        }
    } catch (const std::exception &) {
        std::printf("caught\n");
    }
    return 0;
}
