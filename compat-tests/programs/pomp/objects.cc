// C++: constructs in member functions, templates and lambdas, and objects that are private to threads (tests/all/pomp.rs counts).
#include <cstdio>
#include <numeric>
#include <vector>
#if __GNUC__ >= 16 /* warns of `master`; OPARI doesn't know `masked` */
#pragma GCC diagnostic ignored "-Wdeprecated-openmp"
#endif

namespace {

struct Counter {
    int value = 0;
    Counter() = default;
    Counter(const Counter &other) : value(other.value + 1) {}
    ~Counter() { value = -1; }
    void add(int n) {
#pragma omp critical(adding)
        value += n;
    }
};

template <class T> T sum(const std::vector<T> &of) {
    T all{};
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : all)
    for (int i = 0; i < static_cast<int>(of.size()); i++) all += of[i];
    return all;
}

} // namespace

int main() {
    std::vector<int> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0);
    Counter counter, copied;
    int masters = 0, ran = 0;
#pragma omp parallel firstprivate(copied)
    {
        counter.add(copied.value);
#pragma omp master
        masters++;
#pragma omp barrier
#pragma omp single
        {
            auto work = [&ran](int n) {
#pragma omp atomic
                ran += n;
            };
            for (int i = 0; i < 5; i++) {
#pragma omp task
                work(i);
            }
#pragma omp taskwait
        }
    }
    std::printf("%d %d %d %d\n", sum(numbers), counter.value >= 1, masters, ran);
    return 0;
}
