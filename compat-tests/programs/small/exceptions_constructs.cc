// Exceptions thrown and caught inside each construct.
#include <omp.h>

#include <cstdio>
#include <stdexcept>

static long caught, destroyed;

struct Witness {
    ~Witness() {
#pragma omp atomic
        destroyed += 1;
    }
};

template <typename Body> static void guarded(Body body) {
    try {
        Witness witness;
        body();
        throw std::runtime_error("at the end");
    } catch (const std::exception &) {
#pragma omp atomic
        caught += 1;
    }
}

int main() {
    long sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 20; i++) guarded([] {});
#pragma omp for ordered
        for (int i = 0; i < 5; i++) {
#pragma omp ordered
            guarded([&] { sum += 1; });
        }
#pragma omp sections
        {
#pragma omp section
            guarded([] {});
#pragma omp section
            guarded([] {});
        }
#pragma omp single
        guarded([] {});
#pragma omp critical
        guarded([&] { sum += 100; });
#pragma omp masked
        guarded([] {});
#pragma omp barrier
        guarded([] {
#pragma omp parallel num_threads(2)
            guarded([] {
#pragma omp taskgroup
                {
#pragma omp task
                    guarded([] {});
                }
            });
        });
    }
    const int t = omp_get_max_threads();
    // 29 in constructs of the team, one a thread in critical, and five a thread in nested regions.
    std::printf("%ld %ld %ld\n", (caught - 29) / t, destroyed - caught, sum - 100 * t);
    return 0;
}
