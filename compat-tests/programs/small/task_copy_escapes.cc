// A copy constructor that throws out of the creation of a task: gcc ends the program.
// ends: signal 6
#include <omp.h>

#include <cstdio>
#include <stdexcept>

struct Touchy {
    Touchy() = default;
    Touchy(const Touchy &) { throw std::logic_error("never copied"); }
    int value = 1;
};

int main() {
    Touchy touchy;
    std::printf("before\n");
    std::fflush(stdout);
    try {
#pragma omp parallel
#pragma omp single
        {
#pragma omp task firstprivate(touchy)
            std::printf("%d\n", touchy.value);
        }
    } catch (const std::logic_error &) {
        std::printf("caught\n");
    }
    return 0;
}
