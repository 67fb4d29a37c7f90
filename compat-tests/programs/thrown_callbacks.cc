// A program that is its own collector, and whose callback throws through the runtime's frames and the library's.
// Prints nothing when all is well.
#include <omp.h>

#include <dlfcn.h>
#include <stdexcept>

#include "session.h"

namespace {

struct Destroyed {
    ~Destroyed() { count_of_them++; }
    static int count_of_them;
};
int Destroyed::count_of_them = 0;

bool throw_now = false;

void throwing(int event) {
    count(event);
    if (!throw_now || omp_get_thread_num() != 0) return;
    throw_now = false;
    Destroyed on_the_way;
    throw std::runtime_error("from a callback");
}

} // namespace

int main() {
    // The compiler assumes that its own calls can't throw; one through a pointer may.
    void (*barrier)() = nullptr;
    void *symbol = dlsym(RTLD_DEFAULT, "GOMP_barrier");
    memcpy(&barrier, &symbol, sizeof barrier);
    int caught = 0;
    api = find_collector_api();
    if (!api || !barrier) return 2;
    CHECK(request(REQ_START), EC_OK);
    CHECK(wish(EVENT_BEGIN_EBAR, throwing), EC_OK);
    CHECK(wish(EVENT_FORK, count), EC_OK);
    CHECK(wish(EVENT_JOIN, count), EC_OK);
    for (int round = 0; round < 10; round++) {
        throw_now = true;
#pragma omp parallel num_threads(2) reduction(+ : caught)
        {
            try {
                Destroyed in_the_frame;
                barrier();
            } catch (const std::runtime_error &) {
                caught += 1;
                barrier();
            }
            CHECK(state(), STATE_WORK);
        }
    }
    CHECK(caught, 10);
    CHECK(Destroyed::count_of_them, 10 * 3);
    CHECK(taken(EVENT_FORK), 10);
    CHECK(taken(EVENT_JOIN), 10);
    CHECK(taken(EVENT_BEGIN_EBAR), 30);
    CHECK(state(), STATE_SERIAL);
    CHECK(region_id(nullptr), 0);
    return failures != 0;
}
