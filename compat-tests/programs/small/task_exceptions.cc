// Exceptions thrown and caught inside tasks, through scheduling points and regions, with objects to be destroyed.
#include <omp.h>

#include <cstdio>
#include <stdexcept>
#include <string>

static long caught, destroyed, ran;

struct Witness {
    ~Witness() {
#pragma omp atomic
        destroyed += 1;
    }
};

[[gnu::noinline]] static void deep(int depth, const std::string &text) {
    Witness witness;
    if (depth == 0) throw std::runtime_error(text);
#pragma omp task
    {
#pragma omp atomic
        ran += 1;
    }
    deep(depth - 1, text + "x");
}

static void body(int i) {
    Witness witness;
    try {
        try {
            deep(i % 7, "deep");
        } catch (const std::runtime_error &error) {
#pragma omp taskwait
            throw std::string(error.what()) + "!";
        }
    } catch (const std::string &text) {
#pragma omp atomic
        caught += static_cast<long>(text.size());
    }
}

int main() {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 60; i++) {
#pragma omp task firstprivate(i) if (i % 5)
        body(i);
#pragma omp task untied firstprivate(i)
        {
            try {
#pragma omp taskgroup
                {
#pragma omp task
                    body(i);
                }
#pragma omp parallel num_threads(2)
                body(i);
                throw i;
            } catch (int thrown) {
#pragma omp atomic
                caught += thrown;
            }
        }
    }
    try {
        body(3);
        throw 5;
    } catch (int thrown) {
        caught += thrown;
    }
    std::printf("%ld caught, %ld destroyed, %ld ran\n", caught, destroyed, ran);
    return 0;
}
