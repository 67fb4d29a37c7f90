// A helper of each query adds its counter to the global one in its destructor, in an unnamed critical section.
#include <cstdio>
#include "../work.h"

static long distances;

struct Query {
    long computed = 0;
    double run() {
        computed += 3;
        return work(30);
    }
    ~Query() {
#pragma omp critical // HERE
        distances += computed;
    }
};

int main() {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 4000000; i++) {
        Query query;
        sum += query.run();
    }
    std::printf("%ld %.3f\n", distances, sum);
    return 0;
}
