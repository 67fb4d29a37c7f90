// Copy constructors that throw and catch within themselves, in deferred and undeferred tasks.
#include <omp.h>

#include <cstdio>
#include <stdexcept>

static long caught, ran;

struct Touchy {
    explicit Touchy(int value) : value(value) {}
    Touchy(const Touchy &other) : value(other.value) {
        try {
            throw std::runtime_error("within");
        } catch (const std::exception &) {
#pragma omp atomic
            caught += 1;
        }
    }
    int value;
};

static void create(int value, bool deferred) {
    Touchy touchy(value), second(value);
#pragma omp task firstprivate(touchy, second) if (deferred)
    {
#pragma omp atomic
        ran += touchy.value + second.value;
#pragma omp task firstprivate(touchy)
#pragma omp atomic
        ran += touchy.value;
    }
}

int main() {
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= 40; i++) create(i, i % 2);
    create(100, false);
    create(100, true);
    std::printf("%ld caught, %ld ran\n", caught, ran);
    return 0;
}
