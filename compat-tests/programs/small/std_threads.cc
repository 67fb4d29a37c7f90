// std::thread, std::async and regions in each other; a region in the constructor of a global.
#include <omp.h>

#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static long region(int threads) {
    long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        sum += omp_get_thread_num() + 1;
#pragma omp task
        {
        }
    }
    return sum;
}

static const long early = region(3);

int main() {
    std::vector<std::thread> threads;
    std::mutex mutex;
    long total = 0, inside = 0;
    for (int i = 1; i < 5; i++)
        threads.emplace_back([&, i] {
            const long sum = region(i);
            const std::lock_guard<std::mutex> guard(mutex);
            total += sum;
        });
    for (std::thread &thread : threads) thread.join();
    auto later = std::async(std::launch::async, region, 4);
    total += later.get();
#pragma omp parallel num_threads(2) reduction(+ : inside)
    {
        std::thread thread([&] { inside += region(2); });
        thread.join();
    }
    std::printf("%ld %ld %ld\n", early, total, inside);
    return 0;
}
