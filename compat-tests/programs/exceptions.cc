// Exceptions through and around code that the runtime calls: `exceptions KIND`.
#include <omp.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace {

struct Counter {
    explicit Counter(int &count) : count(count) {}
    ~Counter() {
#pragma omp atomic
        count += 1;
    }
    int &count;
};

[[gnu::noinline]] void thrower(int depth, int &destroyed) {
    Counter counter(destroyed);
    if (depth == 0) throw std::runtime_error("thrown");
    thrower(depth - 1, destroyed);
}

void inside() {
    int destroyed = 0, caught = 0;
#pragma omp parallel num_threads(3) reduction(+ : caught)
    for (int i = 0; i < 20; i++) {
        try {
            thrower(i, destroyed);
        } catch (const std::exception &) {
            caught += 1;
        }
#pragma omp barrier
    }
    std::printf("inside: %d caught, %d destroyed\n", caught, destroyed);
}

void around() {
    int caught = 0, destroyed = 0;
    for (int i = 0; i < 5; i++) {
        try {
            Counter counter(destroyed);
#pragma omp parallel num_threads(3)
            {
#pragma omp critical
                caught += 1;
            }
            throw i;
        } catch (int) {
            caught += 100;
        }
    }
    std::printf("around: %d, %d destroyed\n", caught, destroyed);
}

void nested() {
    int caught = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : caught)
    {
        try {
#pragma omp parallel num_threads(2) reduction(+ : caught)
            {
                try {
                    throw 1;
                } catch (int) {
                    caught += 1;
                }
            }
            throw 2;
        } catch (int thrown) {
            caught += 10 * thrown;
        }
    }
    std::printf("nested: %d\n", caught);
}

} // namespace

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    if (std::strcmp(kind, "inside") == 0) inside();
    else if (std::strcmp(kind, "around") == 0) around();
    else if (std::strcmp(kind, "nested") == 0) nested();
    else if (std::strcmp(kind, "escapes") == 0) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) throw std::runtime_error("nobody catches it");
        else for (;;) {
            volatile int busy = 0;
            busy = busy + 1;
        }
    } else return 2;
    return 0;
}
